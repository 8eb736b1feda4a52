/// Properties with a single value.
extension _Persistable where Self: _Storable {
    public static func _read(_ object: ObjectBase, _ offset: Int) -> Self { object.slowValue(offset) }
    public static func _write(_ value: Self, _ object: ObjectBase, _ offset: Int) { object.slowSet(value, offset) }

    public static func _assign(_ value: Any, _ object: ObjectBase, _ offset: Int, _ context: ValueContext) -> Bool {
        guard let value = _from(value, context) else { return false }
        _write(value, object, offset)
        return true
    }

    public static func _store(_ object: ObjectBase, _ offset: Int, _ storing: _PropertyStoring) {
        ObjectStoring.of(storing).set(offset, object._own(offset, Self.self) ?? _zero)
    }
}
