import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// Identities over kills, power cuts and failed flushes.
extension SyncReplicaTests {
    @Test("killed processes lose nothing, so the file keeps its identity; a power cut may take commits, so it takes another")
    func crashes() throws {
        let machine = SimulatedSystem(seed: 7)
        defer { machine.discard() }
        let body = try make(machine)
        let database = try open(machine)
        try SyncCaptureTests.set(database, 1, "title", .string("x"))
        let running = try SyncCaptureTests.body(database)
        let killed = machine.image(boot: .same)
        #expect(try reopen(killed) == running && running.replica == body.replica)
        killed.discard()
        for surviving in [SurvivingWrites.none, .all] {
            let cut = machine.image(surviving: surviving)
            #expect(try reopen(cut).slots.map(\.replica) == [body.replica])
            cut.discard()
        }
        // A process that only reads comes first.
        let cut = machine.image(surviving: .all), reader = try open(cut, readOnly: true)
        #expect(try SyncCaptureTests.body(reader).replica == body.replica)
        #expect(try reopen(cut).slots.map(\.replica) == [body.replica])
        reader.close()
        cut.discard()
        database.close()
        let closed = machine.image(surviving: .all)
        #expect(try reopen(closed).replica == body.replica)
        closed.discard()
    }

    @Test("a failed flush may take commits that others have copied, so the file takes another identity")
    func failedFlush() throws {
        let machine = SimulatedSystem(seed: 12)
        defer { machine.discard() }
        let body = try make(machine), database = try open(machine)
        try SyncCaptureTests.set(database, 1, "title", .string("x"))
        machine.inject(FaultRule(.synchronize, code: ErrorNumber.inputOutput, pathEnding: ".freehold", times: 1))
        #expect(throws: FreeholdError.self) { try database.flush() }
        database.close()
        let found = try reopen(machine)
        #expect(found.slots.map(\.replica) == [body.replica])
        #expect(try reopen(machine).replica == found.replica, "once")
    }

    @Test("wherever a kill or another power cut comes in the first opening after a power cut, the file takes another identity")
    func crashesAfterPowerCut() throws {
        let machine = SimulatedSystem(seed: 13)
        defer { machine.discard() }
        let body = try make(machine, objects: 20), database = try open(machine)
        defer { database.close() }
        try SyncCaptureTests.set(database, 1, "title", .string("x"))
        let cut = machine.image(surviving: .all), start = cut.operationCount
        defer { cut.discard() }
        _ = try reopen(cut)
        let end = cut.operationCount
        for crash in cut.crashCases(from: start, seed: 3) where crash.place <= end {
            for boot in [Boot.next, .same] where boot == .next || crash.surviving == .none {
                let image = boot == .next ? cut.image(crash) : cut.image(at: crash.place, boot: .same)
                defer { image.discard() }
                let found = try reopen(image)
                #expect(found.replica != body.replica && found.slots.last?.replica == body.replica, "\(crash) \(boot)")
                #expect(try sidecar(image)?.replica == found.replica, "\(crash) \(boot)")
            }
        }
    }

    @Test("wherever a power cut or a kill comes while a copy takes its identity, it never goes on under the old one")
    func crashesWhileTaking() throws {
        let machine = SimulatedSystem(seed: 10)
        defer { machine.discard() }
        let body = try make(machine, objects: 300)
        try put(bytes(machine, Self.path), machine, Self.other)
        let pending = try pending(machine), start = machine.operationCount
        _ = try reopen(machine, Self.other)
        var images = 0
        for crash in machine.crashCases(from: start, seed: 1) {
            for boot in [Boot.next, .same] where boot == .next || crash.surviving == .none {
                let image = boot == .next ? machine.image(crash) : machine.image(at: crash.place, boot: .same)
                defer { image.discard() }
                let copy = try open(image, Self.other)
                images += 1
                let found = try SyncCaptureTests.body(copy)
                #expect(found.replica != body.replica && found.slots.last?.replica == body.replica, "\(crash) \(boot)")
                #expect(try SyncCaptureTests.pending(copy) == pending, "\(crash) \(boot)")
                copy.close()
                #expect(try sidecar(image, Self.other)?.replica == found.replica && reopen(image, Self.other) == found, "\(crash) \(boot)")
            }
        }
        #expect(images > 60)
    }

    @Test("wherever a power cut or a kill comes, no epoch that may have been sent is open again under its replica")
    func crashesWhileSealing() throws {
        let machine = SimulatedSystem(seed: 11)
        defer { machine.discard() }
        let body = try make(machine, objects: 20), start = machine.operationCount, database = try open(machine)
        var sent: [(place: Int, epoch: UInt64)] = []
        for round in 0..<3 {
            try SyncCaptureTests.set(database, 1, "title", .string("\(round)"))
            let transaction = try database.beginWrite(), epoch = try transaction.sync.seal()
            try transaction.commit(.processCrash)
            try database.noteSealed(epoch)
            sent.append((machine.operationCount, epoch))
        }
        database.close()
        var kept = 0
        for crash in machine.crashCases(from: start, seed: 2) {
            for boot in [Boot.next, .same] where boot == .next || crash.surviving == .none {
                let image = boot == .next ? machine.image(crash) : machine.image(at: crash.place, boot: .same)
                defer { image.discard() }
                let found = try reopen(image), last = sent.last { $0.place <= crash.place }?.epoch ?? 1
                let isSafe = found.replica != body.replica || found.epoch > last
                #expect(isSafe, "\(crash) \(boot)")
                if found.replica == body.replica { kept += 1 }
                #expect(try sidecar(image)?.replica == found.replica, "\(crash) \(boot)")
            }
        }
        #expect(kept > 10)
    }
}
