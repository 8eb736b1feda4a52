import FreeholdEngine

/// The classes of an import while they are hidden: created, shown, and removed.
struct HiddenClasses {
    let plan: StorePlan

    private typealias PlacedProperty = (className: String, property: PropertySchema)

    /// Throws if a class of the source's names is in the file already and has objects, or cannot be dropped.
    func requireRoom(within transaction: WriteTransaction) throws(FreeholdError) {
        try requireNoObjects(within: transaction)
        let savepoint = try transaction.savepoint()
        _ = try makeRoom(within: transaction)
        try transaction.rollback(to: savepoint)
        try transaction.release(savepoint)
    }

    private func requireNoObjects(within transaction: WriteTransaction) throws(FreeholdError) {
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

    /// Drops the classes of the source's names, which have no objects: those first to which nothing links. Rings of
    /// links, and links from classes that stay, are taken apart.
    ///
    /// - Returns: the links from classes that stay, to be added again when the new classes have the names.
    private func makeRoom(within transaction: WriteTransaction) throws(FreeholdError) -> [PlacedProperty] {
        let names = Set(exact: plan.names)
        var links: [PlacedProperty] = []
        while let next = transaction.classes.first(where: { names.contains(ExactText($0.name)) }) {
            let classes = transaction.classes
            if let free = classes.first(where: { names.contains(ExactText($0.name)) && !Self.isNeeded($0, classes) }) {
                try transaction.dropClass(free.name)
                continue
            }
            guard let link = Self.droppableLink(classes, to: names) else {
                throw FreeholdError(.schemaMismatch, "class '\(next.name)' is in the database already and cannot be replaced: "
                    + "another class extends it, or links to it by a property that is part of an index. Give the class another name "
                    + "('map \(next.name)=NEW'), or import into another database")
            }
            try transaction.dropProperty(link.property.name, from: link.className)
            if !names.contains(ExactText(link.className)) { links.append(link) }
        }
        return links
    }

    /// Whether another class extends a class or links to it.
    private static func isNeeded(_ schema: ClassSchema, _ classes: [ClassSchema]) -> Bool {
        classes.contains { other in
            if other.name.isSame(as: schema.name) { return false }
            return other.superclass.isSame(as: schema.name) || other.properties.contains { $0.linkTarget.isSame(as: schema.name) }
        }
    }

    /// A link to one of some classes, from another class, that is part of no index over several properties.
    private static func droppableLink(_ classes: [ClassSchema], to names: Set<ExactText>) -> PlacedProperty? {
        for schema in classes {
            // Of those that extend it, too: their indexes may name its properties.
            let family = classes.filter { $0.name.isSame(as: schema.name) || $0.superclass != nil }
            let indexed = Set(exact: family.flatMap(\.indexes).flatMap(\.properties))
            for property in schema.properties where !indexed.contains(ExactText(property.name)) {
                guard let target = property.linkTarget, !target.isSame(as: schema.name) else { continue }
                if names.contains(ExactText(target)) { return (schema.name, property) }
            }
        }
        return nil
    }

    /// Gives every class its own name. A class of that name without objects makes room.
    func show(within transaction: WriteTransaction) throws(FreeholdError) {
        try requireNoObjects(within: transaction)
        let links = try makeRoom(within: transaction)
        for (place, hidden) in plan.classes.enumerated() {
            for index in lateIndexes(place) { try transaction.addIndex(index, to: hidden.name) }
        }
        for (hidden, name) in zip(plan.classes, plan.names) { try transaction.renameClass(hidden.name, to: name) }
        for (className, property) in links { try transaction.addProperty(property, to: className) }
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
