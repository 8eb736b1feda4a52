import DatabaseKit
@testable import FreeholdEngine
import TestKit

/// Random people and dogs with properties of every kind, in a database and in dictionaries beside it.
struct Kennel {
    typealias Objects = [Int64: [String: Value]]

    static let person = ClassSchema("Person", primaryKey: "id", indexes: [IndexSchema(["kind", "age"]), IndexSchema(["city", "rank", "height"]), IndexSchema(["flag", "dog", "born"])], [
        PropertySchema("id", .int), PropertySchema("flag", .bool, isNullable: true), PropertySchema("age", .int),
        PropertySchema("rank", .int, isNullable: true, isIndexed: true), PropertySchema("ratio", .float, isNullable: true),
        PropertySchema("score", .double, isNullable: true), PropertySchema("height", .double, isIndexed: true),
        PropertySchema("name", .string, isNullable: true), PropertySchema("city", .string, isIndexed: true), PropertySchema("kind", .string),
        PropertySchema("image", .data, isNullable: true), PropertySchema("born", .date, isNullable: true),
        PropertySchema("seen", .date, isIndexed: true), PropertySchema("uuid", .uuid, isNullable: true), PropertySchema("oid", .objectId),
        PropertySchema("price", .decimal, isNullable: true), PropertySchema("any", .mixed), PropertySchema("dog", linkTo: "Dog"),
        PropertySchema("boss", linkTo: "Person"), PropertySchema("dogs", linkTo: "Dog", collections: [.list]),
        PropertySchema("friends", linkTo: "Person", collections: [.set]), PropertySchema("pets", linkTo: "Dog", collections: [.map]),
        PropertySchema("tags", .string, isNullable: true, collections: [.list]), PropertySchema("numbers", .int, collections: [.set]),
        PropertySchema("marks", .double, isNullable: true, collections: [.list]), PropertySchema("notes", .string, collections: [.map]),
        PropertySchema("grid", .int, collections: [.list, .list]),
    ])
    static let dog = ClassSchema("Dog", [
        PropertySchema("name", .string, isNullable: true), PropertySchema("age", .int, isNullable: true), PropertySchema("owner", linkTo: "Person"),
        PropertySchema("weight", .double),
    ])

    let database: Database
    private(set) var people: Objects = [:]
    private(set) var dogs: Objects = [:]
    /// Whether people are of a class between two others: some are chiefs, and among all stand beings that are no people.
    let isFamily: Bool
    private var random: SeededRandom

    /// What beings that are no people have, too.
    private static let ofBeings: Set<String> = ["id", "rank", "name", "city", "any", "tags"]

    /// Whether a person of a family is a chief.
    static func isChief(_ id: Int64) -> Bool { id % 2 == 0 }

    private static func create(_ transaction: WriteTransaction, isFamily: Bool) throws {
        guard isFamily else { return try transaction.createClass(person) }
        try transaction.createClass(ClassSchema("Being", primaryKey: "id", person.properties.filter { ofBeings.contains($0.name) }))
        let own = person.properties.filter { !ofBeings.contains($0.name) }
        try transaction.createClass(ClassSchema("Person", superclass: "Being", indexes: person.indexes, own))
        try transaction.createClass(ClassSchema("Chief", superclass: "Person", [PropertySchema("title", .string, isIndexed: true)]))
    }

