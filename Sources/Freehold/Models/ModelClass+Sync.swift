import FreeholdEngine

/// How the objects of a class are synced.
extension ModelClass {
    /// The rules that hold for the class, by names in the program: a subclass has those of the class that it extends.
    var syncRules: SyncRules? {
        if let stored { return stored.syncRules }
        guard var rules = root.type.declaredSync else { return nil }
        rules.counters += properties.filter(\.attributes.isCounter).map(\.name)
        return rules
    }

    /// The rules by names in the file, with the counters of classes that extend this one; nil for a class that extends one itself.
    func storedSync(_ all: [ModelClass]) -> SyncRules? {
        guard superclass == nil, let declared = syncRules else { return nil }
        var rules = SyncRules(onConflict: declared.onConflict)
        for model in all where model.root === self {
            for name in model.storedNames(of: model.syncRules?.counters ?? []) where !rules.counters.contains(where: name.isSame) {
                rules.counters.append(name)
            }
        }
        rules.merged = storedNames(of: declared.merged)
        return rules
    }

    private func storedNames(of names: [String]) -> [String] { names.compactMap { place(of: $0).map { properties[$0].storedName } } }
}

extension SchemaComplaints {
    /// What is wrong with the rules for sync that a class declares.
    static func sync(_ model: ModelClass) -> [String] {
        if model.superclass != nil {
            if model.type.declaredSync == model.root.type.declaredSync { return [] }
            return ["Class '\(model.name)' cannot have rules for sync other than those of '\(model.root.name)', which it extends; "
                + "declare syncRules() there."]
        }
        guard let rules = model.type.declaredSync else { return [] }
        if model.isEmbedded {
            return ["Embedded class '\(model.name)' cannot have rules for sync: its objects are synced with those that contain them."]
        }
        if let key = model.properties.first(where: \.attributes.isNumbered) {
            return ["Primary key '\(key.name)' of the synced class '\(model.name)' cannot be numbered: other devices would give the same "
                + "numbers. Use a UUID or an ObjectId."]
        }
        return (rules.counters + rules.merged).filter { model.place(of: $0) == nil }.map {
            "Rules for sync of class '\(model.name)' name '\($0)', which is no property of it."
        }
    }
}
