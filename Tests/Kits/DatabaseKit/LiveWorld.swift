@testable import FreeholdEngine
import TestKit

/// A small database with links and collections of every kind, and random changes to it: what tests of live answers watch.
public struct LiveWorld {
    private static let item = ClassSchema("Item", [
        PropertySchema("name", .string), PropertySchema("number", .int), PropertySchema("next", linkTo: "Item"),
    ])
    /// `serial` tells owners that had the same key apart.
    private static let owner = ClassSchema("Owner", primaryKey: "id", [
        PropertySchema("id", .int), PropertySchema("serial", .int), PropertySchema("title", .string), PropertySchema("number", .int, isIndexed: true),
        PropertySchema("best", linkTo: "Item"), PropertySchema("items", linkTo: "Item", collections: [.list]),
        PropertySchema("chosen", linkTo: "Item", collections: [.set]), PropertySchema("named", linkTo: "Item", collections: [.map]),
        PropertySchema("words", .string, isNullable: true, collections: [.list]), PropertySchema("numbers", .int, collections: [.set]),
        PropertySchema("notes", .string, collections: [.map]), PropertySchema("grid", .int, collections: [.list, .list]),
        PropertySchema("any", .mixed),
    ])
    static let collections: [(name: String, kind: CollectionKind)] = [
        ("items", .list), ("chosen", .set), ("named", .map), ("words", .list), ("numbers", .set), ("notes", .map), ("grid", .list), ("any", .list),
    ]
    /// Owners' keys are below this, so that one that was given comes again.
    private static let keys: Int64 = 24

    private var random: SeededRandom
    private var serial: Int64

