import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// Which files keep the identity that they push under, and which take another one.
@Suite struct SyncReplicaTests {
    static let path = "/a.freehold", other = "/b.freehold"

    /// A closed file with synced classes, whose first epoch is sealed; its state of sync.
    func make(_ machine: SimulatedSystem, at path: String = path, objects: Int = 400) throws -> SyncBody {
        let database = try open(machine, path)
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClasses(SyncCaptureTests.classes)
            try SyncCaptureTests.insertTasks(transaction)
            try SyncCaptureTests.mark(transaction)
        }
        try database.write { transaction in
            for id in 0..<objects { try transaction.insert(into: "Task", [("id", .string("n\(id)")), ("title", .string("t"))]) }
        }
        try History.sealSync(on: database, durability: .full)
        try SyncCaptureTests.set(database, 0, "title", .string("x"))
        try SyncCaptureTests.delete(database, 2)
        try SyncCaptureTests.set(database, 1, "stock", .int(7))
        return try SyncCaptureTests.body(database)
    }

    func open(_ machine: SimulatedSystem, _ path: String = path, readOnly: Bool = false) throws -> Database {
        var options = OpenOptions.simulated
        options.readOnly = readOnly
        return try Database.open(path, options, on: machine.makeProcess())
    }

    /// The state of sync that the next process finds which opens the file for writing, and closes it.
    func reopen(_ machine: SimulatedSystem, _ path: String = path) throws -> SyncBody {
        let database = try open(machine, path)
        defer { database.close() }
        #expect(try database.check().isClean)
        return try SyncCaptureTests.body(database)
    }

    func bytes(_ machine: SimulatedSystem, _ path: String) throws -> [UInt8] {
        let file = try machine.makeProcess().openFile(path, .readOnly)
        defer { file.close() }
        var bytes = [UInt8](repeating: 0, count: try file.length())
        #expect(try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) } == bytes.count)
        return bytes
    }

    /// Writes a file as `cp` does: over the one that has the name, or a new one.
    func put(_ bytes: [UInt8], _ machine: SimulatedSystem, _ path: String) throws {
        let process = machine.makeProcess()
        let file = machine.hasName(path, process) ? try process.openFile(path, .readWrite)
            : try process.openFile(path, .createExclusive(permissions: 0o600))
        defer { file.close() }
        try file.setLength(0)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        try file.synchronizeData()
        try process.synchronizeDirectory("/")
    }

    func sidecar(_ machine: SimulatedSystem, _ path: String = path) throws -> SyncSidecar? {
        try SyncSidecar.read(SessionPaths(data: path), machine.makeProcess())
    }

    private func expectInherited(_ body: SyncBody, _ before: SyncBody, _ comment: String = "") {
        #expect(body.replica != before.replica && body.epoch == 1 && body.clock == before.clock, "\(comment)")
        let slot = SyncBody.Slot(replica: before.replica, epoch: before.epoch, last: before.clock.last)
        #expect(body.slots == [slot] + before.slots, "\(comment)")
    }

    @Test("a file that is closed and opened keeps its identity; so does one that is moved with its folder, not one without")
    func moved() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let body = try make(machine), process = machine.makeProcess()
        #expect(try sidecar(machine)?.replica == body.replica)
        for _ in 0..<2 { #expect(try reopen(machine) == body) }
        try process.renameFile(Self.path, to: Self.other)
        try process.renameFile(Self.path + ".management", to: Self.other + ".management")
        #expect(try reopen(machine, Self.other) == body)
        try process.renameFile(Self.other, to: Self.path)
        let taken = try reopen(machine)
        expectInherited(taken, body)
        #expect(taken.home == body.home)
        #expect(try reopen(machine) == taken, "once")
        // The folder that stayed says nothing of a file that comes there later.
        try process.renameFile(Self.path, to: Self.other)
        #expect(try reopen(machine, Self.other).replica != taken.replica)
    }

    @Test("a copied file takes an identity of its own, with or without its folder; what is pending keeps replica and epoch")
    func copied() throws {
        let machine = SimulatedSystem(seed: 2)
        defer { machine.discard() }
        let body = try make(machine)
        try put(bytes(machine, Self.path), machine, Self.other)
        for hasFolder in [false, true] {
            if hasFolder {
                try put(bytes(machine, Self.path), machine, Self.other)
                try put(bytes(machine, Self.path + ".management/sync"), machine, Self.other + ".management/sync")
            }
            let copy = try open(machine, Self.other)
            defer { copy.close() }
            expectInherited(try SyncCaptureTests.body(copy), body)
            #expect(try SyncCaptureTests.pending(copy) == pending(machine))
            let found = try origins(copy)
            #expect(found == [PendingOrigin(slot: 1, epoch: 1), PendingOrigin(slot: 1, epoch: 2)])
            try SyncCaptureTests.set(copy, 1, "title", .string("own"))
            #expect(try origins(copy) == found.union([PendingOrigin(slot: 0, epoch: 1)]))
        }
        #expect(try reopen(machine) == body, "the original goes on")
    }

    /// What is pending in a file that is only read.
    func pending(_ machine: SimulatedSystem) throws -> [String] {
        let database = try open(machine, readOnly: true)
        defer { database.close() }
        return try SyncCaptureTests.pending(database)
    }

    private func origins(_ database: Database) throws -> Set<PendingOrigin> {
        let snapshot = try database.snapshot(), stored = try #require(snapshot.schema().find("Task"))
        var origins: Set<PendingOrigin> = []
        let trees = PendingTrees(try snapshot.state(Int(stored.number), as: stored).root)
        try trees.forEachChange(in: snapshot.core.access) { origins.insert($0.origin) }
        try trees.forEachSum(in: snapshot.core.access) { origins.insert($0.origin) }
        return origins
    }

    /// What happens after a backup was made, before it is put in place of the file.
    enum Since: CaseIterable { case nothing, opened, closed, sealed, sealedAndKilled, killed, cut }

    @Test("a state of the file of before the last session, written over it, is noticed", arguments: Since.allCases)
    func restored(since: Since) throws {
        let machine = SimulatedSystem(seed: 3)
        defer { machine.discard() }
        _ = try make(machine)
        // What stands beside the file survives a power cut as it was then.
        let first = try open(machine)
        try first.write { _ = try $0.sync.seal() }
        try first.noteSealed(2)
        first.close()
        for folder in ["/", Self.path + ".management"] { try machine.makeProcess().synchronizeDirectory(folder) }
        let body = try reopen(machine), backup = try bytes(machine, Self.path)
        let database = since == .nothing ? nil : try open(machine)
        defer { database?.close() }
        if let database, since != .opened {
            try SyncCaptureTests.set(database, 1, "title", .string("later"))
            if since == .sealed || since == .sealedAndKilled {
                try database.write { _ = try $0.sync.seal() }
                try database.noteSealed(3)
            }
        }
        // A copy that is made meanwhile has what the older state has not, under the same identity.
        if ![.killed, .sealedAndKilled, .cut].contains(since) { database?.close() }
        // A power cut takes the lock file's memory and whatever was not flushed, also beside the file.
        let left = since == .cut ? machine.image(surviving: .none) : machine.image(boot: .same)
        defer { left.discard() }
        try put(backup, left, Self.path)
        let found = try reopen(left)
        if since == .nothing { #expect(found == body) } else { expectInherited(found, body) }
    }

    @Test("a file whose sidecar is missing, damaged, or another one's takes another identity, and has a sidecar again")
    func sidecars() throws {
        let machine = SimulatedSystem(seed: 4)
        defer { machine.discard() }
        var body = try make(machine), place = 0
        let name = Self.path + ".management/sync", length = try bytes(machine, name).count
        func expectTaken(_ comment: String) throws {
            let found = try reopen(machine)
            expectInherited(found, body, comment)
            #expect(try sidecar(machine)?.replica == found.replica, "\(comment)")
            body = found
            // What it inherits is its own to change, so that the next identity inherits from this one.
            let database = try open(machine)
            try SyncCaptureTests.set(database, 0, "title", .string(comment))
            body = try SyncCaptureTests.body(database)
            database.close()
        }
        try machine.makeProcess().removeFile(name)
        try expectTaken("missing")
        try machine.makeProcess().removeFile(name)
        try machine.makeProcess().removeDirectory(Self.path + ".management")
        try expectTaken("missing with its folder")
        while place < length {
            var changed = try bytes(machine, name)
            changed[place] ^= 4
            try put(changed, machine, name)
            try expectTaken("byte \(place)")
            place += 7
        }
        for short in [0, 1, 47] {
            try put(Array(bytes(machine, name)[..<short]), machine, name)
            try expectTaken("\(short) bytes")
        }
        let made = try make(machine, at: Self.other)
        try put(bytes(machine, Self.other + ".management/sync"), machine, name)
        try expectTaken("of another file")
        #expect(try reopen(machine, Self.other) == made)
    }

    @Test("an identity under which nothing was written leaves no slot")
    func unused() throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        let body = try make(machine), database = try open(machine)
        try database.copy(to: Self.other, encryption: .same, .simulated, on: machine.makeProcess())
        database.close()
        let copy = try open(machine, Self.other, readOnly: true), given = try SyncCaptureTests.body(copy)
        copy.close()
        #expect(try sidecar(machine, Self.other) == nil, "a copy of the copy takes another identity, too")
        let found = try reopen(machine, Self.other)
        #expect(found.replica != given.replica && given.replica != body.replica && found.slots == given.slots && found.slots.count == 1)
        #expect(try reopen(machine, Self.other) == found)
        let file = try open(machine, Self.other)
        try SyncCaptureTests.set(file, 1, "title", .string("own"))
        file.close()
        try machine.makeProcess().removeFile(Self.other + ".management/sync")
        #expect(try reopen(machine, Self.other).slots.map(\.replica) == [found.replica, body.replica])
    }

    @Test("reading changes nothing; a file without synced classes has no sidecar and is not asked for one")
    func readingAndPlain() throws {
        let machine = SimulatedSystem(seed: 6)
        defer { machine.discard() }
        let body = try make(machine)
        try machine.makeProcess().removeFile(Self.path + ".management/sync")
        let before = try bytes(machine, Self.path), reader = try open(machine, readOnly: true)
        #expect(try SyncCaptureTests.body(reader) == body)
        reader.close()
        #expect(try bytes(machine, Self.path) == before && sidecar(machine) == nil)
        let process = machine.makeProcess()
        var isAsked = false
        process.onOpen = { path, _ in if path.utf8.suffix(5).elementsEqual("/sync".utf8) { isAsked = true } }
        for _ in 0..<2 {
            let plain = try Database.open(Self.other, .simulated, on: process)
            try plain.write { try $0.createClasses([ClassSchema("Thing", [PropertySchema("value", .int)])]) }
            plain.close()
        }
        #expect(!isAsked && !machine.hasName(Self.other + ".management", process))
        let file = try open(machine, Self.other)
        try file.write { transaction in
            try transaction.createClasses(SyncCaptureTests.classes)
            try SyncCaptureTests.mark(transaction)
        }
        #expect(try sidecar(machine, Self.other)?.replica == SyncCaptureTests.body(file).replica)
        file.close()
        try DatabaseFiles.delete(Self.other, inMemory: false, process)
        #expect(!machine.hasName(Self.other + ".management", process))
    }

    @Test("two processes: the second one finds the identity that the first one took, and the first one goes on under one that it took")
    func processes() throws {
        let machine = SimulatedSystem(seed: 8)
        defer { machine.discard() }
        let body = try make(machine), name = Self.path + ".management/sync"
        try machine.makeProcess().removeFile(name)
        let one = try open(machine), taken = try SyncCaptureTests.body(one)
        expectInherited(taken, body)
        let two = try open(machine)
        #expect(try SyncCaptureTests.body(two) == taken)
        try machine.makeProcess().removeFile(name)
        try SyncCaptureTests.set(one, 1, "title", .string("one"))
        let three = try open(machine), other = try SyncCaptureTests.body(three)
        #expect(other.slots.map(\.replica) == [taken.replica, body.replica])
        try SyncCaptureTests.set(one, 1, "title", .string("once more"))
        #expect(try SyncCaptureTests.body(one).replica == other.replica && origins(one).contains(PendingOrigin(slot: 0, epoch: 1)))
        #expect(try SyncCaptureTests.pending(one) == SyncCaptureTests.pending(three))
        for database in [one, two, three] { database.close() }
        #expect(try reopen(machine).replica == other.replica)
    }

    @Test("an epoch is noted once it is sealed, and never an earlier one")
    func sealing() throws {
        let machine = SimulatedSystem(seed: 9)
        defer { machine.discard() }
        _ = try make(machine)
        let database = try open(machine)
        defer { database.close() }
        #expect { try database.noteSealed(2) } throws: { ($0 as? FreeholdError)?.code == .invalidArgument }
        #expect(try sidecar(machine)?.sealed == 0)
        for epoch in [2, 3] as [UInt64] {
            #expect(try database.write { try $0.sync.seal() } == epoch)
            try database.noteSealed(epoch)
            #expect(try sidecar(machine)?.sealed == epoch)
        }
        try database.noteSealed(1)
        #expect(try sidecar(machine)?.sealed == 3)
    }
}

extension SimulatedSystem {
    fileprivate func hasName(_ path: String, _ process: SimulatedProcess) -> Bool { ((try? process.status(of: path)) ?? nil) != nil }
}
