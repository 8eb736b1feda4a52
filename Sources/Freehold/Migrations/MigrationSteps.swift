import FreeholdEngine

/// The steps of a migration in one write transaction: those of every interface, and what blocks can ask for.
struct MigrationSteps {
    let schema: ModelSchema
    private let adoption: SchemaAdoption

    /// - Parameter version: the schema version of the program.
    init(_ schema: ModelSchema, version: UInt64, in transaction: WriteTransaction) {
        self.schema = schema
        adoption = SchemaAdoption(schema.classSchemas, version: version, in: transaction, by: .models)
    }

    var transaction: WriteTransaction { adoption.transaction }

    /// Adds classes, properties and indexes.
    func add() throws {
        try explaining {
            try adoption.add()
            try adoption.settleDerived()
        }
    }

    /// Before the block: gives every property the program's type; keeps properties that the program does not have.
    func prepare() throws { try explaining { try adoption.prepare() } }

    /// After the block: drops what the program does not have, and brings the rest to the program's schema.
    func finish(dropping classes: [String]) throws {
        try adoption.dropRemoved()
        try drop(classes)
        try explaining { try adoption.settle() }
        try adoption.requireComplete()
    }

    /// Runs steps; says what to do where objects do not allow a change.
    private func explaining(_ body: () throws -> Void) throws {
        do { try body() } catch let failure as SchemaFailure {
            let advice = "Give the objects different values in the migration block, or delete some: \(failure.cause.message)."
            switch failure.change {
            case .primaryKey(_, let keys, let name) where failure.cause.code == .duplicateKey:
                throw RealmError(.fail, "Primary key property '\(name).\(keys.first ?? "")' has duplicate values after migration.", suggestion: advice)
            case .uniqueness(let property, let name) where failure.cause.code == .duplicateKey:
                throw RealmError(.fail, "Unique property '\(name).\(property.name)' has duplicate values after migration.", suggestion: advice)
            case .embedding:
                throw RealmError(.fail, failure.cause.message, suggestion: "In the migration block, give each object exactly one owner, or delete it.")
            default: throw failure.cause
            }
        }
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
        guard let from = adoption.present(old, of: wanted.name) else { throw RealmError(.fail, "Cannot rename property \(place) because it does not exist.") }
        if wanted.properties.contains(where: { $0.name.isSame(as: old) }) {
            throw RealmError(.fail, "Cannot rename property \(place) to '\(new)' because the source property still exists.")
        }
        guard let to = wanted.properties.first(where: { $0.name.isSame(as: new) }) else { throw RealmError(.fail, "Renamed property '\(name).\(new)' does not exist.") }
        let change = SchemaChange.ofValues(from, to, of: name, comparesLinks: false)
        if case .type = change {
            throw RealmError(.fail, "Cannot rename property \(place) to '\(new)' because it would change from type "
                + "'\(from.typeInWords)' to '\(to.typeInWords)'.")
        }
        if from.isNullable, !to.isNullable {
            throw RealmError(.fail, "Cannot rename property \(place) to '\(new)' because it would change from optional to required.")
        }
        try adoption.drop(new, of: wanted.name)
        try transaction.renameProperty(old, to: new, in: wanted.name)
        if case .nullability = change { try adoption.setNullable(to, wanted.name) }
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

    private func drop(_ classes: [String]) throws {
        try deleteObjects(of: classes.reversed())
        var waiting = classes.filter { name in transaction.classes.contains { $0.name.isSame(as: name) } }
        for name in waiting {
            // Classes that are dropped together may link to one another.
            for property in transaction.classes.first(where: { $0.name.isSame(as: name) })?.properties ?? [] where waiting.has(property.linkTarget ?? "") {
                try adoption.drop(property.name, of: name)
            }
        }
        while let place = waiting.firstIndex(where: { name in !transaction.classes.contains { $0.superclass.isSame(as: name) && waiting.has($0.name) } }) {
            try transaction.dropClass(waiting.remove(at: place))
        }
    }
}
