/// Collections that mixed values are, or are elements of, and the links in them.
extension Value {
    /// Whether it is a value that a mixed property can have, with at most so many collections within one another.
    func isMixed(depth: Int) -> Bool {
        switch self {
        case .link, .set: false
        case .list(let values): depth > 0 && values.allSatisfy { $0.isMixed(depth: depth - 1) }
        case .map(let entries): depth > 0 && entries.values.allSatisfy { $0.isMixed(depth: depth - 1) }
        default: true
        }
    }

    /// The objects that a collection in a mixed property links to; none for a single value.
    var nestedReferences: Set<ObjectReference> {
        if collectionKind == nil { return [] }
        var found: Set<ObjectReference> = []
        func look(_ value: Value) {
            switch value {
            case .object(let object): found.insert(object)
            case .list(let values), .set(let values): for value in values { look(value) }
            case .map(let entries): for value in entries.values { look(value) }
            default: break
            }
        }
        look(self)
        return found
    }

    /// Whether it, or a collection that it is, links to such an object.
    func hasReference(where isMeant: (ObjectReference) -> Bool) -> Bool {
        switch self {
        case .object(let object): isMeant(object)
        case .list(let values), .set(let values): values.contains { $0.hasReference(where: isMeant) }
        case .map(let entries): entries.values.contains { $0.hasReference(where: isMeant) }
        default: false
        }
    }

    /// What is left when such objects are gone: null for the links to them, nothing in sets.
    func withoutReferences(where isMeant: (ObjectReference) -> Bool) -> Value {
        switch self {
        case .object(let object): isMeant(object) ? .null : self
        case .list(let values): .list(values.map { $0.withoutReferences(where: isMeant) })
        case .set(let values): .set(values.filter { !$0.hasReference(where: isMeant) })
        case .map(let entries): .map(entries.mapValues { $0.withoutReferences(where: isMeant) })
        default: self
        }
    }
}
