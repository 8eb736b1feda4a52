@testable import FreeholdEngine
import TestKit

/// Collections, delete rules and embedded objects in a random history.
extension History {
    static let collectionClasses = [
        ClassSchema("Part", isEmbedded: true, [
            PropertySchema("name", .string), PropertySchema("inner", linkTo: "Part"), PropertySchema("target", linkTo: "Everything"),
        ]),
        ClassSchema("Shelf", [
            PropertySchema("numbers", .int, collections: [.list]), PropertySchema("words", .string, isNullable: true, collections: [.list]),
            PropertySchema("tags", .string, collections: [.set]), PropertySchema("map", .date, isNullable: true, collections: [.map]),
            PropertySchema("nested", .string, collections: [.map, .list]), PropertySchema("rows", .double, collections: [.list, .list]),
            PropertySchema("links", linkTo: "Everything", collections: [.list]), PropertySchema("some", linkTo: "Everything", collections: [.set]),
            PropertySchema("named", linkTo: "Named", collections: [.map]),
            PropertySchema("plains", linkTo: "Plain", deleteRule: .cascade, collections: [.list]),
            PropertySchema("guarded", linkTo: "Named", deleteRule: .deny), PropertySchema("part", linkTo: "Part"),
            PropertySchema("parts", linkTo: "Part", collections: [.list]),
        ]),
        mixedClass,
    ]

    static func isEmbedded(_ property: PropertySchema) -> Bool { property.linkTarget == "Part" }

    /// A random collection, or one of its elements.
    mutating func collection(_ kinds: ArraySlice<CollectionKind>, _ property: PropertySchema, _ draft: NaiveDatabase) -> Value {
        guard let kind = kinds.first else {
            var single = property
            single.collections = []
            return value(single, draft)
        }
        let count = random.oneIn(25) ? Int.random(in: 0..<700, using: &random) : Int.random(in: 0..<6, using: &random)
        var values: [Value] = []
        for _ in 0..<(kinds.count > 1 ? min(count, 8) : count) {
            let element = collection(kinds.dropFirst(), property, draft)
            // Links to what does not exist are null; lists and sets have none.
            if element == .null, !property.isNullable { continue }
            values.append(element)
        }
        switch kind {
        case .list: return .list(values)
        case .set: return .set(values.filter { $0.collectionKind == nil }.inSetOrder(of: property.type))
        case .map:
            var entries: TextMap<Value> = [:]
            for value in values { entries[key()] = value }
            return .map(entries)
        }
    }

    private mutating func key() -> String { "key \(Int.random(in: 0..<60, using: &random))" }

    /// Changes a collection of an object, or makes an embedded object of it.
    mutating func changeCollection(_ name: String, _ key: Int64, _ place: Int, _ transaction: WriteTransaction,
                                   _ draft: inout NaiveDatabase) throws {
        let property = draft.classes[name]!.schema.properties[place]
        let table = try transaction.table(name), column = try table.column(property.name)
        if Self.isEmbedded(property) { return try changeEmbedded(property, name, key, place, table, transaction, &draft) }
        var change = CollectionChange.removeAll
        var model = draft.classes[name]!.objects[key]![place]
        if property.collections.isEmpty || random.oneIn(4) {
            let new = value(property, draft)
            try transaction.set(ObjectKey(key), in: table, column, to: new)
            draft.set(name, key, place, new)
            return
        }
        if property.type == .mixed, random.oneIn(4), try changeElement(name, key, place, transaction, &draft) { return }
        switch model {
        case .list(var values): change = listChange(&values, &model, property, draft)
        case .set(var values):
            guard case .set(let some) = collection(property.collections[...], property, draft) else { return }
            change = random.oneIn(2) ? .add(some) : .discard(some)
            if case .add = change { values = (values + some).inSetOrder(of: property.type) } else { values.removeAll { some.contains($0) } }
            model = .set(values)
        case .map(var entries):
            let entry = self.key()
            let element = collection(property.collections.dropFirst(), property, draft)
            if random.oneIn(3) || element == .null && !property.isNullable {
                change = .removeKeys([entry])
                entries[entry] = nil
            } else {
                change = .put([(entry, element)])
                entries[entry] = element
            }
            model = .map(entries)
        default: return
        }
        try CollectionWriter(transaction: transaction, table: table, key: ObjectKey(key), column: column).change(change)
        draft.set(name, key, place, model)
    }

    private mutating func listChange(_ values: inout [Value], _ model: inout Value, _ property: PropertySchema,
                                     _ draft: NaiveDatabase) -> CollectionChange {
        defer { model = .list(values) }
        guard !values.isEmpty, !random.oneIn(3) else {
            guard case .list(let some) = collection(property.collections[...], property, draft) else { return .removeAll }
            let position = Int.random(in: 0...values.count, using: &random)
            values.insert(contentsOf: some, at: position)
            return .insert(some, at: position)
        }
        let one = Int.random(in: 0..<values.count, using: &random), other = Int.random(in: 0..<values.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let range = min(one, other)..<max(one, other)
            values.removeSubrange(range)
            return .remove(range)
        case 1:
            values.insert(values.remove(at: one), at: other)
            return .move(one, other)
        case 2:
            values.swapAt(one, other)
            return .swap(one, other)
        default:
            let element = collection(property.collections.dropFirst(), property, draft)
            guard element != .null || property.isNullable else { return .insert([], at: 0) }
            values[one] = element
            return .replace(one, element)
        }
    }

    private mutating func changeEmbedded(_ property: PropertySchema, _ name: String, _ key: Int64, _ place: Int, _ table: Table,
                                         _ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        let values: [(String, Value)] = [("name", .string("part")), ("target", value(History.collectionClasses[0].properties[2], draft))]
        let column = try table.column(property.name), object = ObjectKey(key)
        if property.collections.isEmpty {
            if random.oneIn(3) {
                try transaction.set(object, in: table, column, to: .null)
                return draft.letGo(name, key, place, to: .null)
            }
            let made = try transaction.embed(values, in: object, of: table, column)
            return draft.letGo(name, key, place, to: .link(try draft.embed(made, values)))
        }
        guard case .list(var links) = draft.classes[name]!.objects[key]![place] else { return }
        let list = try transaction.list(of: object, in: table, column)
        if links.isEmpty || random.oneIn(2) {
            let position = Int.random(in: 0...links.count, using: &random)
            links.insert(.link(try draft.embed(list.embed(values, at: position), values)), at: position)
        } else {
            let position = Int.random(in: 0..<links.count, using: &random)
            try list.remove(at: position)
            links.remove(at: position)
        }
        draft.letGo(name, key, place, to: .list(links))
    }
}
