import FreeholdEngine

/// A type whose values can be frozen: they then show one version permanently, and any thread may read them.
public protocol Freezable {
    /// Whether the value is frozen.
    var isFrozen: Bool { get }
    /// A frozen instance of the value, which later commits do not change. A frozen value returns itself.
    func freeze() -> Self
}

/// An object or collection that is managed, was managed, or is unmanaged.
public protocol ThreadConfined: Freezable {
    /// The realm; nil if unmanaged.
    var realm: Realm? { get }
    /// Whether the value was managed and cannot be used any more.
    var isInvalidated: Bool { get }
    /// The value's counterpart in a live realm of the caller's thread, queue or actor; nil if it was deleted. A live
    /// value returns itself.
    func thaw() -> Self?
    /// A handover with which the value can be found in another realm; nil, after misuse was reported, if it cannot be.
    func _handover(_ purpose: _HandoverPurpose) -> _Handover?
}

/// The purpose of a handover, which decides the misuse message if it fails.
public enum _HandoverPurpose: Sendable {
    case freezing, thawing, passing

    fileprivate static func tellTooEarly() {
        Misuse.report("Cannot freeze an object in the same write transaction as it was created in.", hint: "Freeze it once it is committed.")
    }
}

extension ThreadConfined {
    /// Whether the value belongs to a frozen realm.
    public var isFrozen: Bool { realm?.isFrozen ?? false }

    func frozen() -> Self {
        if isFrozen { return self }
        guard let handover = _handover(.freezing), let frozen = realm?.core.freeze() else { return self }
        if let found = handover.find(frozen) as? Self { return found }
        _HandoverPurpose.tellTooEarly()
        return self
    }

    func thawed() -> Self? {
        guard let handover = _handover(.thawing) else { return nil }
        guard isFrozen, let core = realm?.core else { return self }
        return core.attempt(nil) {
            let live = core.thaw()
            guard live.enter() else { return nil }
            try live.catchUp(with: handover.seen)
            return handover.found(in: live) as? Self
        }
    }
}

extension ObjectBase: ThreadConfined {
    /// The realm that the object belongs to; nil for an unmanaged object, or one that was deleted.
    public final var realm: Realm? { _row < 0 ? nil : core.map { Realm($0) } }

    /// Whether the object belongs to a frozen realm.
    public final var isFrozen: Bool { core?.isFrozen ?? false }

    /// A frozen instance of the object: readable from any thread, unchanged by later commits and by deletion.
    ///
    /// ```swift
    /// let frozen = person.freeze()
    /// queue.async { print(frozen.name) }
    /// ```
    /// Within a write transaction it has the state before the transaction. The file keeps its version as long as
    /// anything frozen at that version is held.
    public final func freeze() -> Self { frozen() }

    /// The object in a live realm of the caller's thread, queue or actor; nil if it was deleted.
    public final func thaw() -> Self? { thawed() }

    public final func _handover(_ purpose: _HandoverPurpose) -> _Handover? {
        guard let core else {
            switch purpose {
            case .freezing: Misuse.report("Unmanaged objects cannot be frozen.", hint: "Add the object to a realm first.")
            case .thawing: Misuse.report("Unmanaged objects cannot be thawed.")
            case .passing: Misuse.report("Cannot construct reference to unmanaged object, which can be passed across threads directly")
            }
            return nil
        }
        guard core.enter() else { return nil }
        if isInvalidated {
            Misuse.report(purpose == .passing ? "Cannot construct reference to invalidated object" : "Object has been deleted or invalidated.")
            return nil
        }
        if purpose == .freezing, core.transaction != nil, added == core.writeNumber {
            _HandoverPurpose.tellTooEarly()
            return nil
        }
        let model = live(in: core).model, key = _key, seen = seen
        return _Handover(core) { $0.object(model, key, seen: seen) }
    }
}

extension CollectionPlace {
    /// A handover of the collection; `make` creates a collection at its place in the other realm.
    func handover(_ purpose: _HandoverPurpose, _ make: @escaping (CollectionPlace) -> Any?) -> _Handover? {
        guard core.enter() else { return nil }
        if view(quietly: true) == nil {
            Misuse.report(purpose == .passing ? "Cannot construct reference to invalidated object" : "Object has been deleted or invalidated.")
            return nil
        }
        let reopened = reopening()
        return _Handover(core) { reopened($0).flatMap(make) }
    }

