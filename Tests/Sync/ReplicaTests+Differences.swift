import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Files whose classes differ, and objects of two classes under one key.
extension ReplicaTests {
    /// Ben's file has other classes than Ann's and the server: it lacks one class and some properties, and has others of another type.
    private func makeDifferent(_ number: Int, _ transaction: WriteTransaction) throws {
        let isBen = number == 1
        var properties = [PropertySchema("id", .string), PropertySchema("n", .int), PropertySchema("next", linkTo: "Thing")]
        properties += [
            PropertySchema("other", isBen ? .string : .int, isNullable: !isBen), PropertySchema("strict", .int, isNullable: !isBen),
            PropertySchema("list", .int, isNullable: !isBen, collections: [.list]),
            PropertySchema("set", .int, isNullable: !isBen, collections: [.set]),
            PropertySchema("map", .int, isNullable: !isBen, collections: [.map]), PropertySchema("any", .mixed),
        ]
        try transaction.createClass(ClassSchema("Thing", primaryKey: "id", properties))
        try transaction.sync.mark("Thing")
        if isBen { return }
        try transaction.createClass(ClassSchema("More", primaryKey: "id", [
            PropertySchema("id", .int), PropertySchema("thing", linkTo: "Thing"),
        ]))
        for one in [PropertySchema("more", linkTo: "More"), PropertySchema("mores", linkTo: "More", collections: [.list]),
                    PropertySchema("count", .int)] { try transaction.addProperty(one, to: "Thing") }
        try transaction.sync.mark("More")
    }

    @Test("a file that lacks classes and properties, or has other types, takes what it can, reports the rest, and takes nothing away")
    func schemas() throws {
        let exchange = try Exchange(2, prepare: makeDifferent)
        try exchange.write(exchange.ann) { transaction in
            let more = try transaction.insert(into: "More", [("id", .int(1))])
            for id in ["a", "b"] {
                let key = try transaction.insert(into: "Thing", [
                    ("id", .string(id)), ("n", .int(1)), ("other", .int(7)), ("strict", .null), ("count", .int(5)),
                ])
                let table = try transaction.table("Thing")
                try transaction.set(key, in: table, table.column("more"), to: .link(more))
                try transaction.set(key, in: table, table.column("next"), to: .link(key))
                try transaction.list(of: key, in: table, table.column("mores")).append(contentsOf: [.link(more), .link(more)])
                let isNull = id == "b"
                try transaction.list(of: key, in: table, table.column("list")).append(contentsOf: [.int(1), isNull ? .null : .int(2)])
                try transaction.set(of: key, in: table, table.column("set")).insert(contentsOf: [.int(1), .null])
                try transaction.map(of: key, in: table, table.column("map")).assign(["a": .int(1), "b": .null])
                try transaction.set(key, in: table, table.column("any"), to: .object(transaction.table("More").reference(to: more)))
            }
        }
        try exchange.settle()
        let reasons = Set(exchange.ben.losses.map { "\($0.primaryKey) \($0.property ?? "") \($0.reason)" })
        let refused = ["a": ["other", "set", "map"], "b": ["other", "list", "set", "map"]]
        #expect(reasons == Set(refused.flatMap { id, names in names.map { "\(Value.string(id)) \($0) unknown" } }))
        let bens = try PlainFile(exchange.ben.database).objects
        #expect(bens["Thing 'a'"]?["n"] == "int(1)" && bens["Thing 'a'"]?["list"] == "[int(1), int(2)]")
        #expect(bens["Thing 'b'"]?["n"] == "int(1)" && bens["Thing 'b'"]?["list"] == "[]")
        #expect(bens["Thing 'b'"]?["set"] == "{int(1)}" && bens["Thing 'b'"]?["map"] == "<'a': int(1)>", "what it can have")
        // What Ben changes leaves all that he lacks, and what he could not take, at Ann.
        let before = try PlainFile(exchange.ann.database).objects
        try exchange.write(exchange.ben) { transaction in
            let table = try transaction.table("Thing")
            for key in try table.keys() {
                try transaction.set(key, in: table, table.column("n"), to: .int(2))
                try transaction.set(of: key, in: table, table.column("set")).insert(.int(5))
                try transaction.map(of: key, in: table, table.column("map")).set(.int(5), for: "ben")
            }
        }
        try exchange.settle()
        var expected = before
        for id in ["a", "b"] {
            expected["Thing '\(id)'"]?["n"] = "int(2)"
            expected["Thing '\(id)'"]?["set"] = "{int(1), int(5), null}"
            expected["Thing '\(id)'"]?["map"] = "<'a': int(1), 'b': null, 'ben': int(5)>"
        }
        #expect(try PlainFile(exchange.ann.database).objects == expected)
        #expect(try exchange.ann.problems() + exchange.ben.problems() == [] && exchange.ann.losses == [])
        // A text where the server has numbers: it is refused, Ann keeps hers, and in Ben's file it stays pending.
        try exchange.write(exchange.ben) { transaction in
            let table = try transaction.table("Thing")
            for key in try table.keys() { try transaction.set(key, in: table, table.column("other"), to: .string("text")) }
        }
        let known = exchange.ben.losses, error = #expect(throws: FreeholdError.self) { try exchange.settle() }
        #expect(error?.code == .schemaMismatch && error?.message.contains("'Thing.other'") == true)
        #expect(exchange.ann.losses == [] && exchange.ben.losses == known)
        #expect(try exchange.ben.database.snapshot().pendingCounts().changes == 2)
        #expect(try PlainFile(exchange.ann.database).objects == expected)
    }

