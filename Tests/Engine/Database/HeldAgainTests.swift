import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// One version, held by several snapshots or read by several threads.
@Suite struct HeldAgainTests {
    private let machine = SimulatedSystem(seed: 1)
    private let database: Database

    init() throws {
        database = try Database.open("/again.freehold", .simulated, on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int)]))
            try transaction.insert(into: transaction.table("Note"), values: [.int(1)])
        }
    }

    private func insert(_ id: Int64) throws {
        try database.write { try $0.insert(into: $0.table("Note"), values: [.int(id)]) }
    }

    private func heldVersions() throws -> Set<Version> { Set(try database.information().holders.map(\.version)) }

    @Test("another snapshot of a version goes on holding it when the first moves on")
    func another() throws {
        let snapshot = try database.snapshot(), version = snapshot.version
        try insert(2)
        let other = try snapshot.another()
        #expect(other.version == version)
        #expect(try snapshot.refresh())
        try insert(3)
        #expect(try heldVersions().contains(version) && other.table("Note").count == 1 && snapshot.table("Note").count == 2)
        other.end()
        #expect(try !heldVersions().contains(version))
        snapshot.end()
        #expect(throws: FreeholdError.self) { try snapshot.another() }
    }

    @Test("a reader reads under the pin of its snapshot, keeps it, and cannot move")
    func reader() throws {
        var snapshot: Snapshot? = try database.snapshot()
        let version = try #require(snapshot?.version), readers = [try snapshot!.reader(), try snapshot!.reader()]
        let ofReader = try readers[0].reader()
        snapshot = nil
        try insert(2)
        for reader in readers + [ofReader] {
            #expect(try reader.table("Note").count == 1 && reader.version == version)
            #expect(throws: FreeholdError.self) { try reader.refresh() }
            #expect(throws: FreeholdError.self) { try reader.park() }
            #expect(try reader.table("Note").count == 1)
        }
        #expect(try heldVersions().contains(version))
        readers[1].end()
        #expect(throws: FreeholdError.self) { try readers[1].table("Note") }
        #expect(throws: FreeholdError.self) { try readers[1].begin() }
        #expect(try readers[0].table("Note").count == 1)
    }

    @Test("a version is let go with the last of its readers")
    func readersGo() throws {
        var reader: Snapshot? = try database.snapshot().reader()
        let version = try #require(reader?.version)
        try insert(2)
        #expect(try heldVersions().contains(version))
        reader = nil
        #expect(try !heldVersions().contains(version))
    }

    @Test("a transaction gives the version it began with")
    func before() throws {
        let transaction = try database.beginWrite()
        try transaction.insert(into: transaction.table("Note"), values: [.int(2)])
        let before = try transaction.snapshotBefore()
        #expect(try before.table("Note").count == 1 && transaction.table("Note").count == 2)
        try transaction.commit()
        #expect(try before.table("Note").count == 1)
        #expect(throws: FreeholdError.self) { try transaction.snapshotBefore() }
    }
}
