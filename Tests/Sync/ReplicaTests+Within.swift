import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Embedded objects that are elements of lists and values of maps.
extension ReplicaTests {
    /// A class with properties of all types, alone and in collections, and embedded objects in it again.
    private static var partClass: ClassSchema {
        var properties: [PropertySchema] = []
        for (type, _) in samples {
            let name = "\(type)"
            properties.append(PropertySchema(name, type, isNullable: type != .mixed))
            properties.append(PropertySchema(name + "Strict", type))
            properties.append(PropertySchema(name + "List", type, isNullable: true, collections: [.list]))
            properties.append(PropertySchema(name + "Set", type, collections: [.set]))
            properties.append(PropertySchema(name + "Map", type, isNullable: true, collections: [.map]))
        }
        return ClassSchema("Part", isEmbedded: true, properties)
    }

    /// Things with parts, and parts with spots and parts.
    func makeParts(_ number: Int, _ transaction: WriteTransaction) throws {
        try transaction.createClass(ClassSchema("Spot", isEmbedded: true, [
            PropertySchema("x", .int), PropertySchema("y", .double, isNullable: true),
        ]))
        try transaction.createClass(Self.partClass)
        try transaction.createClass(ClassSchema("FinePart", superclass: "Part", isEmbedded: true, [PropertySchema("fine", .string)]))
        try transaction.createClass(ClassSchema("Thing", primaryKey: "id", [PropertySchema("id", .string), PropertySchema("n", .int)]))
        for property in [
            PropertySchema("spot", linkTo: "Spot"), PropertySchema("spots", linkTo: "Spot", collections: [.list]),
            PropertySchema("spotMap", linkTo: "Spot", collections: [.map]), PropertySchema("parts", linkTo: "Part", collections: [.list]),
            PropertySchema("friend", linkTo: "Thing"), PropertySchema("friends", linkTo: "Thing", collections: [.list]),
            PropertySchema("friendMap", linkTo: "Thing", collections: [.map]),
        ] { try transaction.addProperty(property, to: "Part") }
        for property in [
            PropertySchema("parts", linkTo: "Part", collections: [.list]), PropertySchema("byName", linkTo: "Part", collections: [.map]),
            PropertySchema("grid", linkTo: "Spot", collections: [.list, .list]),
            PropertySchema("atlas", linkTo: "Spot", collections: [.map, .list]),
            PropertySchema("home", linkTo: "Part"),
        ] { try transaction.addProperty(property, to: "Thing") }
        try transaction.sync.mark("Thing")
    }

    /// Gives a part values of all types, and embedded objects.
    private func fillPart(_ part: ObjectKey, _ transaction: WriteTransaction, turn: Int) throws {
        let table = try transaction.table("Part")
        for (type, values) in Self.samples {
            let name = "\(type)", some = (0..<3).map { values[(turn + $0) % values.count] }
            try transaction.set(part, in: table, table.column(name), to: turn % 3 == 1 ? .null : some[0])
            try transaction.set(part, in: table, table.column(name + "Strict"), to: some[1])
            try transaction.list(of: part, in: table, table.column(name + "List")).assign(some + [.null, some[0]])
            try transaction.set(of: part, in: table, table.column(name + "Set"))
                .assign(some.filter { $0.collectionKind == nil && $0 != .null })
            try transaction.map(of: part, in: table, table.column(name + "Map")).assign(["": some[0], "é": .null, "e\u{301}": some[2]])
        }
        let spot = [("x", Value.int(Int64(turn))), ("y", .double(-0.0))]
        if turn % 2 == 0 { try transaction.embed(spot, in: part, of: table, table.column("spot")) }
        try transaction.list(of: part, in: table, table.column("spots")).embed(spot)
        try transaction.map(of: part, in: table, table.column("spotMap")).embed(spot, for: "\(turn)")
        try transaction.list(of: part, in: table, table.column("parts")).embed([("string", .string("inner \(turn)"))])
    }

    private func things(_ transaction: WriteTransaction) throws -> Table { try transaction.table("Thing") }

    @discardableResult
    func insertThing(_ id: String, _ transaction: WriteTransaction, parts: Int = 3) throws -> ObjectKey {
        let things = try things(transaction), key = try transaction.insert(into: "Thing", [("id", .string(id))])
        for number in 0..<parts {
            let values = [("string", Value.string("\(id) \(number)"))]
            try transaction.list(of: key, in: things, things.column("parts")).embed(values)
            try transaction.map(of: key, in: things, things.column("byName")).embed(values, for: "k\(number)")
        }
        return key
    }

