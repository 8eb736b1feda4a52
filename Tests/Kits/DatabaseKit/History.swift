@testable import FreeholdEngine
import TestKit

/// A random life of a database, told by a seed: each step changes database and model alike.
public struct History {
    public var random: SeededRandom
    /// The committed state.
    public internal(set) var model = NaiveDatabase()
    /// The most objects one step inserts.
    public var bulk = 400
    /// Classes to be made beside those of `schema`.
    public var extraClasses: [ClassSchema] = []
    /// Whether classes and properties are also dropped, renamed and changed.
    public var reshapes = false

    /// Whether there are the classes of `keyed` too.
    private let isKeyed: Bool
    /// Whether there are classes that extend others.
    private let isRelated: Bool

    public init(seed: UInt64) {
        isRelated = seed % 3 == 1
        random = SeededRandom(seed: seed)
        isKeyed = seed % 2 == 0
    }

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
        ClassSchema("Plain", [PropertySchema("value", .int), PropertySchema("any", .mixed), PropertySchema("price", .decimal, isIndexed: true)]),
    ] + collectionClasses

    /// Classes of the kinds of keys and indexes that `schema` lacks.
    public static let keyed = [
        ClassSchema("Seat", primaryKey: ["row", "seat"], indexes: [IndexSchema(["guest", "price"])], [
            PropertySchema("row", .string), PropertySchema("seat", .int, isNullable: true),
            PropertySchema("guest", .string, isNullable: true), PropertySchema("price", .decimal),
        ]),
        ClassSchema("Badge", primaryKey: "code", indexes: [IndexSchema(["kind", "rank"], isUnique: true)], [
            PropertySchema("code", .uuid, isNullable: true), PropertySchema("kind", .mixed), PropertySchema("rank", .int),
            PropertySchema("mail", .string, isNullable: true, isUnique: true),
        ]),
    ]

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
    mutating func begin(_ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        guard draft.order.isEmpty else { return }
        for schema in Self.schema + (isKeyed ? Self.keyed : []) + (isRelated ? Self.related : []) + extraClasses {
            try transaction.createClass(schema)
            draft.createClass(schema)
        }
        try insertSpots(transaction, &draft)
    }

    /// The state that the transaction under way would commit, for crash tests that need both sides.
    mutating func step(_ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7: try insert(1, transaction, &draft)
        case 7: try insert(Int.random(in: 1...bulk, using: &random), transaction, &draft)
        case 8..<13: try change(transaction, &draft)
        case 13..<16: try delete(transaction, &draft)
        case 16: for _ in 0..<Int.random(in: 1...60, using: &random) { try delete(transaction, &draft) }
        case 17 where isRelated && random.oneIn(2): try changeFamily(transaction, &draft)
        case 17: for _ in 0..<Int.random(in: 1...60, using: &random) { try change(transaction, &draft) }
        case 18 where reshapes && random.oneIn(2): try reshape(transaction, &draft)
        case 18 where random.oneIn(3): try count(transaction, &draft)
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
            let values = draft.classes[name]!.schema.properties.map { value($0, draft) }
            if draft.classes[name]!.isTaken(values) {
                try expect(.duplicateKey) { _ = try transaction.insert(into: table, values: values) }
                continue
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
        if schema.primaryKeys.contains(schema.properties[place].name) { return }
        if !schema.properties[place].collections.isEmpty || Self.isEmbedded(schema.properties[place]) {
            return try changeCollection(name, key, place, transaction, &draft)
        }
        let new = value(schema.properties[place], draft)
        // An object is also known by the classes that its own extends.
        let table = try transaction.table(random.oneIn(2) ? name : draft.root(of: name), withSubclasses: true)
        let column = try transaction.table(name).column(schema.properties[place].name)
        var changed = draft.classes[name]!.objects[key]!
        changed[place] = new
        if draft.classes[name]!.isTaken(changed, butFor: key) {
            return try expect(.duplicateKey) {
                try transaction.set(ObjectKey(key), in: table, column, to: new)
            }
        }
        try transaction.set(ObjectKey(key), in: table, column, to: new)
        draft.set(name, key, place, new)
        let read = try table.value(ObjectKey(key), column)
        guard read == new || "\(read)" == "\(new)" else { throw Unexpected("set \(new), read back \(read)") }
    }

    private mutating func count(_ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        let name = draft.root(of: draft.order.randomElement(using: &random)!), sequence = ["one", "two", "three"].randomElement(using: &random)!
        let table = try transaction.table(name), expected = (draft.classes[name]!.sequences[sequence] ?? 0) + 1
        let given = try transaction.next(sequence, of: table)
        guard given == expected else { throw Unexpected("sequence '\(sequence)' of \(name) gave \(given) instead of \(expected)") }
        draft.classes[name]!.sequences[sequence] = given
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
        if draft.isFamily(name) { return try addProperty(to: name, transaction, &draft) }
        let number = reshapes ? draft.newIdentity() : draft.classes[name]!.schema.properties.count
        let types: [PropertyType] = [.int, .string, .double, .date, .bool, .decimal, .mixed]
        let property = PropertySchema("added\(number)", types.randomElement(using: &random)!, isNullable: random.oneIn(2),
                                      isIndexed: random.oneIn(2))
        try transaction.addProperty(property, to: name)
        draft.classes[name]!.schema.properties.append(property)
        draft.classes[name]!.properties.append(draft.newIdentity())
        let filler = NaiveDatabase.filler(property)
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
