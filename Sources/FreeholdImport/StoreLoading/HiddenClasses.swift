import FreeholdEngine

/// The classes of an import while they are hidden: created, shown, and removed.
struct HiddenClasses {
    let plan: StorePlan

    /// Throws if a class of the source's names is in the file already and has objects.
    func requireRoom(within transaction: WriteTransaction) throws(FreeholdError) {
        for name in plan.names where transaction.classes.contains(where: { $0.name.isSame(as: name) }) {
            let count = try transaction.table(name).count
            if count == 0 { continue }
            throw FreeholdError(.schemaMismatch,
                "class '\(name)' is in the database already and has \(count) objects; an import creates its classes. "
                + "Give the class another name ('map \(name)=NEW'), or import into another database")
        }
    }

    /// Creates every class.
    func create(within transaction: WriteTransaction) throws(FreeholdError) {
        var creation = ClassCreation(in: transaction)
        try creation.create(plan.classes.indices.map(own))
    }

    /// The class without the properties that the class it extends has, and without indexes over links: a class that has one cannot be
    /// taken apart again (`HiddenRemains`), so they are added when the import is complete.
    private func own(_ place: Int) -> ClassSchema {
        var schema = plan.classes[place]
        let late = lateIndexes(place)
        schema.indexes.removeAll { late.contains($0) }
        guard let above = plan.classes.first(where: { $0.name.isSame(as: schema.superclass) }) else { return schema }
        let inherited = Set(exact: above.properties.map(\.name))
        schema.properties.removeAll { inherited.contains(ExactText($0.name)) }
        schema.primaryKeys = []
        return schema
    }

    private func lateIndexes(_ place: Int) -> [IndexSchema] {
        let schema = plan.classes[place], links = Set(exact: schema.properties.filter { $0.linkTarget != nil }.map(\.name))
        return schema.indexes.filter { $0.properties.contains { links.contains(ExactText($0)) } }
    }

    /// Gives every class its own name. A class of that name without objects makes room.
    func show(within transaction: WriteTransaction) throws(FreeholdError) {
        try requireRoom(within: transaction)
        for name in plan.names where transaction.classes.contains(where: { $0.name.isSame(as: name) }) { try transaction.dropClass(name) }
        for (place, hidden) in plan.classes.enumerated() {
            for index in lateIndexes(place) { try transaction.addIndex(index, to: hidden.name) }
        }
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
