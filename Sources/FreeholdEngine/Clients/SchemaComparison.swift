/// Finds the differences between a file's classes and those that a program declares, in the order of the declarations.
///
/// A declared subclass may repeat properties that it inherits: they are compared with those of the class that declares
/// them in the file.
struct SchemaComparison {
    private(set) var changes: [SchemaChange] = []
    private let stored: TextMap<ClassSchema>
    private let declared: DeclaredClasses
    private let comparesLinks: Bool

    init(_ stored: [ClassSchema], _ declared: [ClassSchema], comparesLinks: Bool) {
        self.comparesLinks = comparesLinks
        self.stored = TextMap(stored.map { ($0.name, $0) }) { first, _ in first }
        self.declared = DeclaredClasses(declared)
        for wanted in declared {
            if let known = self.stored[wanted.name] { compare(known, wanted.plain) } else { changes.append(.newClass(wanted)) }
        }
    }

    private mutating func compare(_ known: ClassSchema, _ wanted: ClassSchema) {
        if known == wanted { return }
        let name = wanted.name
        guard known.superclass.isSame(as: wanted.superclass) else {
            return changes.append(.superclass(known.superclass, wanted.superclass, of: name))
        }
        // What holds of a subclass follows its root.
        let isDeclaredSo = wanted.superclass.flatMap { declared[$0] }?.isEmbedded == wanted.isEmbedded
        if known.isEmbedded != wanted.isEmbedded, !isDeclaredSo { changes.append(.embedding(wanted.isEmbedded, of: name)) }
        if wanted.superclass == nil, !known.primaryKeys.isSame(as: wanted.primaryKeys) {
            changes.append(.primaryKey(known.primaryKeys, wanted.primaryKeys, of: name))
        }
        for property in wanted.properties {
            if let (old, owner) = find(property.name, in: known) {
                compare(old, property, owner, wanted)
            } else if !isDeclared(property.name, above: wanted) {
                changes.append(.newProperty(property, of: name))
            }
        }
        let names = Set(exact: wanted.properties.map(\.name))
        for property in known.properties where !names.contains(property.name) { changes.append(.removedProperty(property, of: name)) }
        compareDerived(known, wanted)
        compareSync(known, wanted)
    }

    private mutating func compareSync(_ known: ClassSchema, _ wanted: ClassSchema) {
        if known.syncRules == wanted.syncRules || wanted.superclass != nil { return }
        guard var rules = wanted.syncRules else { return changes.append(.removedSync(of: wanted.name)) }
        guard let old = known.syncRules else { return changes.append(.newSync(rules, of: wanted.name)) }
        // What other programs declare of properties that this one does not have, stays.
        let names = Set(exact: declared.all.filter { declared.extends($0, wanted) }.flatMap { $0.properties.map(\.name) })
        rules.counters += old.counters.filter { !names.contains(ExactText($0)) }
        rules.merged += old.merged.filter { !names.contains(ExactText($0)) }
        if rules == old { return }
        changes.append(rules.adds(to: old) ? .newSync(rules, of: wanted.name) : .syncRules(old, rules, of: wanted.name))
    }

    private mutating func compareDerived(_ known: ClassSchema, _ wanted: ClassSchema) {
        // First, because a class can have only so many.
        for index in known.fullTextIndexes where !wanted.fullTextIndexes.contains(where: { $0.hasSameFields(as: index) }) {
            changes.append(.removedFullText(index, of: wanted.name))
        }
        for index in known.placeIndexes where !wanted.placeIndexes.contains(index) {
            changes.append(.removedPlaces(index, of: wanted.name))
        }
        for index in known.collationIndexes where !wanted.collationIndexes.contains(index) {
            changes.append(.removedCollation(index, of: wanted.name))
        }
        for index in wanted.collationIndexes where !known.collationIndexes.contains(index) {
            changes.append(.newCollation(index, of: wanted.name))
        }
        for index in wanted.placeIndexes where !known.placeIndexes.contains(index) {
            changes.append(.newPlaces(index, of: wanted.name))
        }
        compareVectors(known, wanted)
        for index in wanted.fullTextIndexes {
            guard let old = known.fullTextIndexes.first(where: { $0.hasSameFields(as: index) }) else {
                changes.append(.newFullText(index, of: wanted.name))
                continue
            }
            if old != index { changes.append(.fullTextWeights(index, of: wanted.name)) }
        }
    }

    private mutating func compareVectors(_ known: ClassSchema, _ wanted: ClassSchema) {
        for index in known.vectorIndexes where !wanted.vectorIndexes.contains(where: { $0.property.isSame(as: index.property) }) {
            changes.append(.removedVectors(index, of: wanted.name))
        }
        for index in wanted.vectorIndexes {
            guard let old = known.vectorIndexes.first(where: { $0.property.isSame(as: index.property) }) else {
                changes.append(.newVectors(index, of: wanted.name))
                continue
            }
            if old != index { changes.append(.vectors(old, index, of: wanted.name)) }
        }
    }

    /// A property of a class in the file, and the class that declares it: this one, or one that it extends.
    private func find(_ name: String, in known: ClassSchema) -> (PropertySchema, ClassSchema)? {
        var at: ClassSchema? = known
        while let owner = at {
            if let property = owner.properties.first(where: { $0.name.isSame(as: name) }) { return (property, owner) }
            at = owner.superclass.flatMap { stored[$0] }
        }
        return nil
    }

    /// Whether a class that the program's class extends declares the property, too.
    private func isDeclared(_ name: String, above wanted: ClassSchema) -> Bool {
        // As many steps as there are classes: declarations may extend one another in a circle.
        var at = wanted
        for _ in declared.all.indices {
            guard let above = at.superclass.flatMap({ declared[$0] }) else { return false }
            if above.properties.contains(where: { $0.name.isSame(as: name) }) { return true }
            at = above
        }
        return false
    }

    private mutating func compare(_ old: PropertySchema, _ new: PropertySchema, _ owner: ClassSchema, _ wanted: ClassSchema) {
        if old == new { return }
        let name = owner.name
        let change = SchemaChange.ofValues(old, new, of: name, comparesLinks: comparesLinks)
        if let change, !changes.contains(change) { changes.append(change) }
        // The rest is said by the class that declares it, if the program has that.
        if !name.isSame(as: wanted.name), isDeclared(new.name, above: wanted) { return }
        if old.deleteRule != new.deleteRule, old.type == .link, new.type == .link { changes.append(.deleteRule(old, new, of: name)) }
        // A primary key is unique and indexed, whatever is declared.
        if owner.primaryKeys.isSame(as: [new.name]), wanted.primaryKeys.isSame(as: [new.name]) || wanted.superclass != nil { return }
        if old.isUnique != new.isUnique { changes.append(.uniqueness(new, of: name)) }
        if new.isUnique { return }
        if new.isIndexed, !old.isIndexed, !old.isUnique { changes.append(.newIndex(new.name, of: name)) }
        if old.isIndexed, !new.isIndexed { changes.append(.removedIndex(new.name, of: name)) }
    }
}
