import Platform
import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Kills and power cuts at every write while an answer is applied that concerns every kind of property, and that follows pending changes
/// of every kind.
@Suite("Crashes while an answer is applied")
struct ApplyCrashTests {
    private static func prepare(_ number: Int, _ transaction: WriteTransaction) throws {
        for schema in [
            ClassSchema("Inner", isEmbedded: true, [PropertySchema("n", .int)]),
            ClassSchema("Thing", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("name", .string, isNullable: true, isUnique: true),
                PropertySchema("note", .string), PropertySchema("count", .int), PropertySchema("next", linkTo: "Thing"),
                PropertySchema("inner", linkTo: "Inner"), PropertySchema("list", .string, collections: [.list]),
                PropertySchema("things", linkTo: "Thing", collections: [.list]), PropertySchema("set", .int, collections: [.set]),
                PropertySchema("map", .string, collections: [.map]), PropertySchema("inners", linkTo: "Inner", collections: [.list]),
            ]),
            ClassSchema("Kept", primaryKey: "id", [PropertySchema("id", .string), PropertySchema("n", .int)]),
        ] { try transaction.createClass(schema) }
        try transaction.sync.mark("Thing", SyncRules(counters: ["count"], merged: ["note"]))
        try transaction.sync.mark("Kept", SyncRules(onConflict: .updateWins))
    }

    private static func fill(_ transaction: WriteTransaction) throws {
        for id in 0..<8 as Range<Int64> { try transaction.insert(into: "Thing", [("id", .int(id)), ("count", .int(1))]) }
        for id in 0..<6 as Range<Int64> { try change(id, transaction, turn: Int(id)) }
        for id in ["a", "b", "c"] { try transaction.insert(into: "Kept", [("id", .string(id))]) }
    }

    /// Changes every property of a thing.
    private static func change(_ id: Int64, _ transaction: WriteTransaction, turn: Int) throws {
        let table = try transaction.table("Thing"), key = ObjectKey(id), text = String(repeating: "\(turn) ", count: 40)
        func column(_ name: String) throws -> Column { try table.column(name) }
        try transaction.set(key, in: table, column("name"), to: .string("name \(turn)"))
        try transaction.set(key, in: table, column("note"), to: .string(text))
        try transaction.sync.increment(key, in: table, column("count"), by: Int64(turn) + 1)
        let other = ObjectKey((id + 1) % 6)
        if try table.contains(other) {
            try transaction.set(key, in: table, column("next"), to: .link(other))
            try transaction.list(of: key, in: table, column("things")).append(.link(other))
        }
        try transaction.embed([("n", .int(Int64(turn)))], in: key, of: table, column("inner"))
        let list = try transaction.list(of: key, in: table, column("list"))
        if try list.view().count > 2 {
            try list.move(from: 0, to: 2)
            try list.remove(at: 1)
        }
        for place in 0..<3 { try list.insert(.string("\(text) \(place)"), at: 0) }
        let set = try transaction.set(of: key, in: table, column("set")), map = try transaction.map(of: key, in: table, column("map"))
        if try set.view().count > 0 { try set.remove(.int(Int64(turn % 3))) }
        for member in 0..<3 { try set.insert(.int(Int64(turn + member))) }
        try map.set(.string(text), for: "k\(turn % 3)")
        try map.remove("k\((turn + 1) % 3)")
        try transaction.list(of: key, in: table, column("inners")).embed([("n", .int(Int64(turn)))], at: 0)
    }

    /// A server with what another one has.
    private func copy(of server: SyncServer, history: UInt64) -> SyncServer {
        SyncServer(schema: server.schema, store: (server.store as! MemoryStore).backup(), history: history)
    }

    private static let user = SyncUser(rawValue: 1), time = Exchange.now + 100_000

    private func replica(_ database: Database) -> SyncReplica {
        SyncReplica(database) { one in .string("\(one.mine)+\(one.theirs)") }
    }

    /// Exchanges with a server until nothing is pending.
    private func settle(_ database: Database, _ server: SyncServer) throws -> PlainFile {
        let replica = self.replica(database)
        for _ in 0..<4 {
            if let sealed = try replica.seal() {
                _ = try server.commit(try replica.batch(sealed), by: Self.user, in: try server.begin(), now: Self.time)
            }
            let answer = try server.answer(try replica.pull(sent: UInt64(Self.time)), for: Self.user, now: Self.time)
            _ = try replica.apply(answer, monotonic: answer.sent)
        }
        let counts = try database.snapshot().pendingCounts()
        #expect(counts == PendingCounts())
        return try PlainFile(database)
    }

    /// What a file has that comes to a server.
    private func newcomer(_ server: SyncServer) throws -> PlainFile {
        let file = try SyncedFile("new", seed: 5)
        try file.write { try Self.prepare(0, $0) }
        return try settle(file.database, server)
    }

    @Test("wherever a kill or a power cut comes, the file has all of the answer or nothing, and what is pending is sent on",
          arguments: [1, 2] as [UInt64])
    func everyWrite(history: UInt64) throws {
        let exchange = try Exchange(prepare: Self.prepare), ann = exchange.ann
        try exchange.write(ann) { try Self.fill($0) }
        try exchange.settle()
        try exchange.write(exchange.ben) { transaction in
            let things = try transaction.table("Thing"), kept = try transaction.table("Kept")
            for id in [0, 1, 2, 6] as [Int64] { try Self.change(id, transaction, turn: Int(id) + 20) }
            for id in [3, 4] as [Int64] { try transaction.delete(ObjectKey(id), from: things) }
            try transaction.insert(into: "Thing", [("id", .int(9)), ("name", .string("new")), ("count", .int(3))])
            for key in try kept.keys().prefix(2) { try transaction.delete(key, from: kept) }
        }
        try exchange.push(exchange.ben)
        try exchange.write(ann) { transaction in
            let things = try transaction.table("Thing"), kept = try transaction.table("Kept")
            for id in [1, 3, 5] as [Int64] { try Self.change(id, transaction, turn: Int(id) + 40) }
            try transaction.delete(ObjectKey(7), from: things)
            try transaction.insert(into: "Thing", [("id", .int(8)), ("name", .string("new")), ("count", .int(4))])
            try transaction.set(kept.keys()[0], in: kept, kept.column("n"), to: .int(7))
        }
        // The other history is that of a server that was restored: a reset.
        let server = copy(of: exchange.server, history: history), replica = self.replica(ann.database)
        let answer = try server.answer(try replica.pull(sent: UInt64(Self.time)), for: Self.user, now: Self.time)
        #expect(answer.isReset == (history == 2) && answer.rows.count > 4)
        let before = try PlainFile(ann.database).objects, countsBefore = try ann.database.snapshot().pendingCounts()
        let start = ann.machine.operationCount, replicaBefore = try ann.database.snapshot().syncState()?.replica
        let report = try #require(try replica.apply(answer, monotonic: answer.sent))
        try ann.database.flush()
        let end = ann.machine.operationCount, after = try PlainFile(ann.database).objects
        let countsAfter = try ann.database.snapshot().pendingCounts()
        #expect(before != after && !report.losses.isEmpty && countsAfter.created > 0 && countsAfter.changes > 5 && countsAfter.sums > 0)
        let final = try settle(ann.database, copy(of: server, history: history))
        var found: [Bool: Int] = [:]
        for crash in ann.machine.crashCases(from: start, seed: history) where crash.place <= end {
            for boot in [Boot.next, .same] where boot == .next || crash.surviving == .none {
                let image = boot == .next ? ann.machine.image(crash) : ann.machine.image(at: crash.place, boot: .same)
                defer { image.discard() }
                let database = try Database.open("/ann.freehold", .simulated(seed: 10), on: image.makeProcess())
                defer { database.close() }
                let objects = try PlainFile(database).objects, counts = try database.snapshot().pendingCounts()
                #expect(objects == before && counts == countsBefore || objects == after && counts == countsAfter, "\(crash) \(boot)")
                found[objects == after, default: 0] += 1
                let isDue = try self.replica(database).apply(answer, monotonic: answer.sent) != nil
                if boot == .same { #expect(isDue == (objects == before), "\(crash) \(boot)") }
                if isDue { #expect(try PlainFile(database).objects == after, "\(crash) \(boot)") }
                // For a reset that comes to another identity, what the file wrote under the old one is of others: removals and deletions
                // do not know it. Then all files are the same.
                let isOther = try database.snapshot().syncState()?.replica != replicaBefore && history == 2
                let own = copy(of: server, history: history), settled = try settle(database, own)
                let differences = try settled.differences(from: isOther ? newcomer(own) : final, "the other")
                #expect(differences.isEmpty, "\(crash) \(boot) \(differences)")
                #expect(try database.check().isClean, "\(crash) \(boot)")
            }
        }
        #expect((found[true] ?? 0) > 3 && (found[false] ?? 0) > 10, "\(found)")
    }
}
