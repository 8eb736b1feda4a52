import FreeholdEngine

/// The classes of an import while they are hidden: created, shown, and removed.
struct HiddenClasses {
    let plan: StorePlan

    /// Throws if a class of the source's names is in the file already and has objects.
    func requireRoom(in classes: [ClassSchema], _ count: (String) throws(FreeholdError) -> Int) throws(FreeholdError) {
        for name in plan.names where classes.contains(where: { $0.name.isSame(as: name) }) {
            let count = try count(name)
            if count == 0 { continue }
            throw FreeholdError(.schemaMismatch,
                "class '\(name)' is in the database already and has \(count) objects; an import creates its "
                + "classes. Give the class another name, or import into another database")
        }
    }

    /// Creates every class.
    func create(within transaction: WriteTransaction) throws(FreeholdError) {
        let roots = plan.classes.filter { $0.superclass == nil }
        var late: [(PropertySchema, String)] = []
        let heirNames = Set(exact: plan.classes.filter { $0.superclass != nil }.map(\.name))
        try transaction.createClasses(roots.map { split($0, heirNames, &late) })
        var waiting = plan.classes.indices.filter { plan.classes[$0].superclass != nil }
        while !waiting.isEmpty {
            let ready = waiting.filter { place in !waiting.contains { plan.classes[$0].name.isSame(as: plan.classes[place].superclass) } }
            guard !ready.isEmpty else { throw FreeholdError(.malformedInput, "classes of the source extend one another in a circle") }
            for place in ready { try transaction.createClass(split(own(place), heirNames, &late)) }
            waiting.removeAll { ready.contains($0) }
        }
        for (property, name) in late { try transaction.addProperty(property, to: name) }
    }

    /// The class without the properties that the class it extends has.
    private func own(_ place: Int) -> ClassSchema {
        var schema = plan.classes[place]
        guard let above = plan.classes.first(where: { $0.name.isSame(as: schema.superclass) }) else { return schema }
        let inherited = Set(exact: above.properties.map(\.name))
        schema.properties.removeAll { inherited.contains(ExactText($0.name)) }
        schema.primaryKeys = []
        return schema
    }

    /// Leaves out links to classes that extend others, which are created later.
    private func split(_ schema: ClassSchema, _ heirs: Set<ExactText>, _ late: inout [(PropertySchema, String)]) -> ClassSchema {
        var first = schema
        first.properties.removeAll { $0.linkTarget.map { heirs.contains(ExactText($0)) } ?? false }
        late += schema.properties.filter { property in !first.properties.contains(property) }.map { ($0, schema.name) }
        return first
    }

    /// Gives every class its own name. A class of that name without objects makes room.
    func show(within transaction: WriteTransaction) throws(FreeholdError) {
        try requireRoom(in: transaction.classes) { name throws(FreeholdError) in try transaction.table(name).count }
        for name in plan.names where transaction.classes.contains(where: { $0.name.isSame(as: name) }) { try transaction.dropClass(name) }
        for (hidden, name) in zip(plan.classes, plan.names) { try transaction.renameClass(hidden.name, to: name) }
    }
}

/// Removes the hidden classes of an import, some objects at a time.
struct HiddenRemains {
    private static let objectsAtOnce = 20_000

    /// The start of their names.
    let prefix: String

    /// Deletes some objects, or, if there are none left, the classes.
    /// - Returns: whether anything is left.
    func removeSome(within transaction: WriteTransaction) throws(FreeholdError) -> Bool {
        let classes = hiddenClasses(of: transaction)
        for schema in classes where !schema.isEmbedded && schema.superclass == nil {
            let table = try transaction.table(schema.name), keys = try table.keys(limit: Self.objectsAtOnce)
            if keys.isEmpty { continue }
            try transaction.delete(keys, from: table)
            return true
        }
        for schema in classes {
            for property in schema.properties where property.linkTarget != nil {
                try transaction.dropProperty(property.name, from: schema.name)
            }
        }
        for schema in classes where schema.superclass != nil { try drop(schema, classes, transaction) }
        for schema in classes where schema.superclass == nil { try transaction.dropClass(schema.name) }
        return false
    }

    private func hiddenClasses(of transaction: WriteTransaction) -> [ClassSchema] {
        transaction.hiddenClasses.filter { $0.name.utf8.starts(with: prefix.utf8) }
    }

    /// Drops a class after those that extend it.
    private func drop(_ schema: ClassSchema, _ classes: [ClassSchema], _ transaction: WriteTransaction) throws(FreeholdError) {
        guard hiddenClasses(of: transaction).contains(where: { $0.name.isSame(as: schema.name) }) else { return }
        for heir in classes where heir.superclass.isSame(as: schema.name) { try drop(heir, classes, transaction) }
        try transaction.dropClass(schema.name)
    }
}
