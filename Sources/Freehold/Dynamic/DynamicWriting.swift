import Foundation
import FreeholdEngine

/// Sets properties of objects of any class of the file, and creates such objects.
struct DynamicWriting {
    let core: RealmCore

    /// Sets a property; reports misuse if the value does not fit.
    func set(_ property: ModelProperty, of object: DynamicObject, to value: Any) throws {
        let live = object.live(in: core), key = ObjectKey(object._key)
        guard let transaction = core.transaction, let place = live.model.place(of: property.name) else { return }
        if place == live.model.primaryKey, try core.migration.releaseKey?(live.model.name) != true {
            return Misuse.report("Primary key can't be changed after an object is inserted.")
        }
        let table = try live.held().table
        guard let column = live.column(place) else { return }
        if try isOwning(property) { return try own(value, ManagedProperty(live, key, place, in: core), table, column) }
        guard let stored = try stored(value, property) else { return ObjectInput.report(value, property, live.model) }
        core.willChangeAll()
        try transaction.set(key, in: table, column, to: stored)
    }

    // MARK: Values

    /// The value in the form that the file stores; nil if it does not fit.
    private func stored(_ value: Any, _ property: ModelProperty, depth: Int = 0) throws -> Value? {
        guard depth < property.kind.collections.count else { return try single(value, property) }
        let isNothing = ValueContext.isNothing(value)
        switch property.kind.collections[depth] {
        case .map:
            guard let pairs = isNothing ? [] : Self.pairs(value) else { return nil }
            var entries: TextMap<Value> = [:]
            for (key, value) in pairs {
                guard let element = try stored(value, property, depth: depth + 1) else { return nil }
                entries[key] = element
            }
            return .map(entries)
        case .list, .set:
            guard let elements = isNothing ? [] : Self.elements(value) else { return nil }
            var values: [Value] = []
            for element in elements {
                guard let element = try stored(element, property, depth: depth + 1) else { return nil }
                values.append(element)
            }
            return property.kind.collections[depth] == .list ? .list(values) : .set(values)
        }
    }

    private func single(_ value: Any, _ property: ModelProperty) throws -> Value? {
        if property.kind.type == .object { return try link(value, to: property.targetName ?? "") }
        guard let type = property.elementType else { return nil }
        // Enumerations and custom types give the value they are stored as.
        if let own = value as? any _Storable, Swift.type(of: own)._kind.isWrapped, Swift.type(of: own)._kind.type == property.kind.type {
            let stored = own._stored(in: StoringContext(core))
            return stored == .null && !property.kind.isOptional ? nil : stored
        }
        func convert<Type: _Storable>(_ type: Type.Type) -> Value? { Type._from(value, ValueContext(core: core))?._stored(in: StoringContext(core)) }
        return convert(type)
    }

    private func link(_ value: Any, to target: String) throws -> Value? {
        if ValueContext.isNothing(value) { return .null }
        guard let object = value as? ObjectBase, let from = object.core else {
            return try create(target, value, .modified).map { .link(ObjectKey($0._key)) }
        }
        // An old object of a migration stands for the new object with the same key.
        guard from === core || from === core.migration.previous else {
            Misuse.report("Object is already managed by another Realm. Use create instead to copy it into this Realm.")
            return nil
        }
        let key = ObjectKey(object._key)
        return try core.engineTable(target).contains(key) && isKind(object, of: target) ? .link(key) : nil
    }

    private func isKind(_ object: ObjectBase, of target: String) throws -> Bool {
        if object.className.isSame(as: target) { return true }
        var classes: TextMap<String> = [:]
        for schema in try core.storedClasses() { classes[schema.name] = schema.superclass }
        var above = classes[object.className]
        while let name = above, !name.isSame(as: target) { above = classes[name] }
        return above != nil
    }

    /// The elements of a sequence of any type; nil for other values, and for strings and data, which are single values.
    private static func elements(_ value: Any) -> [Any]? {
        if value is String || value is Data || value is [String: Any] || value is any UntypedMap { return nil }
        guard let values = value as? any Sequence else { return nil }
        func all(_ values: some Sequence) -> [Any] { values.map { $0 as Any } }
        return all(values)
    }

    private static func pairs(_ value: Any) -> [(String, Any)]? {
        (value as? any UntypedMap)?.untypedEntries ?? (value as? [String: Any])?.map { ($0.key, $0.value) }
    }

    // MARK: Embedded objects

    private func isOwning(_ property: ModelProperty) throws -> Bool {
        guard let target = property.targetName else { return false }
        return try core.dynamicClass(named: target, as: DynamicObject.self).model.isEmbedded
    }

    /// Replaces the embedded objects of a property.
    private func own(_ value: Any, _ place: ManagedProperty, _ table: Table, _ column: Column) throws {
        guard let transaction = core.transaction, let target = place.described.targetName else { return }
        core.willChangeAll()
        defer { core.noteChange() }
        let kinds = place.described.kind.collections
        if kinds.isEmpty {
            if ValueContext.isNothing(value) { return try transaction.set(place.key, in: table, column, to: .null) }
            return try embed(value, target) { try transaction.embed([], as: target, in: place.key, of: table, column) }
        }
        guard kinds.count == 1, kinds[0] != .set else { return ObjectInput.report(value, place.described, place.live.model) }
        if kinds[0] == .map {
            guard let pairs = ValueContext.isNothing(value) ? [] : Self.pairs(value) else { return ObjectInput.report(value, place.described, place.live.model) }
            let map = try transaction.map(of: place.key, in: table, column)
            try map.removeAll()
            for (key, value) in pairs where !ValueContext.isNothing(value) { try embed(value, target) { try map.embed([], as: target, for: key) } }
            return
        }
        guard let elements = ValueContext.isNothing(value) ? [] : Self.elements(value) else { return ObjectInput.report(value, place.described, place.live.model) }
        let list = try transaction.list(of: place.key, in: table, column)
        try list.removeAll()
        for (position, element) in elements.enumerated() { try embed(element, target) { try list.embed([], as: target, at: position) } }
    }