    /// So many people, some of them in the tail, some changed and deleted after they were made.
    init(seed: UInt64, people count: Int, isFamily: Bool = false, machine: SimulatedSystem) throws {
        database = try Database.open("/kennel.freehold", OpenOptions.simulated, on: machine.makeProcess())
        random = SeededRandom(seed: seed)
        self.isFamily = isFamily
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Dog", [PropertySchema("name", .string, isNullable: true), PropertySchema("age", .int, isNullable: true)]))
            try Self.create(transaction, isFamily: isFamily)
            try transaction.addProperty(PropertySchema("owner", linkTo: "Person"), to: "Dog")
            try transaction.addProperty(PropertySchema("weight", .double), to: "Dog")
            for _ in 0..<count / 3 {
                let values: [(String, Value)] = [("name", Self.text(&random, isNullable: true)), ("age", Self.whole(&random, isNullable: true)),
                                                 ("weight", Self.real(&random, isNullable: false))]
                dogs[try transaction.insert(into: "Dog", values).rawValue] = Dictionary(uniqueKeysWithValues: values)
            }
            for number in 0..<count { try insert(Int64(number * 3 - 50), transaction) }
            if isFamily { for number in 0..<count { try insertBeing(Int64(number * 3 - 49), transaction) } }
            for key in dogs.keys.sorted() {
                dogs[key]?["owner"] = random.oneIn(3) ? .null : .link(ObjectKey(people.keys.sorted()[Int.random(in: 0..<count, using: &random)]))
                let table = try transaction.table("Dog")
                try transaction.set(ObjectKey(key), in: table, table.column("owner"), to: dogs[key]?["owner"] ?? .null)
            }
        }
        try database.write { transaction in
            for key in people.keys.sorted() where random.oneIn(8) { try change(key, transaction) }
            for number in 0..<20 { try insert(Int64(number * 3 - 51), transaction) }
        }
    }

    func close() { database.close() }

    /// Eight people and four dogs that the corpus asks about.
    init(fixedOn machine: SimulatedSystem) throws {
        database = try Database.open("/fixed.freehold", OpenOptions.simulated, on: machine.makeProcess())
        random = SeededRandom(seed: 1)
        isFamily = false
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Dog", [PropertySchema("name", .string, isNullable: true), PropertySchema("age", .int, isNullable: true)]))
            try transaction.createClass(Self.person)
            try transaction.addProperty(PropertySchema("owner", linkTo: "Person"), to: "Dog")
            try transaction.addProperty(PropertySchema("weight", .double), to: "Dog")
            for values in FixedObjects.dogs { dogs[try transaction.insert(into: "Dog", values.map { ($0.key, $0.value) }).rawValue] = values }
            for (number, given) in FixedObjects.people.enumerated() {
                var values = given
                for property in Self.person.properties where property.name != "id" && values[property.name] == nil {
                    values[property.name] = property.isNullable ? .null : FixedObjects.zero(property)
                }
                try transaction.insert(into: "Person", key: .int(Int64(number + 1)), values.map { ($0.key, $0.value) })
                values["id"] = .int(Int64(number + 1))
                people[Int64(number + 1)] = values
            }
            let table = try transaction.table("Dog"), owner = try table.column("owner")
            for (key, person) in [(0, 1), (1, 1), (2, 3)] as [(Int64, Int64)] {
                try transaction.set(ObjectKey(dogs.keys.sorted()[Int(key)]), in: table, owner, to: .link(ObjectKey(person)))
                dogs[dogs.keys.sorted()[Int(key)]]?["owner"] = .link(ObjectKey(person))
            }
        }
    }

    private mutating func insert(_ id: Int64, _ transaction: WriteTransaction) throws {
        var values: [(String, Value)] = []
        for property in Self.person.properties where property.name != "id" { values.append((property.name, value(property))) }
        try transaction.insert(into: isFamily && Self.isChief(id) ? "Chief" : "Person", key: .int(id), values)
        people[id] = Dictionary(uniqueKeysWithValues: values)
        people[id]?["id"] = .int(id)
    }

    private mutating func insertBeing(_ id: Int64, _ transaction: WriteTransaction) throws {
        var values: [(String, Value)] = []
        for property in Self.person.properties where property.name != "id" && Self.ofBeings.contains(property.name) {
            values.append((property.name, value(property)))
        }
        try transaction.insert(into: "Being", key: .int(id), values)
    }

    private mutating func change(_ key: Int64, _ transaction: WriteTransaction) throws {
        let property = Self.person.properties.randomElement(using: &random)!
        guard property.name != "id" else { return }
        let table = try transaction.table("Person"), value = value(property)
        try transaction.set(ObjectKey(key), in: table, table.column(property.name), to: value)
        people[key]?[property.name] = value
    }

    /// Changes, deletes and makes people.
    mutating func changeMany(in transaction: WriteTransaction) throws {
        for key in people.keys.sorted() {
            if random.oneIn(6) { try change(key, transaction) }
            guard random.oneIn(9) else { continue }
            try transaction.delete(ObjectKey(key), from: transaction.table("Person"))
            people[key] = nil
            forget(key)
        }
        for number in 0..<400 where random.oneIn(2) { try insert(Int64(number * 3 - 49), transaction) }
    }

    /// Links to a person who is gone are null, or gone from collections.
    private mutating func forget(_ key: Int64) {
        let gone = Value.link(ObjectKey(key))
        for dog in dogs.keys where dogs[dog]?["owner"] == gone { dogs[dog]?["owner"] = .null }
        for person in people.keys {
            if people[person]?["boss"] == gone { people[person]?["boss"] = .null }
            if case .set(let friends) = people[person]?["friends"] { people[person]?["friends"] = .set(friends.filter { $0 != gone }) }
        }
    }

    // MARK: values

    private mutating func value(_ property: PropertySchema) -> Value {
        if property.collections.isEmpty { return Self.value(property.type, isNullable: property.isNullable, property.linkTarget, self, &random) }
        return collection(property, property.collections[...])
    }

    private mutating func collection(_ property: PropertySchema, _ kinds: ArraySlice<CollectionKind>) -> Value {
        guard let kind = kinds.first else { return Self.value(property.type, isNullable: property.isNullable, property.linkTarget, self, &random) }
        let count = random.oneIn(3) ? 0 : Int.random(in: 0...4, using: &random)
        var elements: [Value] = []
        for _ in 0..<count {
            let element = collection(property, kinds.dropFirst())
            if element == .null, property.type == .link || kind == .set { continue }
            elements.append(element)
        }
        switch kind {
        case .list: return .list(elements)
        case .set: return .set(Self.sorted(Array(Set(elements))))
        case .map: return .map(TextMap(elements.map { (["a", "b", "é", "long key"].randomElement(using: &random)!, $0) }) { first, _ in first })
        }
    }

    /// Sets keep whole numbers and keys in their order.
    private static func sorted(_ values: [Value]) -> [Value] { values.sorted { (ValueComparison.order($0, $1) ?? Self.key($0, $1)) < 0 } }

    private static func key(_ left: Value, _ right: Value) -> Int {
        guard case .link(let one) = left, case .link(let other) = right else { return 0 }
        return one.rawValue < other.rawValue ? -1 : one == other ? 0 : 1
    }

    static func value(_ type: PropertyType, isNullable: Bool, _ target: String?, _ kennel: Kennel, _ random: inout SeededRandom) -> Value {
        if isNullable, random.oneIn(5) { return .null }
        switch type {
        case .bool: return .bool(Bool.random(using: &random))
        case .int: return whole(&random, isNullable: false)
        case .float:
            guard case .double(let number) = real(&random, isNullable: false) else { return .null }
            return .float(Float(number))
        case .double: return real(&random, isNullable: false)
        case .string: return text(&random, isNullable: false)
        case .data: return .data([[], [0], [1, 2, 3], [1, 2], Array("ab".utf8)].randomElement(using: &random)!)
        case .date:
            return .date(Timestamp(seconds: [-1, 0, 1, 86_400, 1_700_000_000].randomElement(using: &random)!, nanoseconds: [0, 0, 5, 999_999_999].randomElement(using: &random)!))
        case .uuid: return .uuid(UniqueIdentifier(high: UInt64.random(in: 0...2, using: &random), low: UInt64.random(in: 0...2, using: &random)))
        case .objectId: return .objectId(ObjectIdentifier12(high: UInt64.random(in: 0...2, using: &random), low: UInt32.random(in: 0...2, using: &random)))
        case .decimal: return .decimal(["1.5", "1.50", "0.1", "-3", "100000000000000000000", "NaN"].compactMap { Decimal128($0) }.randomElement(using: &random)!)
        case .mixed:
            let types: [PropertyType] = [.bool, .int, .double, .string, .data, .date, .decimal]
            if random.oneIn(6) { return .list([.int(1), .string("a")].shuffled(using: &random)) }
            if random.oneIn(6) { return .map(["k": whole(&random, isNullable: true)]) }
            return value(types.randomElement(using: &random)!, isNullable: true, nil, kennel, &random)
        case .link:
            let keys = (target == "Dog" ? kennel.dogs : kennel.people).keys.sorted()
            return keys.randomElement(using: &random).map { .link(ObjectKey($0)) } ?? .null
        }
    }

    static func whole(_ random: inout SeededRandom, isNullable: Bool) -> Value {
        if isNullable, random.oneIn(5) { return .null }
        return .int(random.oneIn(12) ? [.min, .max, 1 << 53 + 1, -300].randomElement(using: &random)! : Int64.random(in: -3...9, using: &random))
    }

    static func real(_ random: inout SeededRandom, isNullable: Bool) -> Value {
        if isNullable, random.oneIn(5) { return .null }
        return .double([.nan, -0.0, 0, 1.5, 0.1, -2, 3, .infinity, -.infinity, 1e300, 9_007_199_254_740_992].randomElement(using: &random)!)
    }

    static let texts = ["", "a", "A", "ab", "aB", "AB", "abc", "b", "ba", "ä", "Ä", "a\u{308}", "é", "e\u{301}", "ß", "SS", "ς", "Σ", "σ", "日本", "x y", "a*b", "a?b", "\0",
                        "\0a", "İ", "i", String(repeating: "ab", count: 200), "K", "\u{212A}"]

    static func text(_ random: inout SeededRandom, isNullable: Bool) -> Value {
        if isNullable, random.oneIn(5) { return .null }
        if random.oneIn(200) { return .string(String(repeating: "long ", count: 12_000)) }
        return .string(texts.randomElement(using: &random)!)
    }
}

