/// Changes a file's classes to those that a program declares, in one write transaction, as far as the policy says.
///
/// ```
/// additions or definitions:  apply
/// a migration of models:     prepare ─► the program's block ─► dropRemoved ─► settle ─► requireComplete
/// ```
/// 1. Each step compares anew: the program may have changed classes since the last one.
/// 2. The versions are those at the beginning; the caller sets the file's version at the end.
/// 3. After an error the transaction is to be rolled back, or the savepoint before it.
public struct SchemaAdoption {
    public let transaction: WriteTransaction
    public let declared: [ClassSchema]
    public let versions: SchemaVersions
    private let policy: SchemaPolicy

    /// - Parameter version: the program's schema version; nil if it states none.
    public init(_ declared: [ClassSchema], version: UInt64?, in transaction: WriteTransaction, by policy: SchemaPolicy) {
        self.transaction = transaction
        self.declared = declared
        self.policy = policy
        versions = SchemaVersions(stored: transaction.schemaVersion, declared: version, classes: transaction.classes)
    }

    /// The differences as they are now.
    public var plan: SchemaPlan { SchemaPlan(declared, over: transaction.classes, versions: versions, by: policy) }

    /// Applies everything that the policy applies.
    ///
    /// - Parameter uniqueLater: whether new unique properties become unique with a later call, once objects have values
    ///   in them.
    /// - Throws: `.schemaMismatch` with `SchemaPlan.refusal`; `SchemaFailure`; nothing is undone then.
    public func apply(uniqueLater: Bool = false) throws {
        if let refusal = plan.refusal { throw FreeholdError(.schemaMismatch, refusal) }
        let changes = plan.changes(.apply)
        try add(uniqueLater: uniqueLater)
        try settle(except: uniqueLater ? changes.compactMap(\.newUniqueness) : [])
    }

    // MARK: What is added

    /// Adds classes, properties and indexes, all but full-text indexes and indexes of places, of vectors and in a collation.
    public func add(uniqueLater: Bool = false) throws {
        let changes = plan.changes(.apply)
        var creation = ClassCreation(in: transaction)
        try creation.create(changes.compactMap { change in
            if case .newClass(let declared) = change { declared.withoutDerived } else { nil }
        })
        for change in changes {
            switch change {
            case .newProperty(let property, let name):
                try transaction.addProperty(property.withoutUniqueness, to: name)
                if property.isUnique, !uniqueLater { try makeUnique(property, name) }
            // A property that is to get another type has to have that first.
            case .newIndex(let property, let name) where !changes.contains { $0.isType(of: property, name) }:
                try transaction.setIndexed(true, property, in: name)
            default: break
            }
        }
    }

    // MARK: What is changed

    /// Declares full-text indexes and indexes of places, of vectors and in a collation, drops those that are not declared, and sets
    /// weights; and marks synced classes: last, because a property that is dropped or gets another type cannot be a field, and one that is
    /// renamed keeps its index.
    public func settleDerived() throws {
        for change in plan.changes(.apply) {
            switch change {
            case .removedFullText(let index, let name): try transaction.fullText.drop(index, from: name)
            case .removedPlaces(let index, let name): try transaction.places.drop(index, from: name)
            case .newPlaces(let index, let name): try transaction.places.add(index, to: name)
            case .removedVectors(let index, let name): try transaction.vectors.drop(index.property, from: name)
            case .newVectors(let index, let name): try transaction.vectors.add(index, to: name)
            case .vectors(let old, let new, let name):
                try transaction.vectors.drop(old.property, from: name)
                try transaction.vectors.add(new, to: name)
            case .removedCollation(let index, let name): try transaction.collations.drop(index, from: name)
            case .newCollation(let index, let name): try transaction.collations.add(index, to: name)
            case .newSync(let rules, let name), .syncRules(_, let rules, let name): try transaction.sync.mark(name, rules)
            case .newFullText(let index, let name), .fullTextWeights(let index, let name): try transaction.fullText.add(index, to: name)
            default: break
            }
        }
    }

