import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Links, alone and in collections, and deletions of what they lead to.
extension ReplicaTests {
    fileprivate func makeLinked(_ number: Int, _ transaction: WriteTransaction) throws {
        let classes = [
            ClassSchema("Plain", primaryKey: "id", [PropertySchema("id", .string), PropertySchema("n", .int)]),
            ClassSchema("Animal", primaryKey: "id", [
                PropertySchema("id", .uuid), PropertySchema("name", .string), PropertySchema("friend", linkTo: "Animal"),
            ]),
            ClassSchema("Dog", superclass: "Animal", [PropertySchema("tricks", .string, collections: [.list])]),
            ClassSchema("Puppy", superclass: "Dog", [PropertySchema("weeks", .double)]),
            ClassSchema("Owner", primaryKey: "id", [
                PropertySchema("id", .string), PropertySchema("dog", linkTo: "Dog"),
                PropertySchema("list", linkTo: "Animal", collections: [.list]),
                PropertySchema("set", linkTo: "Animal", collections: [.set]), PropertySchema("map", linkTo: "Animal", collections: [.map]),
                PropertySchema("any", .mixed), PropertySchema("anyList", .mixed, collections: [.list]),
                PropertySchema("anySet", .mixed, collections: [.set]), PropertySchema("anyMap", .mixed, collections: [.map]),
                PropertySchema("nested", .int, collections: [.list, .list]),
                PropertySchema("nestedMap", linkTo: "Animal", collections: [.map, .list]),
                PropertySchema("child", linkTo: "Animal", deleteRule: .cascade),
                PropertySchema("kept", linkTo: "Animal", deleteRule: .deny),
            ]),
        ]
        for one in classes { try transaction.createClass(one) }
        for name in ["Animal", "Owner"] { try transaction.sync.mark(name) }
    }

    fileprivate func animal(_ number: UInt64) -> Value { .uuid(UniqueIdentifier(high: number, low: 7)) }

    /// Animals 0 to 5, two of each class, and an owner who links to them in every way.
    fileprivate func fillLinked(_ transaction: WriteTransaction, _ owner: String = "o") throws {
        let animals = try transaction.table("Animal").family
        for (number, name) in ["Animal", "Dog", "Puppy", "Animal", "Dog", "Puppy"].enumerated() {
            if try animals.key(primaryKey: animal(UInt64(number))) != nil { continue }
            try transaction.insert(into: name, [("id", animal(UInt64(number))), ("name", .string("\(name) \(number)"))])
        }
        try transaction.insert(into: "Owner", [("id", .string(owner))])
        try link(transaction, owner, turn: 0)
    }

    fileprivate func link(_ transaction: WriteTransaction, _ owner: String = "o", turn: Int) throws {
        let animals = try transaction.table("Animal").family, table = try transaction.table("Owner")
        let all = try (0..<6).compactMap { try animals.key(primaryKey: animal(UInt64(($0 + turn) % 6))) }
        let key = try #require(try table.key(primaryKey: .string(owner)))
        let dogs = Set(try transaction.table("Dog").keys())
        let dog = try #require(all.first { dogs.contains($0) })
        try transaction.set(key, in: table, table.column("dog"), to: .link(dog))
        try transaction.set(key, in: table, table.column("child"), to: .link(all[0]))
        try transaction.set(key, in: table, table.column("kept"), to: .link(all[1]))
        try transaction.list(of: key, in: table, table.column("list")).assign(all.map { .link($0) } + [.link(all[0])])
        try transaction.set(of: key, in: table, table.column("set")).assign(all[1...4].map { .link($0) })
        let objects = all.map { Value.object(animals.reference(to: $0)) }
        let nested = Value.list([objects[0], .list([objects[1], .map(["k": objects[2]])])])
        try transaction.map(of: key, in: table, table.column("map")).assign(["a": .link(all[2]), "b": .link(all[3]), "n": .null])
        try transaction.set(key, in: table, table.column("any"), to: turn == 0 ? objects[0] : nested)
        try transaction.list(of: key, in: table, table.column("anyList")).assign([objects[3], .int(1), nested, .null])
        try transaction.set(of: key, in: table, table.column("anySet")).assign([objects[3], .int(1), objects[4], .null])
        try transaction.map(of: key, in: table, table.column("anyMap")).assign(["a": objects[4], "b": nested])
        try transaction.list(of: key, in: table, table.column("nested"))
            .assign([.list([.int(Int64(turn))]), .list([]), .list([.int(5), .int(6)])])
        try transaction.map(of: key, in: table, table.column("nestedMap"))
            .assign(["": .list([.link(all[0]), .link(all[0])]), "e": .list([])])
    }

    @Test("links alone, in collections, and within nested ones; objects of subclasses")
    func links() throws {
        let exchange = try Exchange(3, prepare: makeLinked)
        try exchange.write(exchange.files[2]) { transaction in
            for (number, name) in [(5, "Puppy"), (3, "Animal")] {
                try transaction.insert(into: name, [("id", animal(UInt64(number))), ("name", .string("first"))])
            }
        }
        try expectSame(exchange)
        try exchange.write(exchange.ann) { try fillLinked($0) }
        try expectSame(exchange)
        for turn in 1..<4 {
            try exchange.write(exchange.files[turn % 3]) { try link($0, turn: turn) }
            try expectSame(exchange, "turn \(turn)")
        }
        try exchange.write(exchange.ben) { transaction in
            let dogs = try transaction.table("Dog")
            for key in try dogs.keys() { try transaction.list(of: key, in: dogs, dogs.column("tricks")).append(.string("sit")) }
        }
        try expectSame(exchange, newcomer: { try makeLinked(0, $0) })
    }