    private func embed(_ value: Any, _ target: String, _ make: () throws -> ObjectKey) throws {
        let live = try core.dynamicClass(named: target, as: DynamicObject.self)
        let given = named(value, live.model)
        guard let made = try live.object(make()) as? DynamicObject else { return }
        for property in live.model.properties { try given[property.name].map { try set(property, of: made, to: $0) } }
    }

    // MARK: New objects

    /// Creates an object of a class of the file, or updates the one with its key; nil if that is refused, which is
    /// reported.
    func create(_ name: String, _ value: Any, _ policy: UpdatePolicy) throws -> DynamicObject? {
        guard let transaction = core.transaction else { return nil }
        let live = try core.dynamicClass(named: name, as: DynamicObject.self), model = live.model
        if model.isEmbedded {
            Misuse.report("Cannot create an object of the embedded class '\(name)' without an owner.", hint: "Set the property of its owner.")
            return nil
        }
        if let object = value as? ObjectBase, object.core === core, object.className.isSame(as: name), policy != .error { return object as? DynamicObject }
        let given = named(value, model), table = try live.held().table
        var values = live.initialValues, defaults = given
        for (name, value) in defaultValues(of: model) where given[name] == nil { defaults[name] = value }
        if let place = model.primaryKey {
            guard let key = try key(defaults, model.properties[place], live) else { return nil }
            values[place] = key
            if key != .null || model.properties[place].kind.isOptional, let known = try table.key(primaryKey: key) {
                return try update(known, live, given, policy, key)
            }
        }
        for (place, property) in model.properties.enumerated() where place != model.primaryKey && !property.isCollection && property.kind.type != .object {
            guard let value = defaults[property.name] else { continue }
            guard let stored = try stored(value, property) else {
                ObjectInput.report(value, property, model)
                continue
            }
            values[place] = stored
        }
        core.willChangeAll()
        guard let made = try live.object(transaction.insert(into: table, values: values)) as? DynamicObject else { return nil }
        for property in model.properties where property.isCollection || property.kind.type == .object {
            try defaults[property.name].map { try set(property, of: made, to: $0) }
        }
        return made
    }

    private func update(_ known: ObjectKey, _ live: LiveClass, _ given: TextMap<Any>, _ policy: UpdatePolicy, _ key: Value) throws -> DynamicObject? {
        guard policy != .error else {
            core.refuseTakenKey(key, of: live)
            return nil
        }
        guard let object = try live.object(known) as? DynamicObject else { return nil }
        for (place, property) in live.model.properties.enumerated() where place != live.model.primaryKey {
            try given[property.name].map { try set(property, of: object, to: $0) }
        }
        return object
    }

    /// The primary key's value; null for the next number of the class. Nil if the given value does not fit.
    private func key(_ values: TextMap<Any>, _ property: ModelProperty, _ live: LiveClass) throws -> Value? {
        guard let value = values[property.name] else {
            if live.model.isKeyedByNumber { return try live.automaticKey() }
            func zero<Type: _Storable>(_ type: Type.Type) -> Value { Type._zero._stored(in: StoringContext(core)) }
            return (property.type as? any _Storable.Type).map { zero($0) }
        }
        if let stored = try stored(value, property) { return stored }
        ObjectInput.report(value, property, live.model)
        return nil
    }

    /// The given values, by their property names in the file.
    private func named(_ value: Any, _ model: ModelClass) -> TextMap<Any> {
        var given: TextMap<Any> = [:]
        if let values = value as? [String: Any] {
            for (name, value) in values { given[model.place(of: name).map { model.properties[$0].name } ?? name] = value }
        } else if let source = (value as? any _Storable)?._object {
            for property in source.modelClass?.properties ?? [] where property.isStored {
                given[property.storedName] = source.anyValue(property.name)
            }
        } else if let values = value as? [Any] {
            if values.count > model.properties.count {
                Misuse.report("Invalid array input: more values (\(values.count)) than properties (\(model.properties.count)).")
            }
            for (property, value) in zip(model.properties, values) { given[property.name] = value }
        } else {
            Misuse.report("Invalid value '\(value)' to initialize object of type '\(model.name)'.", hint: "Pass a dictionary or an array.")
        }
        return given
    }

    /// The initial values of an object of the program's class with that name.
    private func defaultValues(of model: ModelClass) -> TextMap<Any> {
        guard let place = core.schema.place(named: model.name) else { return [:] }
        let known = core.schema.classes[place], instance = known.type.init()
        var values: TextMap<Any> = [:]
        for property in known.properties where property.isStored && !(property.attributes.isNumbered) {
            values[property.storedName] = instance.anyValue(property.name)
        }
        return values
    }
}
