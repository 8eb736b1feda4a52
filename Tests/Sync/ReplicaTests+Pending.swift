import DatabaseKit
import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Answers that come while changes are pending.
extension ReplicaTests {
    private func makeCopied(_ number: Int, _ transaction: WriteTransaction) throws {
        try transaction.createClass(ClassSchema("Thing", primaryKey: "id", [
            PropertySchema("id", .string), PropertySchema("n", .int), PropertySchema("stock", .int),
            PropertySchema("map", .int, collections: [.map]), PropertySchema("set", .int, collections: [.set]),
            PropertySchema("list", .int, collections: [.list]),
        ]))
        try transaction.sync.mark("Thing", SyncRules(counters: ["stock"]))
    }

    @Test("a copy that receives what the first file had pending, and has itself, reports no loss of it")
    func copied() throws {
        let exchange = try Exchange(2, prepare: makeCopied)
        try exchange.write(exchange.ann) { try $0.insert(into: "Thing", [("id", .string("a"))]) }
        try expectSame(exchange)
        try exchange.write(exchange.ann) { transaction in
            let table = try transaction.table("Thing"), key = try #require(try table.key(primaryKey: .string("a")))
            try transaction.set(key, in: table, table.column("n"), to: .int(1))
            try transaction.map(of: key, in: table, table.column("map")).set(.int(1), for: "k")
        }
        let copy = try exchange.copy(of: exchange.ann)
        try exchange.push(exchange.ann)
        try exchange.pull(copy)
        #expect(copy.losses == [])
        #expect(try !copy.isSettled(), "it was not this one that sent it")
        try exchange.push(copy)
        try exchange.pull(copy)
        try exchange.settle()
        #expect(try copy.isSettled() && copy.losses == [] && copy.problems() == [])
        #expect(try PlainFile(copy.database).differences(from: PlainFile(exchange.ben.database), "ben") == [])
    }

    @Test("removals, additions and changes that are pending show over a row that does not know of them; what others added anew shows")
    func pendingShows() throws {
        let exchange = try Exchange(2, prepare: makeCopied)
        func change(_ file: SyncedFile, _ body: (WriteTransaction, Table, ObjectKey) throws -> Void) throws {
            try exchange.write(file) { transaction in
                let table = try transaction.table("Thing")
                try body(transaction, table, #require(try table.key(primaryKey: .string("a"))))
            }
        }
        try exchange.write(exchange.ann) { transaction in
            let table = try transaction.table("Thing")
            let key = try transaction.insert(into: "Thing", [("id", .string("a")), ("n", .int(1)), ("stock", .int(10))])
            try transaction.set(of: key, in: table, table.column("set")).insert(contentsOf: [.int(1), .int(2), .int(3)])
            try transaction.map(of: key, in: table, table.column("map")).assign(["a": .int(1), "b": .int(2), "c": .int(3)])
            try transaction.list(of: key, in: table, table.column("list")).append(contentsOf: [.int(1), .int(2), .int(3)])
        }
        try expectSame(exchange)
        try change(exchange.ann) { transaction, table, key in
            let set = try transaction.set(of: key, in: table, table.column("set"))
            try set.remove(.int(1))
            try set.remove(.int(3))
            try set.insert(.int(7))
            let map = try transaction.map(of: key, in: table, table.column("map"))
            try map.remove("a")
            try map.set(.int(7), for: "b")
            try map.set(.int(7), for: "new")
            let list = try transaction.list(of: key, in: table, table.column("list"))
            try list.remove(at: 0)
            try list.insert(.int(7), at: 1)
            try transaction.set(key, in: table, table.column("stock"), to: .int(11))
        }
        let mine = try PlainFile(exchange.ann.database).objects["Thing 'a'"]
        // Ben's are other properties, and the member 3, which he takes out and puts in again.
        for isIn in [false, true] {
            try change(exchange.ben) { transaction, table, key in
                try transaction.set(key, in: table, table.column("n"), to: .int(isIn ? 5 : 4))
                try transaction.set(key, in: table, table.column("stock"), to: .int(isIn ? 20 : 15))
                let set = try transaction.set(of: key, in: table, table.column("set"))
                if isIn { try set.insert(.int(3)) } else { try set.remove(.int(3)) }
            }
            try exchange.push(exchange.ben)
            if !isIn { try exchange.pull(exchange.ben) }
        }
        try exchange.pull(exchange.ann)
        var expected = mine
        for (name, value) in [("n", "int(5)"), ("stock", "int(21)"), ("set", "{int(2), int(3), int(7)}")] { expected?[name] = value }
        #expect(try PlainFile(exchange.ann.database).objects["Thing 'a'"] == expected)
        try expectSame(exchange, newcomer: { try makeCopied(0, $0) })
        #expect(try PlainFile(exchange.ben.database).objects["Thing 'a'"] == expected)
        #expect(exchange.ann.losses == [])
    }

    @Test("a mixed link to an object that is not exchanged stays in its file, alone and in collections")
    func linksToOthers() throws {
        func make(_ number: Int, _ transaction: WriteTransaction) throws {
            try transaction.createClass(ClassSchema("Local", [PropertySchema("n", .int)]))
            try transaction.createClass(ClassSchema("Thing", primaryKey: "id", [
                PropertySchema("id", .string), PropertySchema("n", .int), PropertySchema("any", .mixed),
                PropertySchema("list", .mixed, collections: [.list]), PropertySchema("set", .mixed, collections: [.set]),
                PropertySchema("map", .mixed, collections: [.map]),
            ]))
            try transaction.sync.mark("Thing")
        }
        let exchange = try Exchange(2, prepare: make)
        try exchange.write(exchange.ann) { transaction in
            let locals = try transaction.table("Local"), table = try transaction.table("Thing")
            let link = try Value.object(locals.reference(to: transaction.insert(into: "Local", [("n", .int(1))])))
            let key = try transaction.insert(into: "Thing", [("id", .string("a")), ("any", link)])
            try transaction.list(of: key, in: table, table.column("list")).append(contentsOf: [.int(1), link])
            try transaction.set(of: key, in: table, table.column("set")).insert(contentsOf: [.int(1), link])
            try transaction.map(of: key, in: table, table.column("map")).assign(["a": .int(1), "b": link])
        }
        let before = try PlainFile(exchange.ann.database).objects["Thing 'a'"]
        try exchange.settle()
        try exchange.write(exchange.ben) { transaction in
            let table = try transaction.table("Thing")
            for key in try table.keys() { try transaction.set(key, in: table, table.column("n"), to: .int(2)) }
        }
        try exchange.settle()
        var expected = before
        expected?["n"] = "int(2)"
        #expect(try PlainFile(exchange.ann.database).objects["Thing 'a'"] == expected)
        #expect(try exchange.ann.problems() + exchange.ben.problems() == [])
    }
}
