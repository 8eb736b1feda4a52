@testable import FreeholdEngine
import TestKit

/// A random life of a database, told by a seed: each step changes database and model alike.
public struct History {
    public var random: SeededRandom
    /// The committed state.
    public internal(set) var model = NaiveDatabase()
    /// The most objects one step inserts.
    public var bulk = 400
    /// Whether classes and properties are also dropped, renamed and changed.
    public var reshapes = false

    public init(seed: UInt64) { random = SeededRandom(seed: seed) }

    public static let schema = [
        ClassSchema("Everything", primaryKey: "id", [
            PropertySchema("id", .int), PropertySchema("flag", .bool), PropertySchema("number", .int, isNullable: true, isIndexed: true),
            PropertySchema("small", .float), PropertySchema("real", .double, isNullable: true),
            PropertySchema("text", .string, isIndexed: true), PropertySchema("note", .string, isNullable: true),
            PropertySchema("bytes", .data, isNullable: true), PropertySchema("when", .date, isNullable: true, isIndexed: true),
            PropertySchema("uuid", .uuid), PropertySchema("oid", .objectId, isNullable: true),
            PropertySchema("next", linkTo: "Everything"),
        ]),
        ClassSchema("Named", primaryKey: "name", [
            PropertySchema("name", .string), PropertySchema("rank", .int), PropertySchema("owner", linkTo: "Everything"),
        ]),
        ClassSchema("Plain", [PropertySchema("value", .int)]),
    ] + collectionClasses

    /// Runs one write transaction of a few steps; the model follows if it commits.
    public mutating func transact(on database: Database, durability: Durability) throws {
        let transaction = try database.beginWrite(timeoutMilliseconds: 1000)
        var draft = model
        do {
            try begin(transaction, &draft)
            for _ in 0...Int.random(in: 0..<6, using: &random) { try step(transaction, &draft) }
            if random.oneIn(8) { return transaction.rollback() }
            _ = try transaction.commit(durability)
        } catch let error as FreeholdError where error.code == .notYetDurable {
            model = draft
            throw error
        }
        model = draft
    }

    /// Makes the classes if there are none yet.
    func begin(_ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        guard draft.order.isEmpty else { return }
        for schema in Self.schema {
            try transaction.createClass(schema)
            draft.createClass(schema)
        }
    }

