/// An object whose properties are read and set by name, for classes that have no Swift class, and in migrations.
///
/// ```swift
/// for person in realm.dynamicObjects("Person") {
///     print(person["name"] as? String ?? "", person.age as? Int ?? 0)
///     for dog in person.dynamicList("dogs") { print(dog.name ?? "") }
/// }
/// ```
/// Property names are those in the file. Values have the types that Swift classes declare: `Int`, `String?`,
/// `List<Int>`, links as other dynamic objects.
@dynamicMemberLookup
public final class DynamicObject: Object {
    /// The value of the property with a name.
    public subscript(dynamicMember name: String) -> Any? {
        get { self[name] }
        set { self[name] = newValue }
    }

    /// Always false: this is no class of the program.
    public override class func shouldIncludeInDefaultSchema() -> Bool { false }

    override class var isDynamic: Bool { true }

    override func dynamicValue(_ property: ModelProperty) -> Any? {
        guard let core, core.enter() else { return nil }
        return core.attempt(nil) {
            guard let row = try core.row(of: self) else { return nil }
            let live = live(in: core)
            guard let place = live.model.place(of: property.name), let column = live.column(place) else { return nil }
            if property.isCollection {
                return DynamicValues.collection(ManagedProperty(live, row.key, place, in: core))
            }
            return try DynamicValues.value(row, column, property, core)
        }
    }

    override func linkingValue(_ name: String) -> Any? {
        // The file stores links in their own direction only; the names of linking objects come from the program's
        // classes.
        guard let core, core.enter(), let place = core.schema.place(named: className) else { return nil }
        let model = core.schema.classes[place]
        guard let property = model.place(of: name).map({ model.properties[$0] }), let origin = property.attributes.originProperty,
              let source = property.kind.objectType.flatMap({ core.schema.place(of: $0) }).map({ core.schema.classes[$0] }),
              let column = source.place(of: origin) else { return nil }
        return LinkingObjects<DynamicObject>(to: self, in: core, from: source.name, by: source.properties[column].storedName)
    }

    override func setDynamic(_ property: ModelProperty, to value: Any) {
        guard let core, core.enter() else { return }
        guard core.transaction != nil else {
            return Misuse.report("Cannot modify managed objects outside of a write transaction.", hint: "Put the change within realm.write { }.")
        }
        core.attempt(()) {
            if try core.row(of: self) != nil { try DynamicWriting(core: core).set(property, of: self, to: value) }
        }
    }
}

extension ObjectBase {
    /// The list property with a name; its elements are dynamic objects.
    public final func dynamicList(_ propertyName: String) -> List<DynamicObject> { untyped(propertyName) ?? List() }

    /// The set property with a name; its elements are dynamic objects.
    public final func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> { untyped(propertyName) ?? MutableSet() }

    /// The map property with a name; its values are dynamic objects.
    public final func dynamicMap<Key: _MapKey>(_ propertyName: String) -> Map<Key, DynamicObject?> {
        guard let place = untypedPlace(propertyName, .map) else { return Map() }
        return Map(place)
    }

    private func untyped(_ name: String) -> List<DynamicObject>? { untypedPlace(name, .list).map { List($0) } }
    private func untyped(_ name: String) -> MutableSet<DynamicObject>? { untypedPlace(name, .set).map { MutableSet($0) } }
}
