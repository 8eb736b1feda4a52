import FreeholdEngine

/// The objects that link to an object: another class's property, read in the reverse direction.
///
/// ```swift
/// class Dog: Object {
///     @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
/// }
/// ```
/// Linking objects follow that property automatically. An object whose list or map has this object twice is included
/// twice. Embedded objects may link too: `LinkingObjects<Address>` includes those that do, whatever their owners.
public struct LinkingObjects<Element: ObjectBase> {
    private let end: End

    /// The target of the links. A reference: linking objects stored in an object learn it once that is managed.
    private final class End {
        var target: Target?
        /// The property named by the declaration.
        let origin: String?

        init(_ target: Target?, origin: String? = nil) {
            self.target = target
            self.origin = origin
        }
    }

    private var target: Target? { end.target }
    /// The instance that identifies these linking objects in their description.
    var instance: AnyObject { end }

    private struct Target {
        let core: RealmCore
        /// The class of the object linked to.
        let model: ModelClass
        let key: Int64
        let origin: String
        /// The class whose objects link, by its name in the file; nil if it is `Element`.
        var source: String?
        /// The version at which the object was found, its lowest bits.
        let seen: UInt32
        /// The realm's generation when it was found.
        let generation: UInt8
        /// The keys of the linking objects, at one epoch of the realm.
        let found = Found()

        var isStale: Bool { core.generation != generation }
        /// The class whose objects link; nil, after misuse was reported, if the realm does not have it.
        var live: LiveClass? {
            guard let source else { return core.live(Element.self) }
            return core.attempt(nil) { try core.dynamicClass(named: source, as: Element.self) }
        }
    }

    private final class Found {
        var epoch: UInt64 = 0
        var keys: [ObjectKey] = []
    }

    private init(_ target: Target?) { end = End(target) }

    /// A function that finds these linking objects in another realm of the file, without keeping this realm. It returns
    /// nil if the target was deleted.
    func unbound() -> (RealmCore) -> LinkingObjects? {
        guard let target else { return { _ in nil } }
        let (model, key, origin, source, seen) = (target.model, target.key, target.origin, target.source, target.seen)
        if target.isStale { return { _ in nil } }
        return { core in
            guard let object = core.object(model, key, seen: seen) else { return nil }
            return LinkingObjects(Target(core: core, model: model, key: key, origin: origin, source: source, seen: object.seen,
                                         generation: object.generation))
        }
    }

    /// The linking objects as a source of keys for queries.
    private final class Keys: KeySource {
        let objects: LinkingObjects

        init(_ objects: LinkingObjects) { self.objects = objects }

        var isStale: Bool { objects.target?.isStale ?? false }
        func keys() -> [ObjectKey] { objects.keys() }

        func elsewhere() -> (RealmCore) -> (any KeySource)? {
            let find = objects.unbound()
            return { find($0).map { Keys($0) } }
        }
    }

    /// Objects of a class that link to one by a property; class and property by their names in the file.
    init(to object: ObjectBase, in core: RealmCore, from source: String, by origin: String) {
        self.init(Target(core: core, model: object.live(in: core).model, key: object._key, origin: origin, source: source, seen: object.seen,
                         generation: object.generation))
    }

    /// Declares which class links, and by which of its properties, as in
    /// `let owners = LinkingObjects(fromType: Person.self, property: "dogs")`.
    public init(fromType type: Element.Type, property: String) { end = End(nil, origin: property) }

    /// The number of linking objects.
    public var count: Int { keys().count }

    /// The object at a position, in the order of object keys.
    public subscript(position: Int) -> Element {
        if target == nil, let element = PathRecorder.element(of: end, Element.self) { return element }
        let keys = keys()
        guard keys.indices.contains(position), let target, let live = target.live else {
            Misuse.report("Index \(position) is out of bounds (must be less than \(keys.count)).")
            return Element()
        }
        return target.core.attempt(nil) { try live.object(keys[position]) as? Element } ?? Element()
    }

