import FreeholdEngine

/// What arrays a property was seen with, and so what list holds them all.
///
/// Lists within lists are told from how deep the values stand, which has to be the same everywhere.
struct ArrayEvidence {
    /// How deep the deepest array stood, from 1; 0 without any.
    private var depth = 0
    /// How deep values stood that are no arrays.
    private var valueDepths: Set<Int> = []
    private var elements: TypeEvidence = []
    private var hasNulls = false

    /// The deepest lists that a class can have.
    private static let deepest = 8

    /// Takes a value of the property into account.
    /// - Returns: the objects that it is or holds.
    mutating func objects(noting value: ImportedValue, isAllText: Bool) -> [ImportedObject] {
        switch value {
        case .object(let object): return [object]
        case .array(let values): return objects(noting: values, at: 1, isAllText: isAllText)
        default: return []
        }
    }

    /// Takes into account what another one has.
    mutating func formUnion(_ other: ArrayEvidence) {
        depth = max(depth, other.depth)
        valueDepths.formUnion(other.valueDepths)
        elements.formUnion(other.elements)
        hasNulls = hasNulls || other.hasNulls
    }

    private mutating func objects(noting values: [ImportedValue], at level: Int, isAllText: Bool) -> [ImportedObject] {
        depth = max(depth, level)
        var objects: [ImportedObject] = []
        for value in values {
            if case .array(let inner) = value {
                objects += self.objects(noting: inner, at: level + 1, isAllText: isAllText)
                continue
            }
            valueDepths.insert(level)
            elements.formUnion(TypeEvidence(value, isAllText: isAllText))
            if case .null = value { hasNulls = true }
            if case .object(let object) = value, value.tagged == nil { objects.append(object) }
        }
        return objects
    }

    /// The property of lists that holds everything seen; nil if there is none.
    /// - Parameter isLinked: whether its elements were said to be primary keys of `target`'s objects.
    func schema(_ name: String, linkTo target: String, isLinked: Bool, isAllText: Bool) -> PropertySchema? {
        guard depth > 0, depth <= Self.deepest, valueDepths.isEmpty || valueDepths == [depth] else { return nil }
        let lists = Array(repeating: CollectionKind.list, count: depth)
        if elements == .object || isLinked { return hasNulls ? nil : PropertySchema(name, linkTo: target, collections: lists) }
        if elements.contains(.object) { return nil }
        return PropertySchema(name, elements.type(isAllText: isAllText), isNullable: hasNulls, collections: lists)
    }
}
