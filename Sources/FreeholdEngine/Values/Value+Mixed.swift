/// Collections as mixed values or as elements of mixed values, and the links in them.
extension Value {
    /// Whether a mixed property can hold the value, with collections nested at most that many levels deep.
    func isMixed(depth: Int) -> Bool {
        switch self {
        case .link, .set: false
        case .list(let values): depth > 0 && values.allSatisfy { $0.isMixed(depth: depth - 1) }
        case .map(let entries): depth > 0 && entries.values.allSatisfy { $0.isMixed(depth: depth - 1) }
        default: true
        }
    }

    /// The objects that a collection in a mixed property links to; empty for a single value.
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

    /// Whether the value, or a collection that it is, links to such an object.
    func hasReference(where isMeant: (ObjectReference) -> Bool) -> Bool {
        switch self {
        case .object(let object): isMeant(object)
        case .list(let values), .set(let values): values.contains { $0.hasReference(where: isMeant) }
        case .map(let entries): entries.values.contains { $0.hasReference(where: isMeant) }
        default: false
        }
    }

    /// The value after such objects are deleted: links to them become null, and sets drop them.
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
