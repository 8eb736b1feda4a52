import FreeholdEngine

/// The shapes of arrays seen in a property, and the list type that holds them all.
///
/// Nested lists are inferred from the depth of the values, which must be the same everywhere.
struct ArrayEvidence {
    /// Depth of the deepest array seen, from 1; 0 without any.
    private var depth = 0
    /// Depths at which values other than arrays were seen.
    private var valueDepths: Set<Int> = []
    private var elements: TypeEvidence = []
    private var hasNulls = false

    /// The maximum nesting of lists in a class.
    private static let deepest = 8

    /// Records a value of the property.
    /// - Returns: the objects that it is or holds.
    mutating func objects(noting value: ImportedValue, isAllText: Bool) -> [ImportedObject] {
        switch value {
        case .object(let object): return [object]
        case .array(let values): return objects(noting: values, at: 1, isAllText: isAllText)
        default: return []
        }
    }

    /// Merges the evidence of another property.
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

    /// The list property that holds everything seen; nil if there is none.
    /// - Parameter isLinked: whether its elements are declared to be primary keys of `target`'s objects.
    func schema(_ name: String, linkTo target: String, isLinked: Bool, isAllText: Bool) -> PropertySchema? {
        guard depth > 0, depth <= Self.deepest, valueDepths.isEmpty || valueDepths == [depth] else { return nil }
        let lists = Array(repeating: CollectionKind.list, count: depth)
        if elements == .object || isLinked { return hasNulls ? nil : PropertySchema(name, linkTo: target, collections: lists) }
        if elements.contains(.object) { return nil }
        return PropertySchema(name, elements.type(isAllText: isAllText), isNullable: hasNulls, collections: lists)
    }
}
