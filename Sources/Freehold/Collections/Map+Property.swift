public import FreeholdEngine

/// A map as a property.
extension Map: _Declared {
    public static func _attach(_ object: ObjectBase, _ offset: Int) { object._own(offset, Map.self)?.place = CollectionPlace(object, offset, collectionKind) }

    public static var _kind: _PropertyKind { Value._kind.inside(.map) }
    public static var _zero: Map { Map() }

    public static func _read(_ object: ObjectBase, _ offset: Int) -> Map {
        if object.isRecording { return PathRecorder.read(object, offset) { Map() } }
        if let map = object._own(offset, Map.self), object.core == nil || map.place?.owner.isOf(object) == true { return map }
        let map = object.core == nil ? Map() : Map(CollectionPlace(object, offset, collectionKind))
        // Other threads may read a frozen object, so it stores no map.
        if object.core?.isFrozen != true { object._setOwn(map, offset) }
        return map
    }

    /// Replaces the map's entries with those of another map.
    public static func _write(_ value: Map, _ object: ObjectBase, _ offset: Int) {
        let map = _read(object, offset)
        if !map.isSame(as: value) { map.assign(value.entries) }
    }

    public static func _assign(_ value: Any, _ object: ObjectBase, _ offset: Int, _ context: ValueContext) -> Bool {
        let map = _read(object, offset)
        if let other = value as? Map, map.isSame(as: other) { return true }
        guard let entries = Self.entries(of: value, context) else { return false }
        map.assign(entries)
        return true
    }

    /// The entries of an untyped value; nil if they do not fit.
    private static func entries(of value: Any, _ context: ValueContext) -> [(key: Key, value: Value)]? {
        if ValueContext.isNothing(value) { return [] }
        if let map = value as? Map, context.takesCollections { return map.entries }
        guard let entries = (value as? any UntypedMap)?.untypedEntries ?? (value as? [String: Any])?.map({ ($0.key, $0.value) }) else { return nil }
        var pairs: [(key: Key, value: Value)] = []
        for (key, value) in entries {
            guard let fitting = Value._from(value, context) else {
                context.refuse(value)
                return nil
            }
            pairs.append((Key(_text: key), fitting))
        }
        return pairs
    }

    public static func _store(_ object: ObjectBase, _ offset: Int, _ storing: _PropertyStoring) {
        let storing = ObjectStoring.of(storing)
        guard let place = storing.collection(offset, collectionKind) else { return }
        let map = object._own(offset, Map.self) ?? Map(), entries = map.own
        map.own = [:]
        map.place = place
        object._setOwn(map, offset)
        switch storing.change(offset) {
        case .keep: return
        case .replace: map.removeAll()
        case .merge: return map.update(entries, storing.inner)
        case .fill: break
        }
        for (key, value) in entries { map.put(value, key, storing.inner) }
    }

    private func assign(_ entries: [(key: Key, value: Value)]) {
        guard let place else { return own = TextMap(entries.map { ($0.key._text, $0.value) }, uniquingKeysWith: { $1 }) }
        let context = StoringContext(place.core)
        place.changeMap { map in
            guard place.described.isOwning else {
                return try map.assign(TextMap(entries.map { ($0.key._text, $0.value._stored(in: context)) }, uniquingKeysWith: { $1 }))
            }
            guard place.canEmbed(entries.map(\.value)) else { return }
            try map.removeAll()
            for (key, value) in entries { try place.put(value, for: key._text, in: map, context) }
        }
    }

    /// Sets entries by changing only what differs; embedded objects of the map stay, and are changed.
    private func update(_ entries: TextMap<Value>, _ context: StoringContext) {
        guard let place, !entries.isEmpty else { return }
        place.changeMap { map in
            for (key, value) in entries {
                let present = try map.view()[key]
                if place.described.isOwning {
                    if let present, try place.update(present, to: value, context) { continue }
                    try place.put(value, for: key, in: map, context)
                } else {
                    let stored = value._stored(in: context)
                    if present != stored { try map.set(stored, for: key) }
                }
            }
        }
    }
}

extension Map: UntypedMap {
    var untypedEntries: [(key: String, value: Any)] { entries.map { ($0.key._text, $0.value as Any) } }
    var untyped: [String: Any] { Dictionary(entries.map { ($0.key._text, $0.value as Any) }, uniquingKeysWith: { first, _ in first }) }
}

/// A map as an element of another collection.
extension Map: RealmCollectionValue, NestedCollection {
    public typealias PersistedType = Map<Key, Value>
    static var collectionKind: CollectionKind { .map }
    static var nothing: FreeholdEngine.Value { .map([:]) }

    public static func _load(_ value: FreeholdEngine.Value, _ core: RealmCore) -> Map {
        let map = Map()
        if case .map(let values) = value { map.own = values.mapValues { Value._load($0, core) } }
        return map
    }

    public static func _element(of place: CollectionPlace, at step: CollectionStep, _ read: () throws -> FreeholdEngine.Value) throws -> Map {
        Map(place.below(step, .map))
    }

    public func _stored(in context: StoringContext) -> FreeholdEngine.Value {
        .map(TextMap(entries.map { ($0.key._text, $0.value._stored(in: context)) }, uniquingKeysWith: { first, _ in first }))
    }

    public static func _from(_ value: Any, _ context: ValueContext) -> Map? {
        if let map = value as? Map, context.takesCollections { return map }
        guard let entries = entries(of: value, context) else { return nil }
        let map = Map()
        for (key, value) in entries { map.own[key._text] = value }
        return map
    }

    func fill(_ place: CollectionPlace, _ context: StoringContext) {
        let map = Map(place)
        for (key, value) in entries { map.put(value, key._text, context) }
    }
}