    /// The state that the transaction under way would commit, for crash tests that need both sides.
    mutating func step(_ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7: try insert(1, transaction, &draft)
        case 7: try insert(Int.random(in: 1...bulk, using: &random), transaction, &draft)
        case 8..<13: try change(transaction, &draft)
        case 13..<16: try delete(transaction, &draft)
        case 16: for _ in 0..<Int.random(in: 1...60, using: &random) { try delete(transaction, &draft) }
        case 17: for _ in 0..<Int.random(in: 1...60, using: &random) { try change(transaction, &draft) }
        case 18 where reshapes && random.oneIn(2): try reshape(transaction, &draft)
        case 18: try addProperty(transaction, &draft)
        default: try refuse(transaction, draft)
        }
    }

    private mutating func insert(_ count: Int, _ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        let name = draft.order.randomElement(using: &random)!
        if draft.classes[name]!.schema.isEmbedded {
            return try expect(.invalidArgument) { _ = try transaction.insert(into: name, []) }
        }
        for _ in 0..<min(count, name == "Shelf" ? 40 : count) {
            let table = try transaction.table(name)
            var values = draft.classes[name]!.schema.properties.map { value($0, draft) }
            if let key = draft.classes[name]!.schema.primaryKey {
                let place = draft.classes[name]!.index(key)
                let isTaken = draft.find(name, primaryKey: values[place]) != nil
                if isTaken {
                    let expected = values[place]
                    values[place] = expected
                    try expect(.duplicateKey) { _ = try transaction.insert(into: table, values: values) }
                    continue
                }
            }
            let key = try transaction.insert(into: table, values: values)
            let modelled = draft.insert(name, values)
            guard key.rawValue == modelled else { throw Unexpected("insert gave key \(key) instead of \(modelled)") }
        }
    }

    private mutating func change(_ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        guard let (name, key) = anyObject(draft) else { return }
        let schema = draft.classes[name]!.schema
        let place = Int.random(in: 0..<schema.properties.count, using: &random)
        if schema.properties[place].name == schema.primaryKey { return }
        if !schema.properties[place].collections.isEmpty || Self.isEmbedded(schema.properties[place]) {
            return try changeCollection(name, key, place, transaction, &draft)
        }
        let new = value(schema.properties[place], draft)
        let table = try transaction.table(name)
        try transaction.set(ObjectKey(key), in: table, table.column(schema.properties[place].name), to: new)
        draft.set(name, key, place, new)
        let read = try table.value(ObjectKey(key), table.column(schema.properties[place].name))
        guard read == new || "\(read)" == "\(new)" else { throw Unexpected("set \(new), read back \(read)") }
    }

    private mutating func delete(_ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        guard let (name, key) = anyObject(draft) else { return }
        guard let doomed = draft.doomed(name, key) else {
            return try expect(.deleteDenied) { try transaction.delete(ObjectKey(key), from: transaction.table(name)) }
        }
        try transaction.delete(ObjectKey(key), from: transaction.table(name))
        draft.delete(doomed)
        guard try transaction.table(name).row(ObjectKey(key)) == nil else { throw Unexpected("object \(key) is still there") }
    }

    private mutating func addProperty(_ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        guard random.oneIn(4), let name = draft.order.randomElement(using: &random),
              draft.classes[name]!.schema.properties.count < 16 else { return }
        let number = reshapes ? draft.newIdentity() : draft.classes[name]!.schema.properties.count
        let types: [PropertyType] = [.int, .string, .double, .date, .bool]
        let property = PropertySchema("added\(number)", types.randomElement(using: &random)!, isNullable: random.oneIn(2),
                                      isIndexed: random.oneIn(2))
        try transaction.addProperty(property, to: name)
        draft.classes[name]!.schema.properties.append(property)
        draft.classes[name]!.properties.append(draft.newIdentity())
        let filler: Value = property.isNullable ? .null : zero(property.type)
        for key in draft.classes[name]!.objects.keys { draft.classes[name]!.objects[key]!.append(filler) }
    }

    /// Things that must be refused and change nothing.
    private mutating func refuse(_ transaction: WriteTransaction, _ draft: NaiveDatabase) throws {
        let names = draft.classes["Everything"]!.schema.properties.map(\.name)
        guard ["flag", "text", "next"].allSatisfy(names.contains), draft.isAsMade("Everything") else { return }
        let table = try transaction.table("Everything")
        try expect(.noSuchObject) { try transaction.delete(ObjectKey(-99_999), from: table) }
        try expect(.unknownProperty) { _ = try table.column("nmber") }
        try expect(.unknownClass) { _ = try transaction.table("Evrything") }
        if let key = draft.classes["Everything"]!.objects.keys.min() {
            try expect(.typeMismatch) { try transaction.set(ObjectKey(key), in: table, table.column("flag"), to: .string("x")) }
            try expect(.notNullable) { try transaction.set(ObjectKey(key), in: table, table.column("text"), to: .null) }
            try expect(.noSuchObject) { try transaction.set(ObjectKey(key), in: table, table.column("next"), to: .link(ObjectKey(-99_999))) }
        }
    }

    func expect(_ code: FreeholdError.Code, _ body: () throws -> Void) throws {
        do { try body() } catch let error as FreeholdError where error.code == code { return }
        throw Unexpected("an error \(code.name) was expected")
    }

    private mutating func anyObject(_ draft: NaiveDatabase) -> (String, Int64)? {
        let name = draft.order.randomElement(using: &random)!
        let keys = draft.classes[name]!.objects.keys.sorted()
        return keys.randomElement(using: &random).map { (name, $0) }
    }
}

/// A test's own complaint.
public struct Unexpected: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}
