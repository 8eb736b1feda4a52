import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// What becomes of pending changes does not depend on the order of an answer's rows, nor on that of classes.
extension ReplicaTests {
    fileprivate func makeItems(_ number: Int, _ transaction: WriteTransaction) throws {
        try transaction.createClass(ClassSchema("Inner", isEmbedded: true, [PropertySchema("n", .int)]))
        try transaction.createClass(ClassSchema("Item", primaryKey: "id", [
            PropertySchema("id", .int), PropertySchema("name", .string, isNullable: true, isUnique: true),
            PropertySchema("note", .string, isNullable: true, isUnique: true), PropertySchema("n", .int), PropertySchema("count", .int),
            PropertySchema("inner", linkTo: "Inner"), PropertySchema("list", linkTo: "Inner", collections: [.list]),
        ]))
        try transaction.sync.mark("Item", SyncRules(onConflict: .updateWins, counters: ["count"], merged: ["note"]))
    }

    fileprivate func set(_ item: Int64, _ property: String, _ value: Value, _ transaction: WriteTransaction) throws {
        let table = try transaction.table("Item")
        try transaction.set(ObjectKey(item), in: table, table.column(property), to: value)
    }

    /// Two files with three items each, which both know.
    fileprivate func makeExchange() throws -> Exchange {
        let exchange = try Exchange(prepare: makeItems)
        try exchange.write(exchange.ann) { transaction in
            let table = try transaction.table("Item")
            for item in 1...3 as ClosedRange<Int64> {
                try transaction.insert(into: "Item", [("id", .int(item))])
                try transaction.embed([("n", .int(item))], in: ObjectKey(item), of: table, table.column("inner"))
                try transaction.list(of: ObjectKey(item), in: table, table.column("list")).embed([("n", .int(item))])
            }
        }
        try exchange.settle()
        return exchange
    }

    /// What file `ben` makes of an answer with the rows in this and in the other order.
    private func bothOrders(ben: (WriteTransaction) throws -> Void, ann: (WriteTransaction) throws -> Void,
                            _ check: (PlainFile, SyncReport, [String], _ isReversed: Bool) -> Void) throws {
        for isReversed in [false, true] {
            let exchange = try makeExchange()
            try exchange.write(exchange.ben, ben)
            try exchange.write(exchange.ann, ann)
            try exchange.push(exchange.ann)
            var answer = try exchange.answer(exchange.ben), merged: [String] = []
            answer.rows.sort { isReversed == ($0.object < $1.object) }
            let replica = SyncReplica(exchange.ben.database) { one in
                merged.append("\(one.property) \(one.mine) \(one.theirs)")
                return .string("merged")
            }
            let report = try #require(try replica.apply(answer, monotonic: answer.sent))
            check(try PlainFile(exchange.ben.database), report, merged, isReversed)
            let differences = try exchange.differences()
            #expect(differences.isEmpty, "\(differences)")
        }
    }

    @Test("a pending unique value that the object's own row beats is beaten, whichever row comes first")
    func uniqueValueBeaten() throws {
        try bothOrders { try set(2, "name", .string("a"), $0) } ann: { transaction in
            try set(1, "name", .string("a"), transaction)
            try set(2, "name", .string("b"), transaction)
        } _: { file, report, _, isReversed in
            #expect(file.objects["Item int(1)"]?["name"] == "'a'" && file.objects["Item int(2)"]?["name"] == "'b'", "\(isReversed)")
            #expect(report.losses.map(\.reason) == [.beaten], "\(isReversed)")
        }
    }

    @Test("a pending unique value that another object has at the server becomes null, whichever row comes first")
    func uniqueValueTaken() throws {
        try bothOrders { try set(2, "name", .string("a"), $0) } ann: { transaction in
            try set(1, "name", .string("a"), transaction)
            try set(2, "n", .int(7), transaction)
        } _: { file, report, _, isReversed in
            #expect(file.objects["Item int(1)"]?["name"] == "'a'" && file.objects["Item int(2)"]?["name"] == "null", "\(isReversed)")
            #expect(report.losses.map(\.reason) == [.notUnique], "\(isReversed)")
        }
    }