    private func keys() -> [ObjectKey] {
        guard let target, target.core.enter(), !target.isStale, let live = target.live else { return [] }
        let found = target.found, isSettled = target.core.transaction == nil && !target.core.isFrozen
        if isSettled, found.epoch == target.core.epoch { return found.keys }
        return target.core.attempt([]) {
            let table = try live.held().table
            guard let place = live.model.place(of: target.origin), let column = live.columns[place] else { return [] }
            let keys = try table.links(to: ObjectKey(target.key), from: column)
            if isSettled { (found.epoch, found.keys) = (target.core.epoch, keys) }
            return keys
        }
    }
}

extension LinkingObjects: QueryableCollection {
    func subject() throws(FreeholdError) -> QuerySubject {
        guard let target else { throw CollectionPlace.unmanaged("RLMLinkingObjects") }
        guard target.core.enter(), let live = target.live else { throw .misuse }
        return QuerySubject(core: target.core, live: live, origin: .keys(Keys(self)))
    }
}

extension LinkingObjects: PathElements {
    var pathIdentity: AnyObject { end }
}

extension LinkingObjects: RandomAccessCollection {
    public typealias Index = Int
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    /// Iterates over the objects that link when the iteration begins.
    public func makeIterator() -> RLMIterator<Element> {
        guard let target, let live = target.live else { return RLMIterator(ElementCursor()) }
        return RLMIterator(KeyCursor(keys(), of: live, in: target.core))
    }

    /// The first object; nil if there is none.
    public var first: Element? { isEmpty ? PathRecorder.element(of: end) : self[0] }
    /// The last object; nil if there is none.
    public var last: Element? { isEmpty ? PathRecorder.element(of: end) : self[count - 1] }

    /// The first position of an object; nil if it does not link.
    public func index(of object: Element) -> Int? { position(of: object) }

    /// Whether an object links.
    public func contains(_ object: Element) -> Bool { position(of: object) != nil }

    /// The realm; nil for linking objects of an unmanaged object.
    var core: RealmCore? { target?.core }

    /// Whether the target of the links has been deleted.
    public var isInvalidated: Bool {
        guard let target, target.core.enter() else { return false }
        return target.isStale || target.core.object(target.model, target.key, seen: target.seen) == nil
    }
}

/// Linking objects are equal if they have the same target and the same property.
extension LinkingObjects: Equatable {
    public static func == (one: LinkingObjects, other: LinkingObjects) -> Bool {
        guard let target = one.target, let second = other.target else { return one.end === other.end }
        return target.core === second.core && target.model.type == second.model.type && target.model.name.isSame(as: second.model.name) && target.key == second.key
            && target.origin == second.origin && target.source == second.source
    }
}

extension LinkingObjects: _Declared {
    public static func _origin(_ object: ObjectBase, _ offset: Int) -> String? { object._own(offset, LinkingObjects.self)?.end.origin }

    public static func _attach(_ object: ObjectBase, _ offset: Int) {
        object._own(offset, LinkingObjects.self)?.end.target = _read(object, offset).end.target
    }

    public static var _kind: _PropertyKind { _PropertyKind(.linkingObjects, objectType: Element.self) }
    public static var _zero: LinkingObjects { LinkingObjects(nil) }

    public static func _read(_ object: ObjectBase, _ offset: Int) -> LinkingObjects {
        guard let core = object.core else { return object.isRecording ? PathRecorder.read(object, offset) { _zero } : _zero }
        let live = object.live(in: core), property = live.model.properties[live.model.place(at: offset)]
        return LinkingObjects(Target(core: core, model: live.model, key: object._key, origin: property.attributes.originProperty ?? "",
                                     seen: object.seen, generation: object.generation))
    }

    public static func _write(_ value: LinkingObjects, _ object: ObjectBase, _ offset: Int) {}
    public static func _assign(_ value: Any, _ object: ObjectBase, _ offset: Int, _ context: ValueContext) -> Bool { false }
    public static func _store(_ object: ObjectBase, _ offset: Int, _ storing: _PropertyStoring) {}
}

/// A type that can declare linking objects.
public protocol _LinkingObjects: _Persistable {}

extension LinkingObjects: _LinkingObjects {}

extension Persisted where Value: _LinkingObjects {
    /// Declares the objects that link to this one by their property `originProperty`.
    public init(originProperty: String) { self.init(attributes: PropertyAttributes(originProperty: originProperty)) }
}
