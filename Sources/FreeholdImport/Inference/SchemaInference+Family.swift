import FreeholdEngine

/// Classes whose objects named a subclass.
extension SchemaInference {
    /// Returns the classes, each without the properties that belong to its subclasses.
    static func related(_ classes: [ClassEvidence]) -> [ClassEvidence] {
        var classes = classes
        for base in classes.indices {
            let heirs = classes.indices.filter { classes[$0].superclass.isSame(as: classes[base].name) && $0 != base }
            if heirs.isEmpty { continue }
            if classes[base].recordCount == 0 { classes[base].properties = common(heirs.map { classes[$0] }) }
            for heir in heirs {
                classes[base].recordCount += classes[heir].recordCount
                for property in classes[heir].properties { classes[base].add(property) }
                let inherited = Set<ExactText>(exact: classes[base].properties.map(\.name))
                classes[heir].properties.removeAll { inherited.contains($0.name) }
            }
        }
        return classes
    }

    /// The properties that all of the classes have, with no evidence of their types.
    private static func common(_ classes: [ClassEvidence]) -> [Property] {
        guard let first = classes.first else { return [] }
        return first.properties.map(\.name)
            .filter { name in classes.allSatisfy { $0.properties.contains { $0.name.isSame(as: name) } } }.map { Property(name: $0) }
    }
}

extension SchemaInference.ClassEvidence {
    /// Merges the evidence for a property of a subclass, if this class has that property.
    fileprivate mutating func add(_ other: SchemaInference.Property) {
        guard let place = properties.firstIndex(where: { $0.name.isSame(as: other.name) }) else { return }
        properties[place].evidence.formUnion(other.evidence)
        properties[place].presentCount += other.presentCount
        properties[place].arrays.formUnion(other.arrays)
    }
}
