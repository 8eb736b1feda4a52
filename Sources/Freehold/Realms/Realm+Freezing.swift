extension Realm: Freezable {
    /// Whether the realm shows one version for good, to any thread.
    public var isFrozen: Bool { core.isFrozen }

    /// The realm as it is now, and stays: it, and what is found in it, is readable from any thread.
    ///
    /// ```swift
    /// let snapshot = realm.freeze()
    /// DispatchQueue.global().async { report(snapshot.objects(Person.self)) }
    /// ```
    /// In a write transaction: as it was before. Freezing the same version again gives the same realm. The file keeps the version as long as
    /// the frozen realm, or something of it, is held.
    public func freeze() -> Realm { core.freeze().map { Realm($0) } ?? self }

    /// A live realm of the file for the caller's thread, queue or actor; itself if it is live.
    public func thaw() -> Realm { Realm(core.thaw()) }

    /// The object as it is now, and stays: see `ObjectBase.freeze`.
    public func freeze<Confined: ThreadConfined>(_ confined: Confined) -> Confined { confined.freeze() }

    /// What was frozen in a live realm; nil if it is not there any more.
    public func thaw<Confined: ThreadConfined>(_ confined: Confined) -> Confined? { confined.thaw() }
}

/// Something frozen, which may go to other threads, tasks and actors with the compiler's consent.
///
/// ```swift
/// let snapshot = Frozen(person)
/// Task.detached { print(snapshot.name, snapshot.value.dogs.count) }
/// ```
/// Safe to share: what is frozen may be read by every thread, and cannot be changed.
@dynamicMemberLookup
public struct Frozen<Value: Freezable>: @unchecked Sendable {
    /// What was frozen.
    public let value: Value

    /// Freezes something, unless it is frozen.
    public init(_ value: Value) {
        let frozen = value.freeze()
        if !frozen.isFrozen { Misuse.report("Only what is frozen can be shared.") }
        self.value = frozen
    }

    /// A property of what was frozen.
    public subscript<Property>(dynamicMember path: KeyPath<Value, Property>) -> Property { value[keyPath: path] }
}

extension Frozen where Value: ThreadConfined {
    /// The same in a live realm of the caller's thread, queue or actor; nil if it is not there any more.
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
