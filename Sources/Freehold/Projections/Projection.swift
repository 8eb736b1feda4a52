public import FreeholdEngine

/// A type whose values stand for an object and show some of its properties.
public protocol ProjectionObservable: AnyObject, ThreadConfined {
    associatedtype Root: ObjectBase
    /// The object that is shown.
    var rootObject: Root { get }
    /// Creates the view of an object.
    init(projecting object: Root)
}

/// A view of an object: some of its properties, with names and forms of their own. Subclass it, and mark what is shown
/// with `@Projected`.
///
/// ```swift
/// class Card: Projection<Person> {
///     @Projected(\Person.firstName) var name
///     @Projected(\Person.lastName.localizedUppercase) var familyName
///     @Projected(\Person.address?.city) var city
///     @Projected(\Person.friends.projectTo.firstName) var friends: ProjectedCollection<String>
/// }
/// for card in realm.objects(Card.self).filter("age > 18").sorted(by: \.name) { print(card.name, card.friends.count) }
/// ```
/// It is as live as the object. Setting a property sets the object's, if the key path is writable. Query strings for
/// projections use the property names of the object's class; key paths and `where { }` use those of the projection.
open class Projection<Root: ObjectBase & RealmCollectionValue & ThreadConfined>: ProjectionObservable, RealmCollectionValue, CustomStringConvertible {
    /// The object that is shown.
    public final let rootObject: Root

    /// Creates the projection of an object. Reports misuse if a property of the projection shows no stored property.
    public required init(projecting object: Root) {
        rootObject = object
        _ = ProjectedProperty.all(of: self)
    }

    /// Whether both are projections of one object of one realm.
    public static func == (one: Projection, other: Projection) -> Bool {
        one.rootObject === other.rootObject || one.rootObject.isSameRow(as: other.rootObject)
    }

    public func hash(into hasher: inout Hasher) {
        if rootObject.core == nil { hasher.combine(ObjectIdentifier(rootObject)) } else { hasher.combine(rootObject._key) }
    }

    /// The shown values, with the properties they come from.
    open var description: String {
        if rootObject.isInvalidated { return "[invalid object]" }
        let lines = ProjectedProperty.all(of: self).map { property in
            "\t\(property.label)(\\.\(property.path)) = \(ObjectBase.line(rootObject[keyPath: property.keyPath].map(ValueContext.bare)));\n"
        }
        return "\(type(of: self))<\(type(of: rootObject))> {\n\(lines.joined())}"
    }

    // MARK: As an element

    public typealias PersistedType = ObjectBase
    public final func _persisted<Kept>(as type: Kept.Type) -> Kept? { rootObject as? Kept }
    public static var _kind: _PropertyKind { Root._kind }
    public static var _zero: Self { Self(projecting: Root._zero) }
    public static func _load(_ value: FreeholdEngine.Value, _ core: RealmCore) -> Self { Self(projecting: Root._load(value, core)) }
    public static func _from(_ value: Any, _ context: ValueContext) -> Self? { value as? Self ?? Root._from(value, context).map { Self(projecting: $0) } }
    public func _stored(in context: StoringContext) -> FreeholdEngine.Value { rootObject._stored(in: context) }
}

extension Projection {
    /// The realm of the object; nil if it is unmanaged.
    public final var realm: Realm? { rootObject.realm }
    /// Whether the object was deleted, or its realm invalidated.
    public final var isInvalidated: Bool { rootObject.isInvalidated }
    /// The projection of a frozen copy of the object, readable from any thread.
    public final func freeze() -> Self { frozen() }
    /// The projection of the object in a live realm of the caller's thread, queue or actor; nil if it was deleted.
    public final func thaw() -> Self? { thawed() }

    public final func _handover(_ purpose: _HandoverPurpose) -> _Handover? {
        let type = type(of: self)
        return rootObject._handover(purpose)?.map { found in (found as? Root).map { type.init(projecting: $0) } }
    }
}

@available(*, unavailable, message: "live projections belong to their thread, queue or actor; pass a Frozen or a ThreadSafeReference")
extension Projection: Sendable {}

/// Access by paths of property names of the object's class.
extension Projection: _PathValue {
    /// The value at a path of property names that begins at the object.
    public final func value(forKeyPath path: String) -> Any? { rootObject.value(forKeyPath: path) }
    /// Sets the value at a path of property names that begins at the object.
    public final func setValue(_ value: Any?, forKeyPath path: String) { rootObject.setValue(value, forKeyPath: path) }
}

extension Projection: PathRoot {
    static var pathModel: ObjectBase.Type { Root.self }
    static func pathRoot(over object: ObjectBase) -> Any { Self(projecting: object as? Root ?? Root._zero) }
}
