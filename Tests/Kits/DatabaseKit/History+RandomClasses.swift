@testable import FreeholdEngine
import TestKit

/// Classes that no author chose.
extension History {
    /// A few classes of random properties, keys, indexes, links and delete rules, to be made beside `schema`.
    public mutating func randomClasses() -> [ClassSchema] {
        let names = (1...Int.random(in: 1...3, using: &random)).map { "Random\($0)" }
        return names.enumerated().map { place, name in
            randomClass(name, targets: ["Everything", "Plain"] + names[...place])
        }
    }

    private mutating func randomClass(_ name: String, targets: [String]) -> ClassSchema {
        var properties = (0..<Int.random(in: 1...9, using: &random)).map { randomProperty("property\($0)", targets) }
        var keys: [String] = []
        if random.oneIn(2) {
            keys = ["id", "name"].prefix(Int.random(in: 1...2, using: &random)).map { $0 }
            if random.oneIn(3) { keys.reverse() }
            properties += keys.map { PropertySchema($0, $0 == "name" ? .string : randomKeyType(), isNullable: random.oneIn(4)) }
        }
        // A mixed value may be a list, which neither a unique property nor an index over several has.
        let single = properties.filter { $0.collections.isEmpty && ![.data, .mixed].contains($0.type) }.map(\.name)
        var indexes: [IndexSchema] = []
        if single.count > 1, random.oneIn(2) {
            let chosen = single.shuffled(using: &random).prefix(Int.random(in: 2...3, using: &random))
            indexes.append(IndexSchema(Array(chosen), isUnique: random.oneIn(3)))
        }
        properties.shuffle(using: &random)
        return keys.count > 1 ? ClassSchema(name, primaryKey: keys, indexes: indexes, properties)
            : ClassSchema(name, primaryKey: keys.first, indexes: indexes, properties)
    }

    private mutating func randomKeyType() -> PropertyType {
        [.int, .string, .uuid, .objectId, .date].randomElement(using: &random)!
    }

    private mutating func randomProperty(_ name: String, _ targets: [String]) -> PropertySchema {
        let kinds = randomCollections()
        if random.oneIn(4) {
            let rule = [DeleteRule.nullify, .nullify, .cascade, .deny].randomElement(using: &random)!
            return PropertySchema(name, linkTo: targets.randomElement(using: &random)!, deleteRule: rule, collections: kinds)
        }
        let types: [PropertyType] = [.bool, .int, .float, .double, .string, .data, .date, .uuid, .objectId, .decimal, .mixed]
        let type = types.randomElement(using: &random)!
        let isIndexed = kinds.isEmpty && type != .data && random.oneIn(3)
        return PropertySchema(name, type, isNullable: random.oneIn(3), isIndexed: isIndexed,
                              isUnique: isIndexed && ![.bool, .mixed].contains(type) && random.oneIn(3), collections: kinds)
    }

    /// None mostly; a set is the innermost one.
    private mutating func randomCollections() -> [CollectionKind] {
        guard random.oneIn(3) else { return [] }
        let outer = (0..<[0, 0, 1, 2].randomElement(using: &random)!).map { _ in random.oneIn(2) ? CollectionKind.list : .map }
        return outer + [[CollectionKind.list, .map, .set].randomElement(using: &random)!]
    }

    /// A write transaction with some steps that its process will not live to commit; the model knows nothing of it.
    public mutating func begin(on database: Database) throws -> WriteTransaction {
        let transaction = try database.beginWrite(timeoutMilliseconds: 1000)
        var draft = model
        try begin(transaction, &draft)
        for _ in 0..<3 { try step(transaction, &draft) }
        return transaction
    }

    /// Goes on from a state that it had before.
    public mutating func resume(from model: NaiveDatabase) { self.model = model }
}
