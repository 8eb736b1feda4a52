import FreeholdEngine

/// Converts stored values to Swift types.
enum DynamicValues {
    /// A single value; nil for null.
    static func value(_ row: Row, _ column: Column, _ property: ModelProperty, _ core: RealmCore) throws -> Any? {
        if property.kind.type == .object {
            guard case .link(let key) = try row.value(column), let target = property.targetName else { return nil }
            return try core.dynamicClass(named: target, as: DynamicObject.self).object(key)
        }
        if property.kind.type == .any { return try mixed(row, column, property, core).flatMap { AnyRealmValue.bare($0) } }
        guard let type = property.elementType else { return nil }
        func load<Value: _Storable>(_ type: Value.Type) throws -> Any { try Value._load(row, column, core) }
        let value = try load(type)
        return ValueContext.isNothing(value) ? nil : value
    }

    /// A mixed value; a linked object is a dynamic object, lists and dictionaries are live.
    private static func mixed(_ row: Row, _ column: Column, _ property: ModelProperty, _ core: RealmCore) throws -> AnyRealmValue? {
        let value = try row.value(column)
        func place(_ kind: CollectionKind) throws -> CollectionPlace {
            let live = try core.dynamicClass(named: row.className, as: DynamicObject.self)
            _ = try live.held()
            return CollectionPlace(ManagedProperty(live, row.key, live.model.place(of: property.name) ?? 0, in: core), kind)
        }
        switch value {
        case .null: return nil
        case .object(let reference):
            let live = try core.className(numbered: reference.classNumber).map { name throws(FreeholdError) in
                try core.dynamicClass(named: name, as: DynamicObject.self)
            }
            return (try live?.object(reference.key) as? DynamicObject).map { .object($0) }
        case .list: return .list(List(try place(.list)))
        case .map: return .dictionary(Map(try place(.map)))
        default: return AnyRealmValue._load(value, core)
        }
    }

    /// A collection of a managed object, with the type that a Swift class would declare.
    static func collection(_ owner: ManagedProperty) -> Any? {
        let property = owner.described, kinds = property.kind.collections
        if kinds.count > 1 { return nested(owner) }
        let place = CollectionPlace(owner, kinds[0])
        if property.kind.type == .object {
            switch kinds[0] {
            case .list: return List<DynamicObject>(place)
            case .set: return MutableSet<DynamicObject>(place)
            case .map: return Map<String, DynamicObject?>(place)
            }
        }
        func make<Element: RealmCollectionValue>(_ type: Element.Type) -> Any {
            switch kinds[0] {
            case .list: List<Element>(place)
            case .set: MutableSet<Element>(place)
            case .map: Map<String, Element>(place)
            }
        }
        return property.elementType.map { make($0) }
    }

    /// Nested collections, as arrays and dictionaries; objects in them are dynamic objects.
    private static func nested(_ place: ManagedProperty) -> Any? {
        place.core.attempt(nil) {
            guard let column = place.live.columns[place.property] else { return nil }
            let core = place.core, target = place.described.targetName
            return try plain(place.live.held().table.value(place.key, column)) { value in
                switch value {
                case .link(let key): try target.flatMap { try core.dynamicClass(named: $0, as: DynamicObject.self).object(key) }
                case .object(let reference):
                    try core.className(numbered: reference.classNumber).flatMap { try core.dynamicClass(named: $0, as: DynamicObject.self).object(reference.key) }
                default: nil
                }
            }
        }
    }

    /// A single value; nil for null. An element of a collection is its value, too, and not an optional of it.
    private static func plain(_ value: FreeholdEngine.Value, _ object: (FreeholdEngine.Value) throws -> ObjectBase?) throws -> Any? {
        func element(_ value: FreeholdEngine.Value) throws -> Any { try plain(value, object) ?? Any?.none as Any }
        switch value {
        case .null: return nil
        case .bool(let flag): return flag
        case .int(let number): return Int(number)
        case .float(let number): return number
        case .double(let number): return number
        case .string(let text): return text
        case .data(let bytes): return value.foreign ?? bytes
        case .date, .uuid, .objectId, .decimal: return value.foreign
        case .list(let values), .set(let values): return try values.map(element)
        case .map(let entries): return try Dictionary(entries.map { ($0.key, try element($0.value)) }) { first, _ in first }
        case .link, .object: return try object(value)
        }
    }
}

extension ModelProperty {
    /// The type of a value, or of a collection's element.
    var elementType: (any RealmCollectionValue.Type)? { kind.type == .any ? AnyRealmValue.self : type as? any RealmCollectionValue.Type }
}

extension ObjectBase {
    /// A collection property by its name in the file, whatever class the program has for the object; reports misuse if
    /// there is none.
    func untypedPlace(_ name: String, _ kind: CollectionKind) -> CollectionPlace? {
        guard let core else {
            Misuse.report("Property '\(className).\(name)' of an unmanaged object has no untyped collection.",
                          hint: "Add the object to a realm first.")
            return nil
        }
        guard core.enter() else { return nil }
        return core.attempt(nil) {
            let live = try core.dynamicClass(named: className, as: DynamicObject.self)
            _ = try live.held()
            let stored = modelClass?.place(of: name).map { modelClass?.properties[$0].storedName ?? name } ?? name
            guard let place = live.model.place(of: stored), live.model.properties[place].kind.collections.first == kind,
                  live.model.properties[place].kind.type == .object else {
                Misuse.report("Property '\(className).\(name)' is not a \(kind.name) of objects.")
                return nil
            }
            return CollectionPlace(ManagedProperty(live, ObjectKey(_key), place, in: core, generation: generation), kind)
        }
    }
}