    func thing(_ id: String, _ transaction: WriteTransaction) throws -> ObjectKey {
        try #require(try things(transaction).key(primaryKey: .string(id)))
    }

    /// The part at a position of a list.
    func part(_ position: Int, of id: String = "t", _ transaction: WriteTransaction) throws -> ObjectKey {
        let things = try things(transaction)
        let value = try transaction.list(of: thing(id, transaction), in: things, things.column("parts")).view()[position]
        guard case .link(let key) = value else { throw ShadowDifference("no part") }
        return key
    }

    /// The part under a key of a map.
    func part(_ key: String, of id: String = "t", _ transaction: WriteTransaction) throws -> ObjectKey {
        let things = try things(transaction)
        let value = try transaction.map(of: thing(id, transaction), in: things, things.column("byName")).view()[key]
        guard case .link(let key)? = value else { throw ShadowDifference("no part") }
        return key
    }

    func name(_ part: ObjectKey, _ text: String, _ transaction: WriteTransaction, _ property: String = "string") throws {
        let parts = try transaction.table("Part")
        try transaction.set(part, in: parts, parts.column(property), to: .string(text))
    }

    func partList(_ transaction: WriteTransaction, _ id: String = "t") throws -> ListWriter {
        let things = try things(transaction)
        return try transaction.list(of: thing(id, transaction), in: things, things.column("parts"))
    }

    func partMap(_ transaction: WriteTransaction, _ id: String = "t") throws -> MapWriter {
        let things = try things(transaction)
        return try transaction.map(of: thing(id, transaction), in: things, things.column("byName"))
    }

    // MARK: Values

    @Test("values of every type within elements and entries arrive: when created, when inserted, and when changed within")
    func partValues() throws {
        let exchange = try Exchange(prepare: makeParts)
        try exchange.write(exchange.ann) { transaction in
            let things = try things(transaction)
            for turn in 0..<4 {
                let key = try insertThing("t\(turn)", transaction)
                for number in 0..<3 {
                    try fillPart(part(number, of: "t\(turn)", transaction), transaction, turn: turn + number)
                    try fillPart(part("k\(number)", of: "t\(turn)", transaction), transaction, turn: turn + number + 1)
                }
                let home = try transaction.embed([], in: key, of: things, things.column("home"))
                try fillPart(home, transaction, turn: turn)
            }
        }
        try expectSame(exchange, newcomer: { try makeParts(0, $0) })
        for turn in 0..<4 {
            try exchange.write(exchange.files[turn % 2]) { transaction in
                let id = "t\(turn)", things = try things(transaction)
                let made = try partList(transaction, id).embed([], at: turn % 3)
                try fillPart(made, transaction, turn: turn)
                try fillPart(part(3, of: id, transaction), transaction, turn: turn + 5)
                try fillPart(part("k1", of: id, transaction), transaction, turn: turn + 2)
                try fillPart(partMap(transaction, id).embed([], for: "new"), transaction, turn: turn)
                guard case .link(let home) = try things.value(thing(id, transaction), things.column("home")) else { return }
                try fillPart(home, transaction, turn: turn + 3)
            }
            try expectSame(exchange, "turn \(turn)", newcomer: { try makeParts(0, $0) })
        }
        #expect(exchange.ann.losses + exchange.ben.losses == [])
    }

    @Test("elements that both change, move, insert and delete: changes of several elements join, of one element the later one stays")
    func partChanges() throws {
        let exchange = try Exchange(prepare: makeParts)
        try exchange.write(exchange.ann) { try insertThing("t", $0, parts: 6) }
        try expectSame(exchange)
        try exchange.write(exchange.ann) { transaction in
            try name(part(0, transaction), "ann 0", transaction)
            try name(part(1, transaction), "ann 1", transaction)
            try name(part(3, transaction), "ann 3", transaction)
            try name(part("k0", transaction), "ann k0", transaction)
            try name(part("k1", transaction), "ann k1", transaction)
            try name(part("k3", transaction), "ann k3", transaction)
            try partList(transaction).remove(at: 4)
            try partMap(transaction).remove("k4")
        }
        try exchange.write(exchange.ben) { transaction in
            try name(part(0, transaction), "ben 0", transaction)
            try name(part(2, transaction), "ben 2", transaction)
            try name(part(4, transaction), "ben 4", transaction)
            try name(part("k0", transaction), "ben k0", transaction)
            try name(part("k2", transaction), "ben k2", transaction)
            try partMap(transaction).remove("k3")
            let list = try partList(transaction)
            try list.move(from: 1, to: 5)
            try list.remove(at: 2)
            try list.embed([("string", .string("ben new"))], at: 0)
        }
        try expectSame(exchange, newcomer: { try makeParts(0, $0) })
        let list = try names(exchange.ann, "parts"), map = try names(exchange.ann, "byName")
        #expect(list == ["ben new", "ben 0", "ben 2", "t 5", "ann 1"], "\(list)")
        #expect(map == ["ben k0", "ann k1", "ben k2", "t 5"], "\(map)")
    }

