import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// A parked version costs no more than others allow, and its owner never reads anything else in its place.
@Suite struct ParkedPinTests {
    private static let path = "/parked.freehold"

    /// Two processes; the second one's commits take away parked versions that are more than three commits old.
    private final class Scene {
        let machine = SimulatedSystem(seed: 1)
        let observer: Database
        let writer: Database

        static let notes: Int64 = 1000

        init(versions: UInt64? = 3, bytes: UInt64? = nil) throws {
            observer = try Database.open(ParkedPinTests.path, .simulated, on: machine.makeProcess())
            var options = OpenOptions.simulated
            options.parkedVersionsLimit = versions
            options.parkedBytesLimit = bytes
            writer = try Database.open(ParkedPinTests.path, options, on: machine.makeProcess())
            try writer.write { transaction in
                try transaction.createClass(ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("text", .string)]))
                let notes = try transaction.table("Note")
                for id in 0..<Self.notes { try transaction.insert(into: notes, values: [.int(id), .string("first \(id)")]) }
            }
        }

        func change(_ times: Int) throws {
            for time in 0..<times {
                try writer.write { transaction in
                    let notes = try transaction.table("Note"), text = try notes.column("text")
                    for id in stride(from: Int64(0), to: Self.notes, by: 3) {
                        try transaction.set(ObjectKey(id), in: notes, text, to: .string("change \(time) \(id)"))
                    }
                }
            }
        }
    }

    @Test("past the limit it is taken away, its owner is told, and a refresh goes on with the newest")
    func revoked() throws {
        let scene = try Scene()
        let snapshot = try scene.observer.snapshot(), before = snapshot.version
        _ = try snapshot.table("Note")
        try snapshot.park()
        #expect(snapshot.isParked)
        try scene.change(12)
        #expect(try !scene.writer.information().holders.contains { $0.version == before })
        let error = #expect(throws: FreeholdError.self) { try snapshot.table("Note") }
        #expect(error?.code == .revoked)
        #expect(!snapshot.isParked && !snapshot.isHeld)
        let closed = #expect(throws: FreeholdError.self) { try snapshot.table("Note") }
        #expect(closed?.code == .closed)
        #expect(try snapshot.refresh())
        let notes = try snapshot.table("Note")
        #expect(try notes.value(ObjectKey(0), notes.column("text")) == .string("change 11 0"))
        #expect(try scene.writer.check().isClean)
    }

    @Test("within the limit it stays whole, and the owner goes on where it was")
    func resumed() throws {
        let scene = try Scene(versions: 50)
        let snapshot = try scene.observer.snapshot(), version = snapshot.version
        let digest = try StateDigest.of(snapshot)
        try snapshot.park()
        try scene.change(12)
        try snapshot.resume()
        #expect(!snapshot.isParked && snapshot.version == version)
        #expect(try StateDigest.of(snapshot) == digest)
        // In use again, it is held whatever it costs.
        try scene.change(60)
        #expect(try StateDigest.of(snapshot) == digest)
        try snapshot.park()
        try scene.change(2)
        let error = #expect(throws: FreeholdError.self) { try snapshot.resume() }
        #expect(error?.code == .revoked)
        try snapshot.begin()
        #expect(snapshot.version > version)
    }

    @Test("a limit in bytes counts the pages that are kept for the version")
    func bytes() throws {
        for (limit, isRevoked) in [(UInt64(4 << 10), true), (100 << 20, false)] {
            let scene = try Scene(versions: nil, bytes: limit)
            let snapshot = try scene.observer.snapshot(), digest = try StateDigest.of(snapshot)
            try snapshot.park()
            try snapshot.resume()
            try snapshot.park()
            try scene.change(40)
            if isRevoked {
                let error = #expect(throws: FreeholdError.self) { try snapshot.resume() }
                #expect(error?.code == .revoked)
            } else {
                #expect(try StateDigest.of(snapshot) == digest)
            }
        }
    }

    @Test("another reader of the same version keeps it")
    func shared() throws {
        let scene = try Scene()
        let parked = try scene.observer.snapshot(), active = try scene.observer.snapshot()
        #expect(parked.version == active.version)
        let digest = try StateDigest.of(active)
        try parked.park()
        try scene.change(12)
        #expect(throws: FreeholdError.self) { try parked.resume() }
        #expect(try StateDigest.of(active) == digest)
    }

    @Test("information tells parked versions from active ones, and what they keep")
    func information() throws {
        let scene = try Scene(versions: nil)
        let parked = try scene.observer.snapshot()
        try parked.park()
        try scene.change(5)
        let active = try scene.observer.snapshot()
        let holders = try scene.writer.information().holders
        let old = try #require(holders.first { $0.version == parked.version })
        #expect(old.isParked && old.keptBytes > 0)
        #expect(holders.contains { $0.version == active.version && !$0.isParked })
        parked.end()
        #expect(try !scene.writer.information().holders.contains { $0.isParked })
    }

    @Test("ending or dropping a parked snapshot gives everything back, revoked or not")
    func ending() throws {
        let scene = try Scene()
        for times in [1, 12] {
            do {
                let dropped = try scene.observer.snapshot()
                try dropped.park()
                let ended = try scene.observer.snapshot()
                try ended.park()
                try scene.change(times)
                ended.end()
                let error = #expect(throws: FreeholdError.self) { try ended.park() }
                #expect(error?.code == .closed)
            }
            let next = try scene.observer.snapshot()
            #expect(try next.table("Note").count == Int(Scene.notes))
        }
        let information = try scene.writer.information()
        #expect(information.holders.allSatisfy { !$0.isParked && $0.version == information.version })
    }
}
