import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Costs of long collections, counted in blocks and not in time.
@Suite struct CollectionCostTests {
    /// Counts the blocks that are read through an access of its own, each once.
    final class BlockCounter {
        private(set) var access: BlockAccess
        private let fresh: BlockWindow
        private let verifier: BlockVerifier
        private let seen: Seen

        private final class Seen: @unchecked Sendable {
            // Safe: used by one thread.
            var blocks = 0
        }

        init(_ database: Database) throws {
            let core = try database.core()
            fresh = try #require(BlockWindow(beside: core.access, length: UInt64(core.session.file.mappedLength), limit: 0, trusting: false))
            let seen = Seen(), inner = fresh.access.verifier.takeUnretainedValue()
            self.seen = seen
            verifier = BlockVerifier(path: inner.path, measure: { inner.fileLength }, validate: { _ in
                seen.blocks += 1
                return nil
            })
            access = BlockAccess(base: fresh.access.base, touched: fresh.access.touched, pageLimit: fresh.access.pageLimit,
                                 verifier: .passUnretained(verifier), pending: nil)
        }

        var blocks: Int { seen.blocks }
    }

    static let count = 1_000_000

    private func withList(_ body: (Database, ObjectKey) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 4)
        defer { machine.discard() }
        let database = try Database.open("/cost.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Box", [PropertySchema("items", .int, collections: [.list])]))
            let key = try transaction.insert(into: "Box", []), table = try transaction.table("Box")
            try transaction.list(of: key, in: table, table.column("items")).append(contentsOf: (0..<Self.count).lazy.map { .int(Int64($0)) })
        }
        try body(database, ObjectKey(0))
    }

    @Test("ten changes in a list of a million elements are found by reading no blocks but those on the way to them")
    func tenChanges() throws {
        try withList { database, key in
            let before = try database.snapshot()
            var model = Array(0..<Self.count), random = SeededRandom(seed: 9)
            for round in 0..<10 {
                try database.write(durability: .processCrash) { transaction in
                    let table = try transaction.table("Box"), list = try transaction.list(of: key, in: table, table.column("items"))
                    let position = Int.random(in: 0..<model.count, using: &random)
                    switch round % 3 {
                    case 0:
                        try list.insert(.int(Int64(-round)), at: position)
                        model.insert(-round, at: position)
                    case 1:
                        try list.remove(at: position)
                        model.remove(at: position)
                    default:
                        try list.replace(at: position, with: .int(Int64(-round)))
                        model[position] = -round
                    }
                }
            }
            let after = try database.snapshot(), counter = try BlockCounter(database)
            func reader(_ snapshot: Snapshot) throws -> CollectionReader {
                let table = try snapshot.table("Box"), row = try #require(try table.row(key))
                let cell = try table.state.cell(row.place, table.column("items").index)
                return try CollectionReader(cell, CollectionShape([.list], .int, isNullable: false), counter.access)
            }
            let old = try reader(before), new = try reader(after)
            #expect(try !CollectionComparison.areEqual(old, new))
            let changes = try ListView(reader: new).changes(since: ListView(reader: old))
            // The two versions' roots, and of each change a leaf and the nodes above it in both: three levels here.
            #expect(counter.blocks <= 10 * 2 * 3 + 2 * 2, "\(counter.blocks) blocks")
            let values = (0..<Self.count).map { Value.int(Int64($0)) }
            #expect(ChangeOracle.complaints(changes, from: values, to: model.map { .int(Int64($0)) }).isEmpty)
            #expect(changes.insertions.count + changes.deletions.count + changes.modifications.count == 10)
        }
    }
}
