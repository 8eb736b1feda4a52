import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Rules that hardly ever decide: equal stamps, cursors of two histories that are equal, an element moved here and deleted elsewhere.
extension ReplicaTests {
    private func makeRows(_ number: Int, _ transaction: WriteTransaction) throws {
        try transaction.createClass(ClassSchema("Row", primaryKey: "id", [
            PropertySchema("id", .int), PropertySchema("n", .int), PropertySchema("list", .int, collections: [.list]),
        ]))
        try transaction.sync.mark("Row", SyncRules())
    }

    /// Files that all know a row with a list of four.
    private func makeRowExchange() throws -> Exchange {
        let exchange = try Exchange(prepare: makeRows)
        try exchange.write(exchange.ann) { transaction in
            let table = try transaction.table("Row"), row = try transaction.insert(into: "Row", [("id", .int(1))])
            try transaction.list(of: row, in: table, table.column("list")).assign((0..<4).map { .int($0) })
        }
        try exchange.settle()
        return exchange
    }

    private func write(_ value: Int64, _ file: SyncedFile) throws {
        try file.write { transaction in
            let table = try transaction.table("Row")
            try transaction.set(table.keys()[0], in: table, table.column("n"), to: .int(value))
        }
    }

    private func list(_ transaction: WriteTransaction) throws -> ListWriter {
        let table = try transaction.table("Row")
        return try transaction.list(of: table.keys()[0], in: table, table.column("list"))
    }

    @Test("of two writes with the same stamp that of the larger replica identity wins, on the device as at the server",
          arguments: [0, 1])
    func equalStamps(first: Int) throws {
        let exchange = try makeRowExchange(), sender = exchange.files[first], other = exchange.files[1 - first]
        exchange.wait()
        try write(10 + Int64(first), sender)
        try write(10 + Int64(1 - first), other)
        let mine = try #require(try other.push()), theirs = try #require(try sender.push())
        #expect(mine.changes[0].registers[0].entry.stamp == theirs.changes[0].registers[0].entry.stamp, "else it tests nothing")
        #expect(try exchange.server.commit(theirs, by: SyncUser(rawValue: 1), in: exchange.server.begin(), now: Exchange.now) != nil)
        try exchange.pull(other)
        let winner = theirs.replicas[0] > mine.replicas[0] ? first : 1 - first
        #expect(try PlainFile(other.database).objects["Row int(1)"]?["n"] == "int(\(10 + winner))")
        #expect(other.losses.map(\.reason) == (winner == first ? [.beaten] : []))
        let differences = try exchange.differences()
        #expect(differences.isEmpty, "\(differences)")
        #expect(try PlainFile(sender.database).objects["Row int(1)"]?["n"] == "int(\(10 + winner))")
    }

    @Test("an answer of another history is not due, though it was asked with the cursor that the file has")
    func equalCursors() throws {
        let exchange = try makeRowExchange(), file = exchange.ben, replica = SyncReplica(file.database)
        let late = try exchange.answer(file)
        let restored = SyncServer(schema: exchange.server.schema, store: exchange.server.store, history: exchange.server.history + 1)
        let reset = try restored.answer(replica.pull(sent: 1), for: SyncUser(rawValue: 1), now: Exchange.now)
        #expect(reset.isReset)
        try file.apply(reset)
        let asked = try replica.pull(sent: 1)
        #expect(asked.cursor == late.askedCursor && asked.history != late.askedHistory, "else it tests nothing")
        #expect(try replica.apply(late, monotonic: late.sent) == nil)
        #expect(try replica.pull(sent: 1).history == restored.history)
    }

    @Test("an element that was moved here and deleted elsewhere is gone with the answer that says so")
    func movedAndDeleted() throws {
        let exchange = try makeRowExchange()
        try exchange.write(exchange.ben) { try list($0).move(from: 1, to: 3) }
        try exchange.write(exchange.ann) { try list($0).remove(at: 1) }
        try exchange.push(exchange.ann)
        try exchange.pull(exchange.ben)
        let still = try PlainFile(exchange.ben.database).differences(from: PlainFile(exchange.ann.database), "ann")
        #expect(still.isEmpty, "\(still)")
        #expect(try exchange.ben.isSettled())
        let differences = try exchange.differences()
        #expect(differences.isEmpty, "\(differences)")
    }
}