// MARK: changing a little

extension Kennel {
    /// Changes a few people and dogs, deletes and makes some; what they hold is not noted in the dictionaries.
    mutating func changeSome(in transaction: WriteTransaction, atMost count: Int) throws {
        let people = try transaction.table("Person"), dogs = try transaction.table("Dog")
        for _ in 0..<Int.random(in: 1...count, using: &random) {
            let persons = try people.keys(), animals = try dogs.keys()
            guard let person = persons.randomElement(using: &random), let dog = animals.randomElement(using: &random) else { return }
            switch Int.random(in: 0..<10, using: &random) {
            case 0: try transaction.delete(person, from: people)
            case 1: try transaction.delete(dog, from: dogs)
            case 2: try insert(Int64.random(in: 2000...9000, using: &random), transaction, among: persons, animals)
            case 3:
                // Another one under the same key.
                try transaction.delete(person, from: people)
                try insert(person.rawValue, transaction, among: persons.filter { $0 != person }, animals)
            case 4: try transaction.set(dog, in: dogs, dogs.column("age"), to: .int(Int64.random(in: 0...9, using: &random)))
            case 5: try transaction.set(dog, in: dogs, dogs.column("name"), to: Self.text(&random, isNullable: true))
            case 6: try transaction.set(dog, in: dogs, dogs.column("owner"), to: .link(person))
            default:
                let property = Self.person.properties.randomElement(using: &random)!
                guard property.name != "id" else { continue }
                try transaction.set(person, in: people, people.column(property.name), to: liveValue(property, among: persons, animals))
            }
        }
    }

    private mutating func insert(_ id: Int64, _ transaction: WriteTransaction, among people: [ObjectKey], _ dogs: [ObjectKey]) throws {
        if try transaction.table("Person").contains(ObjectKey(id)) { return }
        var values: [(String, Value)] = []
        for property in Self.person.properties where property.name != "id" { values.append((property.name, liveValue(property, among: people, dogs))) }
        try transaction.insert(into: "Person", key: .int(id), values)
    }

    private mutating func liveValue(_ property: PropertySchema, among people: [ObjectKey], _ dogs: [ObjectKey]) -> Value {
        self.people = Dictionary(uniqueKeysWithValues: people.map { ($0.rawValue, [:]) })
        self.dogs = Dictionary(uniqueKeysWithValues: dogs.map { ($0.rawValue, [:]) })
        return value(property)
    }
}
