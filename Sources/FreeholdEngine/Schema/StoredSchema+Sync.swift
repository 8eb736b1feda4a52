/// Synced classes in a schema: marked, captured, and what depends on them.
extension StoredSchema {
    /// Whether commits capture changes of a table.
    func isCaptured(_ table: Int) -> Bool { synced.contains(table) }

    /// This schema with a class marked as synced, or without its mark.
    func marking(_ table: Int, _ sync: StoredSync?) -> StoredSchema {
        var all = classes
        all[table] = all[table].with(sync: .some(sync))
        return StoredSchema(all, version: version)
    }

    /// This schema without synced classes.
    func withoutSync() -> StoredSchema {
        hasSynced ? StoredSchema(classes.map { $0.sync == nil ? $0 : $0.with(sync: .some(nil)) }, version: version) : self
    }
}

/// The tables of which commits capture changes: those of synced classes, and those of embedded ones whose objects they own.
struct SyncedTables: Sendable {
    /// By class; empty if no class is synced.
    private let captured: [Bool]

    init(_ classes: [StoredClass], _ tables: [Int]) {
        guard classes.contains(where: { $0.sync != nil }) else {
            captured = []
            return
        }
        var captured = classes.map { $0.sync != nil }
        var waiting = classes.indices.filter { captured[$0] }
        while let table = waiting.popLast() {
            for property in classes[table].properties {
                guard let target = property.linkTarget, Int(target) < classes.count, classes[Int(target)].isEmbedded else { continue }
                let place = tables[Int(target)]
                if captured[place] { continue }
                captured[place] = true
                waiting.append(place)
            }
        }
        self.captured = captured
    }

    var isEmpty: Bool { captured.isEmpty }

    func contains(_ table: Int) -> Bool { table < captured.count && captured[table] }

    /// Whether a schema has synced classes, or properties of some, that an earlier version did not have or sync.
    func hasMore(_ schema: StoredSchema, than before: StoredSchema) -> Bool {
        schema.presentTables.contains { stored in
            guard contains(Int(stored.number)) else { return false }
            guard before.isCaptured(Int(stored.number)), let old = before.find(number: Int(stored.number)) else { return true }
            return stored.properties.contains { old.column(numbered: $0.number) == nil }
        }
    }

    /// The reason why the synced classes of a schema are invalid, or nil. Classes are marked one by one, so it is asked at the commit.
    func complaint(_ schema: StoredSchema) -> String? {
        if isEmpty { return nil }
        for stored in schema.presentTables where contains(Int(stored.number)) {
            if let complaint = stored.syncComplaint() ?? linkComplaint(of: stored, schema) { return complaint }
        }
        for stored in schema.present where stored.superclass != nil && stored.sync != nil {
            return "class '\(stored.name)' cannot be synced by itself; the class that it extends is synced, with its subclasses"
        }
        return nil
    }

    /// Objects are known to others by their primary keys, so links lead to objects that have one there.
    private func linkComplaint(of stored: StoredClass, _ schema: StoredSchema) -> String? {
        for property in stored.properties {
            guard let target = property.linkTarget else { continue }
            let other = schema.classes[schema.table(of: Int(target))]
            if other.isEmbedded, stored.sync?.kinds[property.number] == .merged {
                return "property '\(property.name)' of class '\(stored.name)' cannot be merged by the application: properties of embedded "
                    + "objects are merged one by one"
            }
            if contains(Int(other.number)) { continue }
            return "property '\(property.name)' of the synced class '\(stored.name)' links to class '\(other.name)', which is not synced"
        }
        guard stored.isEmbedded else { return nil }
        for (table, column) in schema.incoming[Int(stored.number)] where !contains(table) {
            guard schema.classes[table].properties[column].type == .link else { continue }
            return "class '\(stored.name)' is embedded in synced classes and in class '\(schema.classes[table].name)', which is not synced"
        }
        return nil
    }
}

extension StoredClass {
    /// Whether a property is a counter of a synced class.
    func isCounter(_ column: Int) -> Bool { sync?.kinds[properties[column].number] == .counter }

    /// How its objects are synced, as the API describes it.
    var syncRules: SyncRules? {
        guard let sync else { return nil }
        func names(_ kind: StoredSync.Kind) -> [String] { properties.filter { sync.kinds[$0.number] == kind }.map(\.name) }
        return SyncRules(onConflict: sync.onConflict, counters: names(.counter), merged: names(.merged))
    }

    /// Throws if the class is synced: other devices would give the same numbers, and objects under one key become one.
    func requireNumbering() throws(FreeholdError) {
        guard sync != nil, let primaryKey else { return }
        let key = properties[primaryKey].name
        throw FreeholdError(.notNullable, "an object of class '\(name)' needs a value for its primary key '\(key)', since the class is "
            + "synced: other devices would give the same numbers; use UUIDs, or a range of numbers for each device")
    }

    /// The reason why the class cannot be synced, or nil.
    func syncComplaint() -> String? {
        guard let sync else { return nil }
        if isEmbedded { return "class '\(name)' is embedded; its objects are synced with those that own them" }
        guard let key = primaryKey, [.uuid, .objectId, .string, .int].contains(properties[key].type), !properties[key].isNullable else {
            return "class '\(name)' cannot be synced: it has no primary key that is a UUID, an ObjectId, a string or an integer, never null"
        }
        if let unique = properties.first(where: { $0.isUnique && !$0.isNullable && $0 !== properties[key] }) {
            return "class '\(name)' cannot be synced: its unique property '\(unique.name)' cannot be null, which it has to be where "
                + "another device has taken the value"
        }
        for (number, kind) in sync.kinds {
            guard let column = column(numbered: number), !properties[column].isClass, column != key else {
                return "a property of the synced class '\(name)' does not exist, or is its primary key"
            }
            let property = properties[column]
            if kind == .counter, property.type != .int || property.isNullable || !property.collections.isEmpty || property.isUnique {
                return "property '\(property.name)' of class '\(name)' cannot be a counter: it is not an integer that cannot be null"
            }
            if kind == .merged, !property.collections.isEmpty {
                return "property '\(property.name)' of class '\(name)' cannot be merged by the application: elements of collections are "
                    + "merged one by one"
            }
        }
        return nil
    }
}
