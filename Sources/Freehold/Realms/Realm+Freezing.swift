extension Realm: Freezable {
    /// Whether the realm is frozen: it shows one version permanently, and any thread may read it.
    public var isFrozen: Bool { core.isFrozen }

    /// A frozen realm of the current version. Any thread may read it, and everything that is found in it.
    ///
    /// ```swift
    /// let snapshot = realm.freeze()
    /// DispatchQueue.global().async { report(snapshot.objects(Person.self)) }
    /// ```
    /// Within a write transaction the frozen realm shows the version before the transaction. Freezing one version again
    /// returns the same realm. The file keeps the version while the frozen realm, or anything read from it, is held.
    public func freeze() -> Realm { core.freeze().map { Realm($0) } ?? self }

    /// A live realm of the file for the caller's thread, queue or actor; the realm itself if it is live.
    public func thaw() -> Realm { Realm(core.thaw()) }

    /// A frozen instance of a managed object or collection; the rules are those of `ObjectBase.freeze`.
    public func freeze<Confined: ThreadConfined>(_ confined: Confined) -> Confined { confined.freeze() }

    /// A frozen value's counterpart in a live realm; nil if it was deleted.
    public func thaw<Confined: ThreadConfined>(_ confined: Confined) -> Confined? { confined.thaw() }
}

/// A frozen object, collection or realm that is `Sendable`: it can be passed to other threads, tasks and actors.
///
/// ```swift
/// let snapshot = Frozen(person)
/// Task.detached { print(snapshot.name, snapshot.value.dogs.count) }
/// ```
/// Safe to share: a frozen value may be read by every thread, and cannot be changed.
@dynamicMemberLookup
public struct Frozen<Value: Freezable>: @unchecked Sendable {
    /// The frozen value.
    public let value: Value

    /// Freezes a value, unless it is frozen already.
    public init(_ value: Value) {
        let frozen = value.freeze()
        if !frozen.isFrozen { Misuse.report("Only frozen objects, collections and realms can be shared.") }
        self.value = frozen
    }

    /// A property of the frozen value.
    public subscript<Property>(dynamicMember path: KeyPath<Value, Property>) -> Property { value[keyPath: path] }
}

extension Frozen where Value: ThreadConfined {
    /// The value's counterpart in a live realm of the caller's thread, queue or actor; nil if it was deleted.
    public func thaw() -> Value? { value.thaw() }
}

@available(*, unavailable, message: "live objects belong to their thread, queue or actor; pass a Frozen or a ThreadSafeReference")
extension ObjectBase: Sendable {}

@available(*, unavailable, message: "live lists belong to their thread, queue or actor; pass a Frozen or a ThreadSafeReference")
extension List: Sendable {}

@available(*, unavailable, message: "live sets belong to their thread, queue or actor; pass a Frozen or a ThreadSafeReference")
extension MutableSet: Sendable {}

@available(*, unavailable, message: "live maps belong to their thread, queue or actor; pass a Frozen or a ThreadSafeReference")
extension Map: Sendable {}

@available(*, unavailable, message: "live results belong to their thread, queue or actor; pass a Frozen or a ThreadSafeReference")
extension Results: Sendable {}

@available(*, unavailable, message: "live linking objects belong to their thread, queue or actor; pass a Frozen or a ThreadSafeReference")
extension LinkingObjects: Sendable {}