    @Test("a deletion cuts links of every kind, takes along what it cascades to, and leaves other changes of the linking object")
    func deletions() throws {
        let exchange = try Exchange(3, prepare: makeLinked)
        try exchange.write(exchange.ann) { try fillLinked($0) }
        try expectSame(exchange)
        // Ann deletes the owner, which takes the child along; Ben links to the child from an owner of his, and denies the deletion.
        try exchange.write(exchange.ben) { transaction in
            let table = try transaction.table("Owner"), key = try #require(try table.key(primaryKey: .string("o")))
            try fillLinked(transaction, "other")
            let list = try transaction.list(of: key, in: table, table.column("list")).view()
            try transaction.set(key, in: table, table.column("kept"), to: list[4])
        }
        try exchange.write(exchange.ann) { transaction in
            let table = try transaction.table("Owner"), key = try #require(try table.key(primaryKey: .string("o")))
            try transaction.set(key, in: table, table.column("kept"), to: .null)
            try transaction.delete(key, from: table)
        }
        try expectSame(exchange)
        #expect(try PlainFile(exchange.ben.database).objects.keys.filter { $0.utf8.starts(with: "Owner".utf8) } == ["Owner 'other'"])
        #expect(exchange.ben.losses.map(\.reason) == [.deleted])
        // What the other owner links to goes.
        try exchange.write(exchange.files[2]) { transaction in
            let animals = try transaction.table("Animal").family
            for number in [1, 2, 4] as [UInt64] {
                if let key = try animals.key(primaryKey: animal(number)) { try transaction.delete(key, from: animals) }
            }
        }
        // At the same time something else of the owner changes, and links in its collections do.
        try exchange.write(exchange.ben) { transaction in
            let table = try transaction.table("Owner"), key = try #require(try table.key(primaryKey: .string("other")))
            try transaction.list(of: key, in: table, table.column("list")).remove(at: 0)
            try transaction.map(of: key, in: table, table.column("map")).remove("a")
            try transaction.list(of: key, in: table, table.column("nested")).append(.list([.int(9)]))
        }
        try expectSame(exchange, newcomer: { try makeLinked(0, $0) })
    }

    @Test("an object is deleted and created anew elsewhere: single links show it again, as in a file that comes then")
    func recreated() throws {
        let exchange = try Exchange(3, prepare: makeLinked)
        try exchange.write(exchange.ann) { transaction in
            for number in 0..<5 as Range<UInt64> {
                let name = ["Animal", "Dog", "Puppy"][Int(number) % 3]
                let target = try transaction.insert(into: name, [("id", animal(number)), ("name", .string(name))])
                let object = try Value.object(transaction.table(name).reference(to: target))
                var values: [(String, Value)] = [("id", .string("o\(number)")), ("any", object), ("child", .link(target))]
                if number % 3 > 0 { values.append(("dog", .link(target))) }
                try transaction.insert(into: "Owner", values)
            }
        }
        try expectSame(exchange)
        for (file, number) in [(1, 0), (2, 3), (0, 4), (1, 2)] {
            try exchange.write(exchange.files[file]) { transaction in
                let animals = try transaction.table("Animal").family
                let key = try #require(try animals.key(primaryKey: animal(UInt64(number))))
                try transaction.delete(key, from: animals)
            }
            try expectSame(exchange, "\(number) deleted", newcomer: { try makeLinked(0, $0) })
            try exchange.write(exchange.files[(file + 1) % 3]) { transaction in
                let name = ["Animal", "Dog", "Puppy"][number % 3]
                try transaction.insert(into: name, [("id", animal(UInt64(number))), ("name", .string("again"))])
            }
            try expectSame(exchange, "\(number) is there again", newcomer: { try makeLinked(0, $0) })
            try #expect(PlainFile(exchange.ann.database).objects["Owner 'o\(number)'"]?["any"] != "null")
        }
    }

    /// The creation became changes of an object, and nothing was left that showed the links once the server knew of it.
    @Test("an object is deleted, and two files create it anew at the same time: links show it again in all files", arguments: [false, true])
    func recreatedByTwo(isCleared: Bool) throws {
        let exchange = try Exchange(3, prepare: makeLinked), eve = exchange.files[2]
        try exchange.write(exchange.ann) { transaction in
            let target = try transaction.insert(into: "Dog", [("id", animal(1)), ("name", .string("first"))])
            let object = try Value.object(transaction.table("Dog").reference(to: target))
            let links: [(String, Value)] = [("any", object), ("child", .link(target)), ("dog", .link(target))]
            try transaction.insert(into: "Owner", [("id", .string("o"))] + links)
        }
        try expectSame(exchange)
        try exchange.write(eve) { transaction in
            let animals = try transaction.table("Animal").family
            try transaction.delete(#require(try animals.key(primaryKey: animal(1))), from: animals)
        }
        try expectSame(exchange)
        for file in [eve, exchange.ben] {
            try exchange.write(file) { try $0.insert(into: "Dog", [("id", animal(1)), ("name", .string(file.name))]) }
        }
        try exchange.push(eve)
        if isCleared { try exchange.push(exchange.ben) }
        try exchange.pull(exchange.ben)
        try #expect(PlainFile(exchange.ben.database).objects["Owner 'o'"]?["dog"] != "null")
        try expectSame(exchange, newcomer: { try makeLinked(0, $0) })
    }
}
