@testable import FreeholdEngine
import TestKit

/// Collections of mixed values in a random history.
extension History {
    static let mixedClass = ClassSchema("Anything", [
        PropertySchema("list", .mixed, collections: [.list]), PropertySchema("set", .mixed, collections: [.set]),
        PropertySchema("map", .mixed, collections: [.map]), PropertySchema("maps", .mixed, collections: [.list, .map]),
        PropertySchema("lists", .mixed, collections: [.map, .list]), PropertySchema("single", .mixed),
    ])

    /// Changes a list or map that is an element; false if the collection has none.
    mutating func changeElement(_ name: String, _ key: Int64, _ place: Int, _ transaction: WriteTransaction,
                                _ draft: inout NaiveDatabase) throws -> Bool {
        let property = draft.classes[name]!.schema.properties[place]
        var model = draft.classes[name]!.objects[key]![place]
        guard let path = path(in: model, property.collections.count) else { return false }
        let added = value(property.withoutCollections, draft), change: CollectionChange
        if case .map = model.element(at: path[...]) { change = .put([("key 1", added)]) } else { change = .insert([added], at: nil) }
        let table = try transaction.table(name), column = try table.column(property.name)
        try CollectionWriter(transaction: transaction, table: table, key: ObjectKey(key), column: column, path: path).change(change)
        model.add(added, at: path[...])
        draft.set(name, key, place, model)
        return true
    }

    /// A way through so many declared collections to an element that is one itself.
    private mutating func path(in value: Value, _ depth: Int) -> [CollectionStep]? {
        let steps: [(CollectionStep, Value)] = switch value {
        case .list(let values): values.enumerated().map { (.position($0), $1) }
        case .map(let entries): entries.sortedByKey.map { (.key($0.key), $0.value) }
        default: []
        }
        guard let (step, inner) = steps.filter({ $0.1.collectionKind != nil }).randomElement(using: &random) else { return nil }
        return depth == 1 ? [step] : path(in: inner, depth - 1).map { [step] + $0 }
    }
}

extension PropertySchema {
    /// One of its elements.
    fileprivate var withoutCollections: PropertySchema {
        var element = self
        element.collections = []
        return element
    }
}

extension Value {
    fileprivate func element(at path: ArraySlice<CollectionStep>) -> Value {
        switch (self, path.first) {
        case (.list(let values), .position(let position)): values[position].element(at: path.dropFirst())
        case (.map(let entries), .key(let key)): entries[key]!.element(at: path.dropFirst())
        default: self
        }
    }

    /// Appends to the list, or sets `key 1` of the map, that the path leads to.
    fileprivate mutating func add(_ value: Value, at path: ArraySlice<CollectionStep>) {
        switch (self, path.first) {
        case (.list(var values), .position(let position)):
            values[position].add(value, at: path.dropFirst())
            self = .list(values)
        case (.map(var entries), .key(let key)):
            entries[key]!.add(value, at: path.dropFirst())
            self = .map(entries)
        case (.list(let values), _): self = .list(values + [value])
        case (.map(var entries), _):
            entries["key 1"] = value
            self = .map(entries)
        default: break
        }
    }
}

extension Comparison {
    /// Objects that are followed back otherwise from what mixed values link to.
    static func mixedDifferences(_ stored: NaiveDatabase.Class, _ table: Table) throws -> [String] {
        var found: [String] = []
        for (place, property) in stored.schema.properties.enumerated() where property.type == .mixed {
            let column = try table.column(property.name)
            var sources: [LinkTarget: Set<Int64>] = [:]
            for (key, values) in stored.objects {
                for target in values[place].linkTargets { sources[target, default: []].insert(key) }
            }
            for (target, keys) in sources {
                guard case .object(let object) = target.value else { continue }
                let listed = try table.backlinks(to: object, from: column).map(\.rawValue)
                if listed != keys.sorted() { found.append("\(stored.schema.name).\(property.name) back from \(object): \(listed) instead of \(keys.sorted())") }
            }
        }
        return found
    }
}