    @Test("an object that two files create under one key, of two classes, is of one class everywhere")
    func subclasses() throws {
        func make(_ number: Int, _ transaction: WriteTransaction) throws {
            try transaction.createClass(ClassSchema("Animal", primaryKey: "id", [PropertySchema("id", .string), PropertySchema("n", .int)]))
            try transaction.createClass(ClassSchema("Dog", superclass: "Animal", [PropertySchema("tricks", .int, collections: [.list])]))
            try transaction.createClass(ClassSchema("Cat", superclass: "Animal", [PropertySchema("lives", .int)]))
            try transaction.sync.mark("Animal")
        }
        let exchange = try Exchange(3, prepare: make)
        for (file, names) in zip(exchange.files, [["Dog", "Animal", "Cat"], ["Cat", "Dog", "Animal"], ["Dog", "Cat", "Cat"]]) {
            try exchange.write(file) { transaction in
                for (number, name) in names.enumerated() {
                    try transaction.insert(into: name, [("id", .string("\(number)")), ("n", .int(1))])
                }
            }
        }
        try expectSame(exchange, newcomer: { try make(0, $0) })
        // One is made anew as one of another class.
        try exchange.write(exchange.ben) { transaction in
            let animals = try transaction.table("Animal").family
            let key = try #require(try animals.key(primaryKey: .string("0")))
            try transaction.delete(key, from: animals)
            try transaction.insert(into: "Animal", [("id", .string("0"))])
        }
        try expectSame(exchange, newcomer: { try make(0, $0) })
        // One hears of the other's before it has sent its own.
        try exchange.write(exchange.ann) { try $0.insert(into: "Dog", [("id", .string("3"))]) }
        try exchange.write(exchange.ben) { transaction in
            for id in ["2½", "3", "4"] { try transaction.insert(into: "Cat", [("id", .string(id)), ("lives", .int(9))]) }
            let (cats, column) = try (transaction.table("Cat"), transaction.table("Cat").column("lives"))
            try transaction.set(#require(try cats.key(primaryKey: .string("3"))), in: cats, column, to: .int(8))
        }
        try exchange.push(exchange.ann)
        try exchange.pull(exchange.ben)
        try expectSame(exchange, newcomer: { try make(0, $0) })
        #expect(exchange.ben.losses == [.init(className: "Animal", primaryKey: .string("3"), property: nil, reason: .beaten)])
        try #expect(PlainFile(exchange.ann.database).objects["Animal '4'"]?["lives"] == "int(9)")
    }

    @Test("elements of mixed lists whose targets are deleted by two files are null, once")
    func mixedLists() throws {
        func make(_ number: Int, _ transaction: WriteTransaction) throws {
            try transaction.createClass(ClassSchema("Thing", primaryKey: "id", [
                PropertySchema("id", .string), PropertySchema("any", .mixed, collections: [.list]),
            ]))
            try transaction.sync.mark("Thing")
        }
        let exchange = try Exchange(3, prepare: make)
        try exchange.write(exchange.ann) { transaction in
            let table = try transaction.table("Thing")
            let all = try ["a", "b", "c", "list"].map { try transaction.insert(into: "Thing", [("id", .string($0))]) }
            let links = all[..<3].map { Value.object(table.reference(to: $0)) }
            try transaction.list(of: all[3], in: table, table.column("any")).assign([.int(0)] + links + [.int(1), links[1], .int(2)])
        }
        try expectSame(exchange)
        for (number, file) in exchange.files.enumerated() {
            try exchange.write(file) { transaction in
                let table = try transaction.table("Thing")
                if number == 2 {
                    let list = try #require(try table.key(primaryKey: .string("list")))
                    return try transaction.list(of: list, in: table, table.column("any")).insert(.string("eve"), at: 2)
                }
                let key = try #require(try table.key(primaryKey: .string("b")))
                try transaction.delete(key, from: table)
            }
        }
        try expectSame(exchange, newcomer: { try make(0, $0) })
        let list = try PlainFile(exchange.ben.database).objects["Thing 'list'"]?["any"]
        #expect(list == "[int(0), → Thing 'a', 'eve', null, → Thing 'c', int(1), null, int(2)]")
    }
}
