import FreeholdEngine

/// A dictionary of values or objects by string keys.
///
/// ```swift
/// class Person: Object {
///     @Persisted var phones: Map<String, String>
///     @Persisted var friends: Map<String, Person?>
///     @Persisted var groups: Map<String, List<String>>
/// }
/// try realm.write {
///     person.phones["home"] = "555-0100"
///     person.groups["work"] = ["Ann", "Bob"]
///     person.groups["work"]?.append("Cy")
/// }
/// ```
/// Keys are in the order of their UTF-8 bytes. A key whose object is deleted has the value nil.
public final class Map<Key: _MapKey, Value: RealmCollectionValue> {
    var own: TextMap<Value> = [:]
    /// The place of a managed object's map; nil while unmanaged.
    var place: CollectionPlace?

    /// Creates an empty unmanaged map.
    public init() {}

    init(_ place: CollectionPlace) { self.place = place }

    init?(moving place: CollectionPlace?) {
        guard let place else { return nil }
        self.place = place
    }

    /// The number of keys.
    public var count: Int { place.map { $0.view()?.count ?? 0 } ?? own.count }
    /// Whether the map has no keys.
    public var isEmpty: Bool { count == 0 }

    /// All keys, in order.
    public var keys: [Key] {
        // Strings are in the order of their bytes, as in files.
        guard let place else {
            if own.isEmpty, PathRecorder.isRead(self) { return [Key(_text: "")] }
            return own.keys.sorted { $0.precedes($1) }.map { Key(_text: $0) }
        }
        guard let map = place.view()?.map else { return [] }
        return place.core.attempt([]) { try map.keys().map { Key(_text: $0) } }
    }

    /// All values, in the order of the keys.
    public var values: [Value] {
        if place == nil, own.isEmpty, let value = PathRecorder.element(of: self, Value.self) { return [value] }
        return entries.map(\.value)
    }

    /// Keys and values, in the order of the keys.
    var entries: [(key: Key, value: Value)] {
        guard let place else { return keys.compactMap { key in own[key._text].map { (key, $0) } } }
        guard let map = place.view()?.map else { return [] }
        return place.core.attempt([]) {
            try map.keys().enumerated().map { position, key in
                (Key(_text: key), try Value._element(of: place, at: .key(key)) { try map.value(at: position) })
            }
        }
    }

    /// The value for a key; setting nil removes the key.
    public subscript(key: Key) -> Value? {
        get {
            guard let place else { return own[key._text] ?? PathRecorder.element(of: self) }
            guard let map = place.view()?.map else { return nil }
            return place.core.attempt(nil) {
                guard let position = try map.position(of: key._text) else { return nil }
                return try Value._element(of: place, at: .key(key._text)) { try map.value(at: position) }
            }
        }
        set {
            guard let newValue else { return removeObject(for: key) }
            updateValue(newValue, forKey: key)
        }
    }

    /// The value for a key, or a default if the map does not have the key: `counts["a", default: 0] += 1`.
    public subscript(key: Key, default fallback: @autoclosure () -> Value) -> Value {
        get { self[key] ?? fallback() }
        set { updateValue(newValue, forKey: key) }
    }

    /// The value for a key; nil if there is none.
    public func object(forKey key: Key) -> Value? { self[key] }

    /// The value for a key; nil if there is none.
    public func value(forKey key: Key) -> Value? { self[key] }

    /// Whether the map has a key.
    public func contains(key: Key) -> Bool {
        guard let place else { return own[key._text] != nil }
        guard let map = place.view()?.map else { return false }
        return place.core.attempt(false) { try map.position(of: key._text) != nil }
    }
}

extension Map {
    // MARK: Changing

    /// Sets the value for a key.
    public func updateValue(_ value: Value, forKey key: Key) { put(value, key._text) }

    /// Sets the value for a key.
    func put(_ value: Value, _ key: String, _ context: StoringContext? = nil) {
        guard let place else { return own[key] = value }
        let context = context ?? StoringContext(place.core)
        place.changeMap { try place.put(value, for: key, in: $0, context) }
    }

    /// Sets the value for a key to an untyped value; nil removes the key. Reports misuse if the value does not fit.
    public func setValue(_ value: Any?, forKey key: Key) {
        guard let value, !(ValueContext.isNothing(value) && !(Value.self is any ExpressibleByNilLiteral.Type)) else { return removeObject(for: key) }
        guard let fitting = Value._from(value, ValueContext(core: place?.core)) else {
            return Misuse.report("Invalid value '\(value)' of type '\(type(of: value))' for '\(Value._kind.described)' value of a Map.")
        }
        updateValue(fitting, forKey: key)
    }

    /// Removes a key, if the map has it.
    public func removeObject(for key: Key) {
        guard let place else { return own[key._text] = nil }
        place.changeMap { try $0.remove(key._text) }
    }

    /// Removes all keys and values.
    public func removeAll() {
        guard let place else { return own.removeAll() }
        place.changeMap { try $0.removeAll() }
    }

    /// Merges pairs into the map. `combine` returns the value for keys that the map has already, from its value and the
    /// new one.
    public func merge(_ pairs: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value) rethrows {
        for (key, value) in pairs { self[key] = try self[key].map { try combine($0, value) } ?? value }
    }

    /// Merges a dictionary into the map; `combine` returns the value for keys that the map has already.
    public func merge(_ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value) rethrows {
        try merge(other.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }

    /// Merges another map into this one; `combine` returns the value for keys that this map has already.
    public func merge(_ other: Map, uniquingKeysWith combine: (Value, Value) throws -> Value) rethrows {
        try merge(other.entries.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }
}

/// The type of a map's keys: strings, or an enumeration of strings.
public protocol _MapKey: Hashable {
    /// The key that a string represents.
    init(_text: String)
    /// The string that represents the key.
    var _text: String { get }
}

extension String: _MapKey {
    public init(_text: String) { self = _text }
    public var _text: String { self }
}