    @Test("the function that merges a unique property gets this file's value, whichever row comes first")
    func uniqueValueMerged() throws {
        try bothOrders { try set(2, "note", .string("a"), $0) } ann: { transaction in
            try set(1, "note", .string("a"), transaction)
            try set(2, "note", .string("b"), transaction)
        } _: { file, report, merged, isReversed in
            #expect(merged == ["note string(\"a\") string(\"b\")"], "\(isReversed)")
            #expect(file.objects["Item int(1)"]?["note"] == "'a'" && file.objects["Item int(2)"]?["note"] == "'merged'", "\(isReversed)")
            #expect(report.losses.map(\.reason) == [.conflict], "\(isReversed)")
        }
    }

    @Test("an object that is created again, since others have deleted what was changed here, is one pending creation with all in it")
    func createdAgain() throws {
        let exchange = try makeExchange()
        try exchange.write(exchange.ann) { try $0.delete(ObjectKey(1), from: $0.table("Item")) }
        try exchange.push(exchange.ann)
        try exchange.write(exchange.ben) { transaction in
            let table = try transaction.table("Item"), inner = try transaction.table("Inner")
            for column in ["inner", "list"] {
                for key in try table.value(ObjectKey(1), table.column(column)).embeddedKeys {
                    try transaction.set(ObjectKey(key), in: inner, inner.column("n"), to: .int(9))
                }
            }
            try set(1, "n", .int(5), transaction)
        }
        try exchange.pull(exchange.ben)
        #expect(try exchange.ben.database.snapshot().pendingCounts() == PendingCounts(created: 1))
        let batch = try #require(try exchange.ben.push()), change = try #require(batch.changes.first)
        let entries = change.registers.map(\.entry) + change.elements.map(\.entry)
        #expect(entries.count > 3 && entries.allSatisfy { $0 == change.created })
        let differences = try exchange.differences()
        #expect(differences.isEmpty, "\(differences)")
    }

    @Test("a transaction whose deletion ends the epoch keeps that epoch for all its changes but later increments")
    func oneEpoch() throws {
        let exchange = try makeExchange()
        try exchange.write(exchange.ben) { try set(2, "count", .int(1), $0) }
        try exchange.write(exchange.ben) { transaction in
            let table = try transaction.table("Item"), inner = try transaction.table("Inner")
            for item in [1, 3] as [Int64] {
                for key in try table.value(ObjectKey(item), table.column("inner")).embeddedKeys {
                    try transaction.set(ObjectKey(key), in: inner, inner.column("n"), to: .int(9))
                }
                try set(item, "n", .int(5), transaction)
                try set(item, "count", .int(5), transaction)
            }
            try transaction.delete(ObjectKey(2), from: table)
            try transaction.insert(into: "Item", [("id", .int(2)), ("count", .int(8))])
        }
        let batch = try #require(try exchange.ben.push()), before = batch.epoch - 1
        for change in batch.changes {
            var entries = change.registers.map(\.entry) + change.elements.map(\.entry)
            entries += [change.deleted, change.created].compactMap(\.self)
            #expect(!entries.isEmpty && entries.allSatisfy { $0.epoch == before }, "\(change.object)")
        }
        #expect(batch.changes.sorted { $0.object < $1.object }.map { $0.sums.map(\.epoch) } == [[before], [before + 1], [before + 1]])
        let differences = try exchange.differences()
        #expect(differences.isEmpty, "\(differences)")
    }

    @Test("an epoch is noted beside the file before its batch is there, so that an older state of the file is noticed")
    func sealNoted() throws {
        let exchange = try makeExchange()
        try exchange.write(exchange.ben) { try set(1, "n", .int(5), $0) }
        let batch = try #require(try exchange.ben.push())
        let sidecar = try SyncSidecar.read(SessionPaths(data: "/ben.freehold"), exchange.ben.machine.makeProcess())
        #expect(sidecar?.sealed == batch.epoch && sidecar?.replica == batch.replicas[0])
    }
}
