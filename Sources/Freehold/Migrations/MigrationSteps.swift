import FreeholdEngine

/// Applies schema changes, in one write transaction.
struct MigrationSteps {
    let schema: ModelSchema
    let transaction: WriteTransaction

    var comparison: SchemaComparison { SchemaComparison(transaction.classes, schema) }

    // MARK: Automatic additions

    /// Adds classes, properties and indexes.
    ///
    /// - Parameter uniqueLater: whether new unique properties become unique later, once objects have values in them.
    func add(uniqueLater: Bool = false) throws {
        let changes = comparison.of(.addition)
        try addClasses(changes.compactMap { change in if case .newClass(let wanted) = change { wanted } else { nil } })
        for change in changes {
            switch change {
            case .newProperty(let property, let name):
                try transaction.addProperty(property.withoutUniqueness, to: name)
                if property.isUnique, !uniqueLater { try makeUnique(property.name, name) }
            case .newIndex(let property, let name): try transaction.setIndexed(true, property, in: name)
            default: break
            }
        }
    }

    /// Adds superclasses before their subclasses; links to classes added later than their own are added at the end.
    private func addClasses(_ wanted: [ClassSchema]) throws {
        let roots = wanted.filter { $0.superclass == nil }
        var known = Set(exact: transaction.classes.map(\.name) + roots.map(\.name)), later: [(String, PropertySchema)] = []
        func possible(_ wanted: ClassSchema) -> ClassSchema {
            let isLater = { (property: PropertySchema) in property.linkTarget.map { !known.contains($0) } ?? false }
            if !wanted.properties.contains(where: isLater) { return wanted }
            var first = wanted
            first.properties.removeAll(where: isLater)
            later += wanted.properties.filter(isLater).map { (wanted.name, $0) }
            return first
        }
        try transaction.createClasses(roots.map(possible))
        for heir in wanted where heir.superclass != nil {
            known.insert(heir.name)
            try transaction.createClass(possible(heir))
        }
        for (name, property) in later { try transaction.addProperty(property, to: name) }
    }

    // MARK: Before the block

    /// Gives every property the program's type; keeps properties that the program does not have.
    func prepare() throws {
        let changes = comparison.of(.difference)
        // Constraints that other changes depend on are removed first.
        for change in changes {
            switch change {
            case .embedded(false, let name): try transaction.setEmbedded(false, name)
            case .primaryKey(.some, _, let name): try transaction.setPrimaryKey(nil, of: name)
            case .unique(let property, let name) where !property.isUnique: try transaction.endUniqueness(of: property.name, in: name)
            case .superclass(_, _, let name):
                throw RealmError(.schemaMismatch, "\(change)", suggestion: "Give the class '\(name)' another name, and move its objects in the migration block.")
            default: break
            }
        }
        try add(uniqueLater: true)
        for change in changes {
            switch change {
            case .type(let old, let new, let name): try retype(old, new, name)
            case .optional(let property, let name): try setNullable(property, name)
            case .deleteRule(_, let property, let name): try transaction.setDeleteRule(property.deleteRule, of: property.name, in: name)
            default: break
            }
        }
    }

    private func retype(_ old: PropertySchema, _ new: PropertySchema, _ name: String) throws {
        if try present(new.name, name)?.isUnique == true { try transaction.endUniqueness(of: new.name, in: name) }
        guard SchemaChange.converts(old, new) else {
            try drop(new.name, name)
            return try transaction.addProperty(new.withoutUniqueness, to: name)
        }
        let filler = new.isNullable || new.type == .mixed ? Value.null : new.type.zero
        try transaction.changeType(of: new.name, in: name, to: new.type, isNullable: new.isNullable) { value in
            let converted = value.converted(to: new.type)
            return converted == .null ? filler : converted ?? filler
        }
    }

