import FreeholdEngine

/// A property in the style from before `@Persisted`: `let age = RealmProperty<Int?>()`. Its `value` is read and set.
///
/// ```swift
/// class Dog: Object {
///     let age = RealmProperty<Int?>()
/// }
/// dog.age.value = 5
/// ```
/// Prefer `@Persisted var age: Int?` for new classes: it is shorter and much faster, and the file is the same.
public final class RealmProperty<Value: _Storable> {
    private var own: Value
    /// The place of the value in the file, once the object is managed.
    private var place: ManagedProperty?

    /// Creates a property with nil as its value, or else its type's zero.
    public init() { own = Value._zero }

    /// Creates a property with an initial value.
    public init(_ value: Value) { own = value }

    /// The value. Once the object is managed, the value is the file's, and setting it needs a write transaction.
    public var value: Value {
        get { place.map { Self.value(at: $0) } ?? own }
        set { if let place { place.setValue(newValue) } else { own = newValue } }
    }

    private static func value(at place: ManagedProperty) -> Value {
        guard place.core.enter(), place.requireCurrent() else { return Value._zero }
        return place.core.attempt(Value._zero) {
            guard let row = try place.live.held().table.row(place.key) else {
                Misuse.report("Object has been deleted or invalidated.")
                return Value._zero
            }
            guard let column = place.live.column(place.property) else { return Value._zero }
            // The list or dictionary of a mixed value is live.
            if Value.self == AnyRealmValue.self, let live = try AnyRealmValue.live(row.value(column), of: place) as? Value { return live }
            return try Value._load(row, column, place.core)
        }
    }
}

extension ManagedProperty {
    /// Sets the property, which is not a collection.
    fileprivate func setValue(_ value: some _Storable) {
        guard core.enter(), requireCurrent() else { return }
        guard core.transaction != nil else {
            if core.isFrozen { return Misuse.report("Attempting to modify a frozen object - call thaw on the Object instance first.") }
            return Misuse.report("Cannot modify managed objects outside of a write transaction.", hint: "Put the change within realm.write { }.")
        }
        core.attempt(()) {
            guard try live.held().table.contains(key) else { return Misuse.report("Object has been deleted or invalidated.") }
            try core.set(key, live, property, value, StoringContext(core))
        }
    }
}

/// An optional number, in the style of the oldest models.
@available(*, deprecated, message: "declare the property with @Persisted, or as RealmProperty<Value?>")
public typealias RealmOptional<Wrapped: _Storable> = RealmProperty<Wrapped?>

extension RealmProperty: CustomStringConvertible, DescribedCollection {
    func described(depth: Int) -> String { ObjectBase.described(value, depth: depth) }

    public var description: String { ValueContext.isNothing(value) ? "nil" : described(depth: 5) }
}

extension RealmProperty: DeclaredValue {
    static var valueType: any _Storable.Type { Value.self }
    var untyped: Any { value }
}

extension RealmProperty: _Declared {
    public static var _kind: _PropertyKind { Value._kind }
    public static var _zero: RealmProperty { RealmProperty() }

    public static func _attach(_ object: ObjectBase, _ offset: Int) {
        object._own(offset, RealmProperty.self)?.place = ManagedProperty(object, offset)
    }

    public static func _read(_ object: ObjectBase, _ offset: Int) -> RealmProperty { object._own(offset, RealmProperty.self) ?? RealmProperty() }
    public static func _write(_ value: RealmProperty, _ object: ObjectBase, _ offset: Int) { _read(object, offset).value = value.value }

    public static func _assign(_ value: Any, _ object: ObjectBase, _ offset: Int, _ context: ValueContext) -> Bool {
        guard let value = (value as? RealmProperty)?.value ?? Value._from(value, context) else { return false }
        _read(object, offset).value = value
        return true
    }

    public static func _store(_ object: ObjectBase, _ offset: Int, _ storing: _PropertyStoring) {
        ObjectStoring.of(storing).set(offset, _read(object, offset).own)
    }

    // The instance belongs to the object permanently.
    public static func _clear(_ object: ObjectBase, _ offset: Int) {}
}

extension RealmProperty: Equatable where Value: Equatable {
    /// Whether both have the same value.
    public static func == (one: RealmProperty, other: RealmProperty) -> Bool { one.value == other.value }
}

/// Encodes the value alone.
extension RealmProperty: Encodable where Value: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension RealmProperty: Decodable where Value: Decodable {
    public convenience init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(Value.self)) }
}

extension KeyedDecodingContainer {
    /// Decodes an optional property; nil if its key is missing.
    public func decode<Wrapped: Decodable>(_ type: RealmProperty<Wrapped?>.Type, forKey key: Key) throws -> RealmProperty<Wrapped?> {
        try decodeIfPresent(type, forKey: key) ?? RealmProperty(nil)
    }
}