    static func tellUnmanaged(_ kind: String, _ purpose: _HandoverPurpose) {
        if purpose == .passing { return Misuse.report("Cannot construct reference to unmanaged object, which can be passed across threads directly") }
        Misuse.report("This method may only be called on \(kind) instances retrieved from an RLMRealm", hint: "Add the object that has it to a realm first.")
    }
}

extension List: ThreadConfined {
    /// The realm; nil for an unmanaged list.
    public var realm: Realm? { place.map { Realm($0.core) } }
    /// A frozen instance of the list, which any thread may read.
    public func freeze() -> List { frozen() }
    /// The list in a live realm of the caller's thread, queue or actor; nil if its object was deleted.
    public func thaw() -> List? { thawed() }

    public func _handover(_ purpose: _HandoverPurpose) -> _Handover? {
        guard let place else {
            CollectionPlace.tellUnmanaged("RLMArray", purpose)
            return nil
        }
        return place.handover(purpose) { List(moving: $0) }
    }
}

extension MutableSet: ThreadConfined {
    /// The realm; nil for an unmanaged set.
    public var realm: Realm? { place.map { Realm($0.core) } }
    /// A frozen instance of the set, which any thread may read.
    public func freeze() -> MutableSet { frozen() }
    /// The set in a live realm of the caller's thread, queue or actor; nil if its object was deleted.
    public func thaw() -> MutableSet? { thawed() }

    public func _handover(_ purpose: _HandoverPurpose) -> _Handover? {
        guard let place else {
            CollectionPlace.tellUnmanaged("RLMSet", purpose)
            return nil
        }
        return place.handover(purpose) { MutableSet(moving: $0) }
    }
}

extension Map: ThreadConfined {
    /// The realm; nil for an unmanaged map.
    public var realm: Realm? { place.map { Realm($0.core) } }
    /// A frozen instance of the map, which any thread may read.
    public func freeze() -> Map { frozen() }
    /// The map in a live realm of the caller's thread, queue or actor; nil if its object was deleted.
    public func thaw() -> Map? { thawed() }

    public func _handover(_ purpose: _HandoverPurpose) -> _Handover? {
        guard let place else {
            CollectionPlace.tellUnmanaged("RLMDictionary", purpose)
            return nil
        }
        return place.handover(purpose) { Map(moving: $0) }
    }
}

extension Results: ThreadConfined {
    /// The realm of the results.
    public var realm: Realm? { source.core.map { Realm($0) } }
    /// Whether the realm was invalidated, and has not been read again since.
    public var isInvalidated: Bool { source.isInvalidated }
    /// A frozen instance of the results, which any thread may read.
    public func freeze() -> Results { frozen() }
    /// The results in a live realm of the caller's thread, queue or actor.
    public func thaw() -> Results? { thawed() }

    public func _handover(_ purpose: _HandoverPurpose) -> _Handover? {
        guard let core = source.core, core.enter() else { return nil }
        let source = source.unbound()
        return _Handover(core) { source($0).map { Results($0) } }
    }
}

extension LinkingObjects: ThreadConfined {
    /// The realm; nil for linking objects of an unmanaged object.
    public var realm: Realm? { core.map { Realm($0) } }
    /// A frozen instance of the linking objects, which any thread may read.
    public func freeze() -> LinkingObjects { frozen() }
    /// The linking objects in a live realm of the caller's thread, queue or actor; nil if the object linked to was
    /// deleted.
    public func thaw() -> LinkingObjects? { thawed() }

    public func _handover(_ purpose: _HandoverPurpose) -> _Handover? {
        guard let core else {
            CollectionPlace.tellUnmanaged("RLMLinkingObjects", purpose)
            return nil
        }
        guard core.enter() else { return nil }
        if isInvalidated {
            Misuse.report(purpose == .passing ? "Cannot construct reference to invalidated object" : "Object has been deleted or invalidated.")
            return nil
        }
        return _Handover(core, unbound())
    }
}