    private func setNullable(_ property: PropertySchema, _ name: String) throws {
        let table = try transaction.table(name)
        guard !property.collections.isEmpty else {
            if try present(property.name, name)?.isUnique == true { try transaction.endUniqueness(of: property.name, in: name) }
            return try transaction.setNullable(property.isNullable, property.name, in: name, replacingNullsBy: property.isNullable ? nil : property.type.zero)
        }
        // Elements keep their values, except nulls that are no longer allowed.
        let old = try table.column(property.name)
        var values: [(ObjectKey, Value)] = []
        for key in try table.keys() {
            let value = try table.value(key, old)
            if value.elementCount > 0 { values.append((key, property.isNullable ? value : value.replacingNulls(by: property.type.zero))) }
        }
        try drop(property.name, name)
        try transaction.addProperty(property, to: name)
        let changed = try transaction.table(name), column = try changed.column(property.name)
        for (key, value) in values { try transaction.set(key, in: changed, column, to: value) }
    }

    /// The present schema of the property.
    private func present(_ property: String, _ name: String) throws -> PropertySchema? {
        transaction.classes.first { $0.name.isSame(as: name) }?.properties.first { $0.name.isSame(as: property) }
    }

    // MARK: Within the block

    func deleteObjects(of name: String) throws { try deleteObjects(of: [name]) }

    /// Deletes all objects of several classes, whose delete rules may deny one another's deletion.
    private func deleteObjects(of names: [String]) throws {
        // A class and its subclass have objects in common.
        var known: Set<ObjectReference> = []
        try transaction.delete(try names.map { name in
            let table = try transaction.table(name)
            return (try table.keys().filter { names.count == 1 || known.insert(table.reference(to: $0)).inserted }, table)
        })
    }

    func rename(_ old: String, to new: String, in name: String) throws {
        guard let wanted = declaring(new, name) ?? declaring(old, name) else {
            let isKnown = schema.place(named: name) != nil
            throw RealmError(.fail, isKnown ? "Renamed property '\(name).\(new)' does not exist."
                : "Cannot rename properties for type '\(name)' because it does not exist.")
        }
        let place = "'\(name).\(old)'"
        guard let from = try present(old, wanted.name) else { throw RealmError(.fail, "Cannot rename property \(place) because it does not exist.") }
        if wanted.properties.contains(where: { $0.name.isSame(as: old) }) {
            throw RealmError(.fail, "Cannot rename property \(place) to '\(new)' because the source property still exists.")
        }
        guard let to = wanted.properties.first(where: { $0.name.isSame(as: new) }) else { throw RealmError(.fail, "Renamed property '\(name).\(new)' does not exist.") }
        if case .type = SchemaComparison.difference(from, to, name) {
            throw RealmError(.fail, "Cannot rename property \(place) to '\(new)' because it would change from type '\(from.said)' to '\(to.said)'.")
        }
        if from.isNullable, !to.isNullable {
            throw RealmError(.fail, "Cannot rename property \(place) to '\(new)' because it would change from optional to required.")
        }
        try drop(new, wanted.name)
        try transaction.renameProperty(old, to: new, in: wanted.name)
        if case .optional = SchemaComparison.difference(from, to, name) { try setNullable(to, wanted.name) }
    }

    /// The class of the program that declares a property: the named one, or one of its superclasses.
    private func declaring(_ property: String, _ name: String) -> ClassSchema? {
        var above: String? = name
        while let name = above, let place = schema.place(named: name) {
            let wanted = schema.classSchemas[place]
            if wanted.properties.contains(where: { $0.name.isSame(as: property) }) { return wanted }
            above = wanted.superclass
        }
        return nil
    }

    // MARK: After the block

    /// Drops what the program does not have, and brings the rest to the program's schema.
    func finish(dropping classes: [String]) throws {
        for change in comparison.of(.removal) {
            if case .oldProperty(let property, let name) = change { try drop(property.name, name) }
        }
        try drop(classes)
        for change in comparison.changes {
            switch change {
            case .oldIndex(let property, let name): try transaction.setIndexed(false, property, in: name)
            case .newIndex(let property, let name): try transaction.setIndexed(true, property, in: name)
            case .unique(let property, let name):
                if property.isUnique { try makeUnique(property.name, name) } else { try transaction.endUniqueness(of: property.name, in: name) }
            case .deleteRule(_, let property, let name): try transaction.setDeleteRule(property.deleteRule, of: property.name, in: name)
            case .primaryKey(_, let key, let name): try setKey(key, name)
            default: break
            }
        }
        // A property that is no longer unique keeps an index; drop it unless the program wants it.
        for change in comparison.changes {
            if case .oldIndex(let property, let name) = change { try transaction.setIndexed(false, property, in: name) }
            if case .embedded(true, let name) = change { try embed(name) }
        }
        let left = comparison.changes
        if !left.isEmpty {
            throw RealmError(.schemaMismatch, "Migration is required due to the following errors:\n" + left.map { "- \($0)" }.joined(separator: "\n"))
        }
    }