    public init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        serial = Int64(seed % 1000) * 1_000_000
    }

    /// Makes the classes and a few objects.
    public mutating func make(in transaction: WriteTransaction) throws {
        try transaction.createClass(Self.item)
        try transaction.createClass(Self.owner)
        for _ in 0..<20 { try addItem(transaction) }
        for key in 0..<Self.keys where random.oneIn(2) { try addOwner(key, transaction) }
    }

    /// Changes a few things.
    public mutating func change(in transaction: WriteTransaction, atMost most: Int) throws {
        if random.oneIn(10) { try replaceProperty(transaction) }
        for _ in 0..<Int.random(in: 1...most, using: &random) {
            let items = try transaction.table("Item"), owners = try transaction.table("Owner")
            let key = Int64.random(in: 0..<Self.keys, using: &random), item = try items.keys().randomElement(using: &random)
            switch Int.random(in: 0..<14, using: &random) {
            case 0: try addItem(transaction)
            case 1: if let item { try transaction.delete(item, from: items) }
            case 2...3: if let item { try transaction.set(item, in: items, items.column("number"), to: number()) }
            case 4: if let item { try transaction.set(item, in: items, items.column("name"), to: text()) }
            case 5: if let item { try transaction.set(item, in: items, items.column("next"), to: link(transaction)) }
            default: try changeOwner(key, owners, transaction)
            }
        }
    }

    /// Drops a property and adds it again: then it has the same name and the values that it begins with. Half the time it is the last one, so
    /// that names and order stay as they were.
    private mutating func replaceProperty(_ transaction: WriteTransaction) throws {
        let name = random.oneIn(2) ? "Item" : "Owner", properties = try transaction.table(name).schema.properties
        guard let property = random.oneIn(2) ? properties.last : properties.randomElement(using: &random) else { return }
        if ["id", "serial"].contains(property.name) { return }
        try transaction.dropProperty(property.name, from: name)
        try transaction.addProperty(property, to: name)
    }

    private mutating func changeOwner(_ id: Int64, _ owners: Table, _ transaction: WriteTransaction) throws {
        let key = ObjectKey(id)
        guard try owners.contains(key) else { return try addOwner(id, transaction) }
        switch Int.random(in: 0..<14, using: &random) {
        case 0: try transaction.delete(key, from: owners)
        case 1:
            try transaction.delete(key, from: owners)
            try addOwner(id, transaction)
        case 2...3: try transaction.set(key, in: owners, owners.column("number"), to: number())
        case 4: try transaction.set(key, in: owners, owners.column("title"), to: text())
        case 5: try transaction.set(key, in: owners, owners.column("best"), to: link(transaction))
        default: try changeCollection(key, owners, transaction)
        }
    }

    private mutating func addItem(_ transaction: WriteTransaction) throws {
        try transaction.insert(into: "Item", [("name", text()), ("number", number()), ("next", link(transaction))])
    }

    private mutating func addOwner(_ id: Int64, _ transaction: WriteTransaction) throws {
        serial += 1
        try transaction.insert(into: "Owner", key: .int(id), [
            ("serial", .int(serial)), ("title", text()), ("number", number()), ("best", link(transaction)),
        ])
        for _ in 0..<3 { try changeCollection(ObjectKey(id), transaction.table("Owner"), transaction) }
    }

    // MARK: collections

    private mutating func changeCollection(_ key: ObjectKey, _ owners: Table, _ transaction: WriteTransaction) throws {
        let (name, kind) = Self.collections.randomElement(using: &random)!, column = try owners.column(name)
        if name == "any" { return try transaction.set(key, in: owners, column, to: mixed(transaction)) }
        switch kind {
        case .list: try changeList(name, try transaction.list(of: key, in: owners, column), transaction)
        case .set:
            let set = try transaction.set(of: key, in: owners, column), element = try element(name, transaction)
            if random.oneIn(8) { return try set.removeAll() }
            guard element != .null else { return }
            if random.oneIn(3) { try set.remove(element) } else { try set.insert(element) }
        case .map:
            let map = try transaction.map(of: key, in: owners, column)
            let name2 = ["a", "b", "ä", "long key", "c", "d"].randomElement(using: &random)!
            if random.oneIn(9) { return try map.removeAll() }
            if random.oneIn(3) { return try map.remove(name2) }
            try map.set(try element(name, transaction), for: name2)
        }
    }

    private mutating func changeList(_ name: String, _ list: ListWriter, _ transaction: WriteTransaction) throws {
        let count = try list.view().count, element = try element(name, transaction)
        if element == .null, name == "items" { return }
        let place = count == 0 ? 0 : Int.random(in: 0..<count, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0 where count > 0: try list.remove(at: place)
        case 1 where count > 0: try list.replace(at: place, with: element)
        case 2 where count > 1: try list.move(from: place, to: Int.random(in: 0..<count, using: &random))
        case 3 where count > 1: try list.swap(place, Int.random(in: 0..<count, using: &random))
        case 4 where random.oneIn(3): try list.removeAll()
        // Now and then so many that they stand in a tree.
        case 5 where random.oneIn(6): try list.append(contentsOf: Array(repeating: element, count: Int.random(in: 1...300, using: &random)))
        case 6 where name == "grid" && count > 0: try list.list(at: place).append(number())
        default: try list.insert(element, at: place)
        }
    }

    private mutating func element(_ name: String, _ transaction: WriteTransaction) throws -> Value {
        switch name {
        case "items", "chosen", "named": try link(transaction)
        case "words": random.oneIn(5) ? .null : text()
        case "notes": text()
        case "grid": .list((0..<Int.random(in: 0...3, using: &random)).map { _ in number() })
        default: number()
        }
    }

    private mutating func mixed(_ transaction: WriteTransaction) throws -> Value {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return number()
        case 1: return .map(["k": number(), "l": text()])
        default:
            guard case .link(let key) = try link(transaction) else { return .list([number()]) }
            let item = try transaction.table("Item").reference(to: key)
            return .list((0..<Int.random(in: 0...4, using: &random)).map { _ in random.oneIn(2) ? .object(item) : number() })
        }
    }

    private mutating func number() -> Value { .int(Int64.random(in: 0...5, using: &random)) }
    private mutating func text() -> Value { .string(["", "a", "ab", "b", "ä"].randomElement(using: &random)!) }
    private mutating func link(_ transaction: WriteTransaction) throws -> Value {
        try transaction.table("Item").keys().randomElement(using: &random).map { .link($0) } ?? .null
    }
}
