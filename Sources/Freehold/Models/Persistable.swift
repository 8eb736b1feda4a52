/// A type that `@Persisted` can wrap.
public protocol _Persistable {
    /// The schema type of the property.
    static var _kind: _PropertyKind { get }
    /// The initial value of a property without one.
    static var _zero: Self { get }
    /// Reads the property that begins at byte `offset` of an object.
    static func _read(_ object: ObjectBase, _ offset: Int) -> Self
    /// Sets the property that begins at byte `offset` of an object.
    static func _write(_ value: Self, _ object: ObjectBase, _ offset: Int)
    /// Sets the property to a value of unknown type; false if it does not fit.
    static func _assign(_ value: Any, _ object: ObjectBase, _ offset: Int, _ context: ValueContext) -> Bool
    /// Stores an object's value of the property in a realm, when the object becomes managed.
    static func _store(_ object: ObjectBase, _ offset: Int, _ storing: _PropertyStoring)
    /// Releases the value that the object had while it was unmanaged.
    static func _clear(_ object: ObjectBase, _ offset: Int)
}

/// A property without `@Persisted`, declared as `let dogs = List<Dog>()`: the instance is stored in the object itself.
public protocol _Declared: _Persistable {
    /// Attaches the instance stored in a managed object to that object. `offset` is 8 less than the instance's.
    static func _attach(_ object: ObjectBase, _ offset: Int)
    /// The property that linking objects come from; nil for others.
    static func _origin(_ object: ObjectBase, _ offset: Int) -> String?
}

extension _Declared {
    public static func _origin(_ object: ObjectBase, _ offset: Int) -> String? { nil }
}

extension _Persistable {
    public static func _clear(_ object: ObjectBase, _ offset: Int) { object._setOwn(nil as Self?, offset) }
}

/// Receives the values of an object's properties when the object becomes managed: an `ObjectStoring`.
///
/// It has no members, so that models need not know realms.
public class _PropertyStoring {}

/// The value that an unmanaged object has in the property that begins at byte `offset`: it follows the word of
/// attributes.
///
/// Safe: `offset` is that of a `Persisted<Value>`, whose value follows a word, as no value is aligned to more.
extension ObjectBase {
    final func _own<Value>(_ offset: Int, _ type: Value.Type) -> Value? {
        (_address + offset + 8).assumingMemoryBound(to: Value?.self).pointee
    }

    final func _setOwn<Value>(_ value: Value?, _ offset: Int) {
        (_address + offset + 8).assumingMemoryBound(to: Value?.self).pointee = value
    }
}
