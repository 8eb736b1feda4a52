public import FreeholdEngine

/// A set as a property.
extension MutableSet: _Declared {
    public static func _attach(_ object: ObjectBase, _ offset: Int) { object._own(offset, MutableSet.self)?.place = CollectionPlace(object, offset, collectionKind) }

    public static var _kind: _PropertyKind { Element._kind.inside(.set) }
    public static var _zero: MutableSet { MutableSet() }

    public static func _read(_ object: ObjectBase, _ offset: Int) -> MutableSet {
        if object.isRecording { return PathRecorder.read(object, offset) { MutableSet() } }
        if let set = object._own(offset, MutableSet.self), object.core == nil || set.place?.owner.isOf(object) == true { return set }
        let set = object.core == nil ? MutableSet() : MutableSet(CollectionPlace(object, offset, collectionKind))
        // Other threads may read a frozen object, so it stores no set.
        if object.core?.isFrozen != true { object._setOwn(set, offset) }
        return set
    }

    /// Replaces the set's elements with those of another set.
    public static func _write(_ value: MutableSet, _ object: ObjectBase, _ offset: Int) {
        let set = _read(object, offset)
        if !set.isSame(as: value) { set.assign(Array(value)) }
    }

    public static func _assign(_ value: Any, _ object: ObjectBase, _ offset: Int, _ context: ValueContext) -> Bool {
        let set = _read(object, offset)
        if let other = value as? MutableSet, set.isSame(as: other) { return true }
        guard let elements = context.elements(value, Element.self) else { return false }
        set.assign(elements)
        return true
    }

    public static func _store(_ object: ObjectBase, _ offset: Int, _ storing: _PropertyStoring) {
        let storing = ObjectStoring.of(storing)
        guard let place = storing.collection(offset, collectionKind) else { return }
        let set = object._own(offset, MutableSet.self) ?? MutableSet(), elements = set.own
        set.own = []
        set.place = place
        object._setOwn(set, offset)
        switch storing.change(offset) {
        case .keep: break
        case .replace: set.assign(elements, storing.inner)
        case .merge, .fill: if !elements.isEmpty { set.insert(elements, storing.inner) }
        }
    }

    private func assign(_ elements: [Element], _ context: StoringContext? = nil) {
        guard let place else {
            own = []
            return insert(objectsIn: elements)
        }
        let context = context ?? StoringContext(place.core)
        place.changeSet { try $0.assign(elements.map { $0._stored(in: context) }) }
    }
}

/// A set as an element of another collection.
extension MutableSet: RealmCollectionValue, NestedCollection {
    public typealias PersistedType = MutableSet<Element>
    static var collectionKind: CollectionKind { .set }
    static var nothing: FreeholdEngine.Value { .set([]) }

    public static func _load(_ value: FreeholdEngine.Value, _ core: RealmCore) -> MutableSet {
        let set = MutableSet()
        if case .set(let values) = value { set.own = values.map { Element._load($0, core) } }
        return set
    }

    public static func _element(of place: CollectionPlace, at step: CollectionStep, _ read: () throws -> FreeholdEngine.Value) throws -> MutableSet {
        MutableSet(place.below(step, .set))
    }

    public func _stored(in context: StoringContext) -> FreeholdEngine.Value { .set(map { $0._stored(in: context) }) }

    public static func _from(_ value: Any, _ context: ValueContext) -> MutableSet? {
        if let set = value as? MutableSet, context.takesCollections { return set }
        guard let elements = context.elements(value, Element.self) else { return nil }
        let set = MutableSet()
        set.insert(objectsIn: elements)
        return set
    }

    func fill(_ place: CollectionPlace, _ context: StoringContext) { MutableSet(place).insert(self, context) }
}