    /// Before a migration's block: adds what is new, and gives every property the declared type. Undeclared properties
    /// stay.
    public func prepare() throws {
        let changes = plan.changes(.apply)
        // Constraints that other changes depend on are removed first.
        for change in changes {
            switch change {
            case .embedding(false, let name): try transaction.setEmbedded(false, name)
            case .primaryKey(let old, _, let name) where !old.isEmpty: try transaction.setPrimaryKey(nil, of: name)
            case .uniqueness(let property, let name) where !property.isUnique: try transaction.endUniqueness(of: property.name, in: name)
            case .type(let property, _, let name) where isKey(property, name),
                 .nullability(let property, let name) where isKey(property, name):
                try transaction.setPrimaryKey(nil, of: name)
            default: break
            }
        }
        try add(uniqueLater: true)
        for change in changes {
            switch change {
            case .type(let old, let new, let name): try retype(old, new, name)
            case .nullability(let property, let name): try setNullable(property, name)
            case .deleteRule(_, let property, let name): try transaction.setDeleteRule(property.deleteRule, of: property.name, in: name)
            default: break
            }
        }
    }

    /// Drops the properties that are not declared.
    public func dropRemoved() throws {
        for change in plan.changes(.apply) {
            if case .removedProperty(let property, let name) = change { try drop(property.name, of: name) }
        }
    }

    /// Brings keys, uniqueness, delete rules, indexes of all kinds and embedding to what is declared.
    public func settle() throws { try settle(except: []) }

    private func settle(except omitted: [SchemaChange]) throws {
        for change in plan.changes(.apply) where !omitted.contains(change) {
            switch change {
            case .uniqueness(let property, let name):
                if property.isUnique { try makeUnique(property, name) } else { try transaction.endUniqueness(of: property.name, in: name) }
            case .deleteRule(_, let property, let name): try transaction.setDeleteRule(property.deleteRule, of: property.name, in: name)
            case .primaryKey(_, let keys, let name):
                try attempt(change) { () throws(FreeholdError) in try transaction.setPrimaryKey(keys.first, of: name) }
            default: break
            }
        }
        // A property that is no longer unique keeps an index.
        for change in plan.changes(.apply) {
            switch change {
            case .newIndex(let property, let name): try transaction.setIndexed(true, property, in: name)
            case .removedIndex(let property, let name): try transaction.setIndexed(false, property, in: name)
            case .embedding(let isEmbedded, let name):
                try attempt(change) { () throws(FreeholdError) in try transaction.setEmbedded(isEmbedded, name) }
            default: break
            }
        }
        try settleDerived()
    }

    /// Throws `.schemaMismatch`, naming all differences, if there still is one that the policy does not keep.
    public func requireComplete() throws {
        let plan = plan, left = plan.changes.filter { !plan.changes(.keep).contains($0) }
        if let message = SchemaPlan.message(about: left) { throw FreeholdError(.schemaMismatch, message) }
    }

    private func makeUnique(_ property: PropertySchema, _ name: String) throws {
        try attempt(.uniqueness(property, of: name)) { () throws(FreeholdError) in
            try transaction.addIndex(IndexSchema([property.name], isUnique: true), to: name)
        }
    }

    private func attempt(_ change: SchemaChange, _ body: () throws(FreeholdError) -> Void) throws {
        do throws(FreeholdError) { try body() } catch { throw SchemaFailure(change: change, cause: error) }
    }
}

/// A change of the schema that the objects of the file do not allow.
public struct SchemaFailure: Error {
    public let change: SchemaChange
    public let cause: FreeholdError
}

extension SchemaChange {
    /// Whether it gives a property another type.
    fileprivate func isType(of property: String, _ name: String) -> Bool {
        guard case .type(_, let new, let owner) = self else { return false }
        return new.name.isSame(as: property) && owner.isSame(as: name)
    }

    /// For a new unique property, that it is to become unique.
    fileprivate var newUniqueness: SchemaChange? {
        guard case .newProperty(let property, let name) = self, property.isUnique else { return nil }
        return .uniqueness(property, of: name)
    }
}

extension PropertySchema {
    fileprivate var withoutUniqueness: PropertySchema {
        var plain = self
        plain.isUnique = false
        return plain
    }
}