    /// The names of a thing's parts.
    func names(_ file: SyncedFile, _ property: String, _ id: String = "t") throws -> [String] {
        let snapshot = try file.database.snapshot(), things = try snapshot.table("Thing"), parts = try snapshot.table("Part").family
        let value = try things.value(#require(try things.key(primaryKey: .string(id))), things.column(property))
        let links: [Value] = switch value {
        case .list(let links): links
        case .map(let entries): entries.sortedByKey.map(\.value)
        default: []
        }
        return try links.map { link in
            guard case .link(let key) = link, case .string(let name) = try parts.value(key, parts.column("string")) else { return "none" }
            return name
        }
    }

    /// The object keys of a thing's parts.
    func keys(_ file: SyncedFile, _ property: String) throws -> [Int64] {
        let snapshot = try file.database.snapshot(), things = try snapshot.table("Thing")
        return try things.value(#require(try things.key(primaryKey: .string("t"))), things.column(property)).embeddedKeys
    }

    @Test("an element that is the same, changed within or moved stays the object that it is; a replaced one is too")
    func keptParts() throws {
        let exchange = try Exchange(prepare: makeParts)
        try exchange.write(exchange.ann) { try insertThing("t", $0, parts: 5) }
        try expectSame(exchange)
        let (list, map) = try (keys(exchange.ben, "parts"), keys(exchange.ben, "byName"))
        try exchange.write(exchange.ann) { transaction in
            try fillPart(part(1, transaction), transaction, turn: 1)
            try fillPart(part("k1", transaction), transaction, turn: 1)
            try partList(transaction).embed([("string", .string("another"))], replacing: 2)
            try partMap(transaction).embed([("string", .string("another"))], for: "k2")
            try partList(transaction).move(from: 0, to: 4)
            try partList(transaction).remove(at: 2)
            try partMap(transaction).remove("k4")
        }
        try expectSame(exchange)
        #expect(try keys(exchange.ben, "parts") == [list[1], list[2], list[4], list[0]])
        #expect(try keys(exchange.ben, "byName") == Array(map[..<4]))
        let parts = try exchange.ben.database.snapshot().table("Part").family.count
        #expect(parts == 4 + 4 + 2, "with the parts of two parts, and without those that were deleted")
        // What is the same is not written: only the object that has changed differs.
        try exchange.write(exchange.ann) { try name(part(0, $0), "changed", $0) }
        try exchange.settle()
        #expect(try keys(exchange.ben, "parts") == [list[1], list[2], list[4], list[0]])
        #expect(try names(exchange.ben, "parts")[0] == "changed")
    }

    @Test("of a list within an element, which is part of its value, the objects at the beginning and the end stay that are the same")
    func keptSpots() throws {
        let exchange = try Exchange(prepare: makeParts)
        func spots(_ transaction: WriteTransaction) throws -> ListWriter {
            let parts = try transaction.table("Part")
            return try transaction.list(of: part(0, transaction), in: parts, parts.column("spots"))
        }
        func keys() throws -> [Int64] {
            let snapshot = try exchange.ben.database.snapshot(), parts = try snapshot.table("Part"), things = try snapshot.table("Thing")
            let key = try #require(try things.key(primaryKey: .string("t")))
            let part = try #require(try things.value(key, things.column("parts")).embeddedKeys.first)
            return try parts.value(ObjectKey(part), parts.column("spots")).embeddedKeys
        }
        try exchange.write(exchange.ann) { transaction in
            try insertThing("t", transaction)
            for x in 0..<6 as Range<Int64> { try spots(transaction).embed([("x", .int(x)), ("y", .double(.nan))]) }
        }
        try expectSame(exchange)
        let before = try keys()
        try exchange.write(exchange.ann) { try spots($0).embed([("x", .int(10))], at: 0) }
        try expectSame(exchange)
        #expect(try Array(keys()[1...]) == before)
        for position in [2, 0] {
            try exchange.write(exchange.ann) { try spots($0).remove(at: position) }
            try expectSame(exchange)
        }
        #expect(try keys() == [before[0]] + before[2...])
        try exchange.write(exchange.ann) { transaction in
            let table = try transaction.table("Spot"), list = try spots(transaction)
            guard case .link(let spot) = try list.view()[1] else { return }
            try transaction.set(spot, in: table, table.column("x"), to: .int(77))
            try list.embed([("x", .int(11))])
        }
        try expectSame(exchange)
        #expect(try Array(keys()[..<5]) == [before[0]] + before[2...])
        try exchange.write(exchange.ann) { try spots($0).removeAll() }
        try expectSame(exchange)
        #expect(try keys() == [] && exchange.ben.database.snapshot().table("Spot").count == 0)
    }

    // MARK: Pending

    @Test("what is pending within an element stays when answers come, is sent by each epoch, and goes with its element")
    func pendingParts() throws {
        let exchange = try Exchange(prepare: makeParts)
        try exchange.write(exchange.ann) { try insertThing("t", $0) }
        try expectSame(exchange)
        // Changed again while the first change is on its way, and while an answer comes that does not have it.
        try exchange.write(exchange.ann) { transaction in
            try name(part(0, transaction), "first", transaction)
            try name(part("k0", transaction), "first", transaction)
        }
        try exchange.push(exchange.ann)
        try exchange.write(exchange.ann) { transaction in
            try name(part(0, transaction), "second", transaction, "stringStrict")
            try name(part("k0", transaction), "second", transaction, "stringStrict")
        }
        try exchange.write(exchange.ben) { transaction in
            try name(part(1, transaction), "ben 1", transaction)
            try name(part("k1", transaction), "ben 1", transaction)
            try partList(transaction).embed([("string", .string("ben new"))], at: 0)
        }
        try exchange.push(exchange.ben)
        try exchange.pull(exchange.ann)
        #expect(try names(exchange.ann, "parts") == ["ben new", "first", "ben 1", "t 2"])
        #expect(try !exchange.ann.isSettled() && exchange.ann.problems() == [])
        try expectSame(exchange, newcomer: { try makeParts(0, $0) })
        let ben = try #require(PlainFile(exchange.ben.database).objects["Thing 't'"])
        for property in ["parts", "byName"] {
            let parts = ben[property]?.split(separator: "stringStrict 'second'")
            #expect(parts?.count == 2, "the second change is sent, too: \(ben[property] ?? "")")
        }
        // The element is deleted elsewhere: what is pending within goes with it.
        try exchange.write(exchange.ann) { transaction in
            try name(part(1, transaction), "lost", transaction)
            try name(part("k1", transaction), "lost", transaction)
        }
        try exchange.write(exchange.ben) { transaction in
            try partList(transaction).remove(at: 1)
            try partMap(transaction).remove("k1")
        }
        try exchange.push(exchange.ben)
        try exchange.pull(exchange.ann)
        #expect(try exchange.ann.isSettled() && exchange.ann.problems() == [])
        #expect(exchange.ann.losses.map { "\($0.className) \($0.property ?? "") \($0.reason)" } == ["Thing byName beaten"])
        try expectSame(exchange, newcomer: { try makeParts(0, $0) })
        // A later change elsewhere beats one that is pending within an entry, and a pending one that is later stays.
        try exchange.write(exchange.ben) { try name(part("k0", $0), "ben earlier", $0) }
        try exchange.write(exchange.ann) { try name(part("k0", $0), "ann later", $0) }
        try exchange.write(exchange.ann) { try name(part("k2", $0), "ann earlier", $0) }
        try exchange.write(exchange.ben) { try name(part("k2", $0), "ben later", $0) }
        try exchange.push(exchange.ben)
        try exchange.pull(exchange.ann)
        #expect(try names(exchange.ann, "byName") == ["ann later", "ben later"])
        try expectSame(exchange, newcomer: { try makeParts(0, $0) })
        #expect(try names(exchange.ben, "byName") == ["ann later", "ben later"])
    }

    @Test("a batch has one change of an element and of a key that was replaced and changed within, with the stamp of the last change")
    func onePartChange() throws {
        let exchange = try Exchange(prepare: makeParts)
        try exchange.write(exchange.ann) { try insertThing("t", $0) }
        try exchange.settle()
        try exchange.write(exchange.ann) { transaction in
            for position in 0..<3 { try partList(transaction).embed([("string", .string("new"))], replacing: position) }
            try partMap(transaction).embed([("string", .string("new"))], for: "k0")
        }
        try exchange.write(exchange.ann) { transaction in
            try name(part(1, transaction), "within", transaction)
            try name(part("k0", transaction), "within", transaction)
            let parts = try transaction.table("Part")
            try transaction.list(of: part(1, transaction), in: parts, parts.column("spots")).embed([("x", .int(1))])
        }
        let batch = try #require(try exchange.ann.push()), change = try #require(batch.changes.first)
        #expect(batch.changes.count == 1 && change.elements.count == 3 && change.registers.count == 1)
        #expect(change.elements.allSatisfy { $0.act == .changed } && Set(change.elements.map(\.element)).count == 3)
        let (first, last) = try (#require(change.elements.map(\.entry.stamp).min()), #require(change.elements.map(\.entry.stamp).max()))
        #expect(first < last && change.elements.filter { $0.entry.stamp == last }.count == 1 && change.registers[0].entry.stamp == last)
        // One that is replaced after a change within is sent once, too.
        try exchange.write(exchange.ann) { transaction in
            try partList(transaction).embed([], replacing: 1)
            try partMap(transaction).embed([], for: "k0")
        }
        let second = try #require(try exchange.ann.push()?.changes.first)
        #expect(second.elements.count == 3 && second.registers.count == 1 && second.registers[0].entry.stamp > last)
    }

    @Test("what is pending within a collection of a single embedded object stays when answers come, and a later value elsewhere beats it")
    func pendingSpots() throws {
        let exchange = try Exchange(prepare: makeParts)
        func home(_ transaction: WriteTransaction) throws -> ObjectKey {
            let things = try transaction.table("Thing")
            let value = try things.value(thing("t", transaction), things.column("home"))
            guard case .link(let home) = value else { throw ShadowDifference("no home") }
            return home
        }
        func set(_ file: SyncedFile, x: Int64) throws {
            try exchange.write(file) { transaction in
                let spots = try transaction.table("Spot"), parts = try transaction.table("Part")
                let links = try transaction.list(of: home(transaction), in: parts, parts.column("spots")).view()
                guard case .link(let spot) = try links[0] else { return }
                try transaction.set(spot, in: spots, spots.column("x"), to: .int(x))
            }
        }
        func shown(_ file: SyncedFile) throws -> Int64? {
            let snapshot = try file.database.snapshot(), spots = try snapshot.table("Spot")
            let value = try spots.keys().first.map { try spots.value($0, spots.column("x")) }
            return if case .int(let x)? = value { x } else { nil }
        }
        try exchange.write(exchange.ann) { transaction in
            let key = try insertThing("t", transaction, parts: 0)
            let things = try transaction.table("Thing"), parts = try transaction.table("Part")
            let home = try transaction.embed([], in: key, of: things, things.column("home"))
            try transaction.list(of: home, in: parts, parts.column("spots")).embed([("x", .int(1))])
        }
        try expectSame(exchange)
        try set(exchange.ann, x: 2)
        try exchange.write(exchange.ben) { try name(home($0), "ben", $0) }
        try exchange.push(exchange.ben)
        try exchange.pull(exchange.ann)
        #expect(try shown(exchange.ann) == 2 && !exchange.ann.isSettled(), "the pending change stays")
        try expectSame(exchange)
        #expect(try shown(exchange.ben) == 2)
        try set(exchange.ann, x: 3)
        try set(exchange.ben, x: 4)
        try exchange.push(exchange.ben)
        try exchange.pull(exchange.ann)
        #expect(try shown(exchange.ann) == 4 && exchange.ann.isSettled(), "a later one beats it")
        #expect(exchange.ann.losses.map { "\($0.className) \($0.property ?? "") \($0.reason)" } == ["Thing home.spots beaten"])
        try expectSame(exchange, newcomer: { try makeParts(0, $0) })
    }
}
