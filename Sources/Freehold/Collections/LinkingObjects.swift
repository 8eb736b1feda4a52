import FreeholdEngine

/// The objects that link to one: what another class's property says, read the other way round.
///
/// ```swift
/// class Dog: Object {
///     @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
/// }
/// ```
/// It follows that property by itself. An object whose list or map has this one twice is there twice. Embedded objects may link too:
/// `LinkingObjects<Address>` has those that do, whatever objects they live within.
public struct LinkingObjects<Element: ObjectBase> {
    private let end: End

    /// Where the links end. By reference: linking objects that stand in an object itself learn it once that is managed.
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
    /// What tells these from others in their description.
    var instance: AnyObject { end }

    private struct Target {
        let core: RealmCore
        /// The class of the object linked to.
        let model: ModelClass
        let key: Int64
        let origin: String
        /// The class whose objects link, by its name in the file; nil where `Element` says it.
        var source: String?
        /// The version at which the object was found, its lowest bits.
        let seen: UInt32
        /// The realm's generation when it was found.
        let generation: UInt8
        /// Those that link, at one epoch of the realm.
        let found = Found()

        var isStale: Bool { core.generation != generation }
        /// The class whose objects link; nil, which has been told, if the realm does not have it.
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

    /// What finds the same in another realm of the file, without keeping this one; nil where the object linked to is gone.
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

    /// The objects as what a query is asked about.
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

    /// Objects of a class of the file that link to one by a property of theirs, by the names that both have in the file.
    init(to object: ObjectBase, in core: RealmCore, from source: String, by origin: String) {
        self.init(Target(core: core, model: object.live(in: core).model, key: object._key, origin: origin, source: source, seen: object.seen,
                         generation: object.generation))
    }

    /// For classes that declare `let owners = LinkingObjects(fromType: Person.self, property: "dogs")`: which class links, by which of
    /// its properties.
    public init(fromType type: Element.Type, property: String) { end = End(nil, origin: property) }

    /// How many objects link.
    public var count: Int { keys().count }

    /// The object at a place, in the order of object keys.
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

    /// Goes through those that link at the beginning.
    public func makeIterator() -> RLMIterator<Element> {
        guard let target, let live = target.live else { return RLMIterator(ElementCursor()) }
        return RLMIterator(KeyCursor(keys(), of: live, in: target.core))
    }

    /// The first object; nil if there is none.
    public var first: Element? { isEmpty ? PathRecorder.element(of: end) : self[0] }
    /// The last object; nil if there is none.
    public var last: Element? { isEmpty ? PathRecorder.element(of: end) : self[count - 1] }

    /// The first place of an object; nil if it does not link.
    public func index(of object: Element) -> Int? { position(of: object) }

    /// Whether an object links.
    public func contains(_ object: Element) -> Bool { position(of: object) != nil }

    /// The realm; nil for those of an object by itself.
    var core: RealmCore? { target?.core }

    /// Whether the object that they link to has been deleted.
    public var isInvalidated: Bool {
        guard let target, target.core.enter() else { return false }
        return target.isStale || target.core.object(target.model, target.key, seen: target.seen) == nil
    }
}

/// Those that link to the same object by the same property are equal.
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
    public static func _store(_ object: ObjectBase, _ offset: Int, _ storing: ObjectStoring) {}
}

/// What can stand for the objects that link to one.
public protocol _LinkingObjects: _Persistable {}

extension LinkingObjects: _LinkingObjects {}

extension Persisted where Value: _LinkingObjects {
    /// The objects that link to this one by a property of theirs.
    public init(originProperty: String) { self.init(attributes: PropertyAttributes(originProperty: originProperty)) }
}