    private func setKey(_ key: String?, _ name: String) throws {
        do throws(FreeholdError) { try transaction.setPrimaryKey(key, of: name) } catch {
            guard error.code == .duplicateKey else { throw error }
            throw RealmError(.fail, "Primary key property '\(name).\(key ?? "")' has duplicate values after migration.",
                             suggestion: "Give the objects different values in the migration block, or delete some: \(error.message).")
        }
    }

    private func makeUnique(_ property: String, _ name: String) throws {
        do throws(FreeholdError) { try transaction.addIndex(IndexSchema([property], isUnique: true), to: name) } catch {
            guard error.code == .duplicateKey else { throw error }
            throw RealmError(.fail, "Unique property '\(name).\(property)' has duplicate values after migration.",
                             suggestion: "Give the objects different values in the migration block, or delete some: \(error.message).")
        }
    }

    private func embed(_ name: String) throws {
        do { try transaction.setEmbedded(true, name) } catch {
            throw RealmError(.fail, error.message, suggestion: "In the migration block, give each object exactly one owner, or delete it.")
        }
    }

    private func drop(_ classes: [String]) throws {
        try deleteObjects(of: classes.reversed())
        var waiting = classes.filter { name in transaction.classes.contains { $0.name.isSame(as: name) } }
        for name in waiting {
            // Classes that are dropped together may link to one another.
            for property in transaction.classes.first(where: { $0.name.isSame(as: name) })?.properties ?? [] where waiting.has(property.linkTarget ?? "") {
                try drop(property.name, name)
            }
        }
        while let place = waiting.firstIndex(where: { name in !transaction.classes.contains { $0.superclass.isSame(as: name) && waiting.has($0.name) } }) {
            try transaction.dropClass(waiting.remove(at: place))
        }
    }

    /// Drops a property, and the embedded objects in it.
    private func drop(_ property: String, _ name: String) throws {
        if let target = try present(property, name)?.linkTarget, transaction.classes.first(where: { $0.name.isSame(as: target) })?.isEmbedded == true {
            let table = try transaction.table(name), column = try table.column(property)
            let empty: Value = switch try present(property, name)?.collections.first {
            case nil: .null
            case .list: .list([])
            case .set: .set([])
            case .map: .map([:])
            }
            for key in try table.keys() { try transaction.set(key, in: table, column, to: empty) }
        }
        try transaction.dropProperty(property, from: name)
    }
}

extension PropertySchema {
    fileprivate var withoutUniqueness: PropertySchema {
        var plain = self
        plain.isUnique = false
        return plain
    }
}

extension FreeholdEngine.PropertyType {
    /// The initial value of a property that cannot be null.
    fileprivate var zero: Value {
        switch self {
        case .bool: .bool(false)
        case .int: .int(0)
        case .float: .float(0)
        case .double: .double(0)
        case .string: .string("")
        case .data: .data([])
        case .date: .date(Timestamp(seconds: 0))
        case .uuid: .uuid(UniqueIdentifier(high: 0, low: 0))
        case .objectId: .objectId(ObjectIdentifier12(high: 0, low: 0))
        case .decimal: .decimal(0)
        case .link, .mixed: .null
        }
    }
}

extension Value {
    /// The value with each null in it replaced; a collection keeps its other elements.
    fileprivate func replacingNulls(by filler: Value) -> Value {
        switch self {
        case .null: filler
        case .list(let values): .list(values.map { $0.replacingNulls(by: filler) })
        case .set(let values): .set(values.map { $0.replacingNulls(by: filler) })
        case .map(let entries): .map(entries.mapValues { $0.replacingNulls(by: filler) })
        default: self
        }
    }
}
