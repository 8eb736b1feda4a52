public import FreeholdEngine

/// An object as a property value: a link to the object.
extension ObjectBase: _Storable {
    public static var _kind: _PropertyKind { _PropertyKind(.object, objectType: self) }

    public static var _zero: Self { self.init() }

    public static func _load(_ value: Value, _ core: RealmCore) -> Self { _loadKnown(value, core) ?? self.init() }

    public static func _loadKnown(_ value: Value, _ core: RealmCore) -> Self? {
        guard case .link(let key) = value, let live = core.live(self) else { return nil }
        return core.attempt(nil) { try live.object(key) as? Self }
    }

    /// A link to the object. An unmanaged object is added to the realm.
    public func _stored(in context: StoringContext) -> Value {
        if _row < 0 || isStale {
            Misuse.report("Object has been deleted or invalidated.")
            return .null
        }
        return context.core.add(self, context) ? .link(ObjectKey(_key)) : .null
    }

    public static func _from(_ value: Any, _ context: ValueContext) -> Self? {
        guard let object = ObjectInput.instance(value) as? ObjectBase else { return ObjectInput.object(of: self, value, context) as? Self }
        guard let object = object as? Self else {
            // An object of this class in another representation, such as an untyped one.
            return object.className.isSame(as: className()) ? ObjectInput.object(of: self, object, context) as? Self : nil
        }
        let isHere = context.realm != nil && object.owner === context.realm
        if let given = context.given {
            if isHere && !isEmbeddedModel { return object }
            return given.copy(object) { type(of: object).init() } _: { ObjectInput.fill($0, object, context) }
        }
        // Creating an object from values copies embedded objects.
        if isEmbeddedModel, context.realm == nil, object.owner != nil { return ObjectInput.object(of: type(of: object), object, context) as? Self }
        return object
    }
}
