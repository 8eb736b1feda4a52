@testable import FreeholdEngine

/// What deleting takes along, in the plainest way.
extension NaiveDatabase {
    struct Object: Hashable {
        let name: String
        let key: Int64
    }

    /// Every object that goes with one, it first; nil if one of them may not.
    func doomed(_ name: String, _ key: Int64) -> [Object]? {
        var doomed = [Object(name: name, key: key)], looked = 0
        var guarded: [Object] = []
        while looked < doomed.count {
            let object = doomed[looked], stored = classes[object.name]!
            looked += 1
            for (place, property) in stored.schema.properties.enumerated() {
                guard let target = property.linkTarget else { continue }
                let isOwned = classes[target]!.schema.isEmbedded
                for link in stored.objects[object.key]![place].targets {
                    let linked = Object(name: concrete(target, link), key: link)
                    if property.deleteRule == .deny { guarded.append(linked) }
                    if property.deleteRule == .cascade || isOwned, !doomed.contains(linked) { doomed.append(linked) }
                }
            }
        }
        return guarded.allSatisfy { doomed.contains($0) } ? doomed : nil
    }

    /// Deletes an object with what goes with it.
    public mutating func delete(_ name: String, _ key: Int64) { delete(doomed(name, key) ?? []) }

    /// Deletes objects and every link to them.
    mutating func delete(_ objects: [Object]) {
        for object in objects {
            classes[object.name]!.objects[object.key] = nil
            classes[object.name]!.births[object.key] = nil
            let gone = ObjectReference(classNumber: classes[root(of: object.name)]!.number, key: ObjectKey(object.key))
            for (name, stored) in classes {
                for (place, property) in stored.schema.properties.enumerated() where property.type == .mixed {
                    for (source, values) in stored.objects where values[place].hasReference(where: { $0 == gone }) {
                        classes[name]!.objects[source]![place] = values[place].withoutReferences { $0 == gone }
                    }
                }
                for (place, property) in stored.schema.properties.enumerated() where property.linkTarget.map({ root(of: $0) }) == root(of: object.name) {
                    for (source, values) in stored.objects where values[place].links(to: object.key) {
                        classes[name]!.objects[source]![place] = values[place].without(object.key) ?? .null
                    }
                }
            }
        }
    }

    /// Takes over an embedded object just made.
    mutating func embed(_ key: ObjectKey, _ values: [(String, Value)]) throws -> ObjectKey {
        let stored = classes["Part"]!
        let all = stored.schema.properties.map { property in values.first { $0.0 == property.name }?.1 ?? Self.filler(property) }
        guard insert("Part", all) == key.rawValue else { throw Unexpected("an embedded object has key \(key) instead of \(stored.nextKey)") }
        return key
    }

    /// Sets a property of embedded objects; those that it had and has not go.
    mutating func letGo(_ name: String, _ key: Int64, _ place: Int, to value: Value) {
        let before = classes[name]!.objects[key]![place].targets
        set(name, key, place, value)
        for target in before.subtracting(value.targets).sorted() { delete(doomed("Part", target) ?? []) }
    }
}

extension Value {
    /// The keys that it links to.
    var targets: Set<Int64> {
        switch self {
        case .link(let key): [key.rawValue]
        case .list(let values), .set(let values): values.reduce(into: []) { $0.formUnion($1.targets) }
        case .map(let entries): entries.values.reduce(into: []) { $0.formUnion($1.targets) }
        default: []
        }
    }

    func links(to target: Int64) -> Bool {
        switch self {
        case .link(let key): key.rawValue == target
        case .list(let values), .set(let values): values.contains { $0.links(to: target) }
        case .map(let entries): entries.values.contains { $0.links(to: target) }
        default: false
        }
    }

    /// The value after an object is gone; nil for the very link to it.
    func without(_ target: Int64) -> Value? {
        switch self {
        case .link(let key): key.rawValue == target ? nil : self
        case .list(let values): .list(values.compactMap { $0.without(target) })
        case .set(let values): .set(values.compactMap { $0.without(target) })
        case .map(let entries): .map(entries.mapValues { $0.without(target) ?? .null })
        default: self
        }
    }

    /// The same text for equal values: a map's entries stand in the order of keys.
    var description: String {
        switch self {
        case .list(let values), .set(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .map(let entries): "[" + entries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.description)" }.joined(separator: ", ") + "]"
        default: "\(self)"
        }
    }
}
