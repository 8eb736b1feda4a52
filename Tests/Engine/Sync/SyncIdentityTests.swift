import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Identities of embedded objects, replicas by their numbers, and identities that a transaction gives to what it applies.
@Suite struct SyncIdentityTests {
    private static func reader(_ database: Database, _ name: String) throws -> IdentityReader {
        let snapshot = try database.snapshot(), stored = try #require(snapshot.schema().find(name))
        let trees = PendingTrees(try snapshot.state(Int(stored.number), as: stored).root)
        return IdentityReader(trees: trees, access: snapshot.core.access)
    }

    private static func embed(_ database: Database, _ key: Int64, _ street: String = "x") throws -> Int64 {
        try database.write { transaction in
            let table = try transaction.table("Task")
            return try transaction.embed([("street", .string(street))], in: ObjectKey(key), of: table, table.column("place")).rawValue
        }
    }

    @Test("an embedded object has an identity as long as it exists; those of one commit are a run")
    func embedded() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            let key = try Self.embed(database, 0)
            #expect(try Self.reader(database, "Place").identity(of: key) == SyncIdentity(replica: 1, count: 1))
            let other = try Self.embed(database, 0)
            #expect(try Self.reader(database, "Place").identity(of: other) == SyncIdentity(replica: 1, count: 2))
            if other != key { #expect(try Self.reader(database, "Place").identity(of: key) == nil) }
            var keys: [Int64] = []
            try database.write { transaction in
                let table = try transaction.table("Task"), column = try table.column("place")
                for id in 0..<2000 {
                    let task = try transaction.insert(into: "Task", [("id", .string("n\(id)")), ("title", .string(""))])
                    keys.append(try transaction.embed([("street", .string("s"))], in: task, of: table, column).rawValue)
                }
            }
            var runs: [EmbeddedRun] = []
            try Self.reader(database, "Place").forEachEmbedded { runs.append($0) }
            #expect(runs.last == EmbeddedRun(keys: keys[0]...keys[1999], first: SyncIdentity(replica: 1, count: 3)) && runs.count == 2)
            let doomed = [0, 700, 701, 1500, 1999]
            try database.write { transaction in
                let table = try transaction.table("Task"), column = try table.column("place")
                for index in doomed { try transaction.set(ObjectKey(3 + Int64(index)), in: table, column, to: .null) }
            }
            let reader = try Self.reader(database, "Place")
            for (index, key) in keys.enumerated() {
                let expected = doomed.contains(index) ? nil : SyncIdentity(replica: 1, count: 3 + UInt64(index))
                #expect(try reader.identity(of: key) == expected)
            }
            #expect(try database.check().isClean)
            try database.write { try $0.sync.unmark("Task") }
            #expect(try Self.reader(database, "Place").trees.isEmpty && Self.reader(database, "Task").trees.isEmpty)
            try database.write { try $0.sync.mark("Task", SyncRules(counters: ["stock"])) }
            #expect(try Self.reader(database, "Place").identity(of: other) != nil && database.check().isClean)
        }
    }

    @Test("replicas have numbers in the order in which they came, also many thousand of them")
    func replicas() throws {
        let count = 5000
        try SyncCaptureTests.withFile { database, _, _ in
            let own = try SyncCaptureTests.body(database).replica
            let others = (0..<count).map { ReplicaIdentity(high: UInt64($0) | 1 << 60, low: UInt64($0) * 0x9E37_79B9) }
            let transaction = try database.beginWrite(), writer = try transaction.writer(0)
            transaction.capturesSync = false
            try writer.open(keepingRows: true)
            let trees = PendingTrees(writer.state.root), change = IdentityChange(trees, table: 0, CaptureTools(), in: writer.pending)
            for (index, other) in others.enumerated() {
                #expect(try change.number(of: other) == index + 1)
                #expect(try change.number(of: other) == index + 1)
            }
            try change.write()
            change.trees.store(in: &writer.state.root)
            try transaction.commit()
            let reader = try Self.reader(database, "Task")
            for (index, other) in others.enumerated() { #expect(try reader.number(of: other) == index + 1) }
            let all = try reader.replicas()
            #expect(all.count == count && others.indices.allSatisfy { all[$0 + 1] == others[$0] })
            #expect(try reader.number(of: own) == nil && reader.lastNumber() == count)
            try SyncListTests.set(database, [1])
            #expect(try Self.reader(database, "Task").number(of: own) == count + 1 && database.check().isClean)
            #expect(try Self.reader(database, "Task").runs(of: 0, 6) == [IdentityRun(SyncIdentity(replica: count + 1, count: 1), count: 1)])
        }
    }

    /// Applies values to task 0 and 1, with identities of two other replicas.
    private static func apply(_ database: Database, _ applied: AppliedIdentities, _ body: (WriteTransaction) throws -> Void) throws {
        let transaction = try database.beginWrite()
        transaction.capturesSync = false
        transaction.appliedIdentities = applied
        do {
            try body(transaction)
            try transaction.commit(.processCrash)
        } catch {
            transaction.rollback()
            throw error
        }
    }

    @Test("a transaction that applies an answer gives the identities, and notes no change")
    func applied() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            try SyncListTests.set(database, [1, 2, 3])
            let place = try Self.embed(database, 1), pending = try SyncCaptureTests.pending(database)
            let replicas = [ReplicaIdentity(high: 5, low: 1), ReplicaIdentity(high: 5, low: 2)]
            func identity(_ replica: Int, _ count: UInt64) -> SyncIdentity { SyncIdentity(replica: replica, count: count) }
            var applied = AppliedIdentities(replicas: replicas)
            applied.lists[.init(table: 0, object: 0, property: 6)] = [
                IdentityRun(identity(0, 7), count: 2), IdentityRun(first: identity(1, 3), position: identity(0, 9), count: 1),
                IdentityRun(identity(1, 4), count: 1),
            ]
            // A list whose values stay, an embedded object that stays, and one that is new.
            try SyncListTests.set(database, [5, 6], of: 1)
            applied.lists[.init(table: 0, object: 1, property: 6)] = [IdentityRun(identity(1, 20), count: 2)]
            applied.embedded[.init(table: 2, object: place)] = identity(0, 11)
            let made = try {
                let transaction = try database.beginWrite(), table = try transaction.table("Task")
                defer { transaction.rollback() }
                return try transaction.embed([("street", .string("y"))], in: ObjectKey(2), of: table, table.column("place")).rawValue
            }()
            applied.embedded[.init(table: 2, object: made)] = identity(1, 12)
            let before = try SyncCaptureTests.pending(database), body = try SyncCaptureTests.body(database)
            try Self.apply(database, applied) { transaction in
                let table = try transaction.table("Task")
                try transaction.set(ObjectKey(0), in: table, table.column("list"), to: .list([.int(3), .int(8), .int(9), .int(1)]))
                try transaction.set(ObjectKey(0), in: table, table.column("title"), to: .string("applied"))
                let key = try transaction.embed([("street", .string("y"))], in: ObjectKey(2), of: table, table.column("place"))
                #expect(key.rawValue == made)
            }
            #expect(try Self.reader(database, "Place").identity(of: made)?.count == 12)
            #expect(try Self.reader(database, "Place").identity(of: place)?.count == 11)
            let reader = try Self.reader(database, "Task"), numbers = try replicas.map { try #require(try reader.number(of: $0)) }
            func known(_ replica: Int, _ count: UInt64) -> SyncIdentity { identity(numbers[replica], count) }
            #expect(try reader.runs(of: 0, 6) == [
                IdentityRun(known(0, 7), count: 2), IdentityRun(first: known(1, 3), position: known(0, 9), count: 1),
                IdentityRun(known(1, 4), count: 1),
            ])
            #expect(try reader.runs(of: 1, 6) == [IdentityRun(known(1, 20), count: 2)])
            let after = try SyncCaptureTests.body(database)
            #expect(after.clock == body.clock && after.identities == body.identities && before != pending)
            // What is pending is left to the one that applies: here it still names elements that are gone.
            try History.settleSync(on: database, durability: .processCrash)
            #expect(try database.check().isClean)
            // Programs go on from there.
            try SyncListTests.set(database, [3, 8, 10, 1, 11])
            #expect(try SyncCaptureTests.pending(database) == ["0 list +\(after.identities + 1) 3.4|-", "0 list ~3.3"])
        }
    }

    @Test("what an applied transaction changes without identities keeps them where it can; wrong ones are refused")
    func appliedWithout() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            try SyncListTests.set(database, [1, 2, 3])
            try SyncCaptureTests.set(database, 0, "others", .list([.link(ObjectKey(0)), .link(ObjectKey(1))]))
            try SyncListTests.set(database, [7], of: 2)
            let place = try Self.embed(database, 2)
            try History.settleSync(on: database, durability: .processCrash)
            // Objects that go take identities along, links of lists and embedded objects too.
            try Self.apply(database, AppliedIdentities()) { transaction in
                try transaction.delete(ObjectKey(0), from: transaction.table("Project"))
                try transaction.delete(ObjectKey(2), from: transaction.table("Task"))
                let table = try transaction.table("Task")
                try transaction.set(ObjectKey(0), in: table, table.column("list"), to: .list([.int(1), .int(3)]))
            }
            #expect(try SyncCaptureTests.pending(database).isEmpty && Self.reader(database, "Place").identity(of: place) == nil)
            #expect(try SyncListTests.identities(database, 0, "list") == "1 3" && SyncListTests.identities(database, 0, "others") == "5")
            func expectRefused(_ applied: AppliedIdentities, _ body: (WriteTransaction) throws -> Void = { _ in }) {
                #expect {
                    try Self.apply(database, applied) { transaction in
                        let table = try transaction.table("Task")
                        try transaction.set(ObjectKey(1), in: table, table.column("title"), to: .string("refused"))
                        try body(transaction)
                    }
                } throws: { ($0 as? FreeholdError)?.code == .invalidArgument }
            }
            let one = IdentityRun(SyncIdentity(replica: 0, count: 1), count: 1), replicas = [ReplicaIdentity(high: 5, low: 1)]
            func list(_ property: UInt32, _ runs: [IdentityRun]) -> AppliedIdentities {
                AppliedIdentities(replicas: replicas, lists: [.init(table: 0, object: 0, property: property): runs])
            }
            expectRefused(list(6, [one]))
            expectRefused(list(1, [one]))
            expectRefused(list(6, [IdentityRun(SyncIdentity(replica: 1, count: 1), count: 2)]))
            expectRefused(AppliedIdentities(replicas: replicas, embedded: [.init(table: 0, object: 0): one.first]))
            expectRefused(list(6, [one])) { transaction in
                let table = try transaction.table("Task")
                try transaction.set(ObjectKey(0), in: table, table.column("list"), to: .list([.int(4), .int(5), .int(6)]))
            }
            #expect(try database.check().isClean)
        }
    }
}
