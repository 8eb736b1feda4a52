import Synchronization

/// A reference to a managed object or collection, for passing it to another thread, queue or actor.
///
/// ```swift
/// let reference = ThreadSafeReference(to: person)
/// queue.async {
///     let realm = try! Realm()
///     guard let person = realm.resolve(reference) else { return }  // deleted meanwhile
/// }
/// ```
/// A reference can be resolved only once, and holds no version of the file.
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    private let state: State

    private final class State: Sendable {
        let handover: _Handover?
        // Safe to share: frozen.
        nonisolated(unsafe) let frozen: Confined?
        let isResolved = Atomic<Bool>(false)

        init(_ confined: Confined) {
            frozen = confined.isFrozen ? confined : nil
            handover = confined._handover(.passing)
        }
    }

    /// Creates a reference to an object, a list, a set, a map, results or linking objects of a realm.
    public init(to confined: Confined) { state = State(confined) }

    /// Whether the reference has been resolved.
    public var isInvalidated: Bool { state.isResolved.load(ordering: .relaxed) }

    func resolve(in core: RealmCore) -> Confined? {
        guard core.enter() else { return nil }
        if state.isResolved.exchange(true, ordering: .acquiringAndReleasing) {
            Misuse.report("Can only resolve a thread safe reference once.", hint: "Make another reference for each use.")
            return nil
        }
        guard let handover = state.handover else { return nil }
        guard handover.path == core.shared.database.path else {
            Misuse.report("Cannot resolve thread safe reference in Realm with different configuration than the source Realm.")
            return nil
        }
        return core.attempt(nil) {
            try core.catchUp(with: handover.seen)
            return handover.found(in: core) as? Confined
        }
    }
}

extension Realm {
    /// Finds the object or collection of a reference in this realm; nil if it was deleted since, or if the write
    /// transaction that created it was cancelled.
    ///
    /// A realm whose version is older than the reference's moves to the newest version.
    public func resolve<Confined: ThreadConfined>(_ reference: ThreadSafeReference<Confined>) -> Confined? { reference.resolve(in: core) }
}

/// A variable that every thread, queue and actor may read: each finds the object or collection in its own realm.
///
/// ```swift
/// @ThreadSafe var person = realm.objects(Person.self).first
/// queue.async { print(person?.name ?? "gone") }
/// ```
/// The value is nil once the object or collection is deleted.
@propertyWrapper
public final class ThreadSafe<Confined: ThreadConfined>: Sendable {
    private let kept: Mutex<Kept?>

    /// Safe to share: a realm is only stored as the way to open it.
    private struct Kept: @unchecked Sendable {
        let handover: _Handover
        /// The newest version at which the variable was read or set, its lowest bits: each reader shows that version or
        /// a later one.
        var seen: UInt32
        let origin: RealmOrigin
        /// The value itself if it is frozen: it needs no lookup.
        let frozen: Confined?
    }

    /// Stores a managed object or collection, or nil.
    public init(wrappedValue: Confined?) { kept = Mutex(wrappedValue.flatMap { Self.kept($0) }) }

    /// The object or collection in the caller's realm.
    public var wrappedValue: Confined? {
        get {
            guard let kept = kept.withLock({ $0 }) else { return nil }
            if let frozen = kept.frozen { return frozen }
            do {
                let core = kept.origin.open()
                guard core.enter() else { return nil }
                try core.catchUp(with: kept.seen)
                let found = kept.handover.found(in: core) as? Confined
                // Safe: versions are compared by their lowest bits.
                let seen = core.seen
                self.kept.withLock { if let known = $0?.seen, Int32(bitPattern: seen &- known) > 0 { $0?.seen = seen } }
                return found
            } catch {
                Misuse.report("\(error)")
                return nil
            }
        }
        set {
            let kept = newValue.flatMap { Self.kept($0) }
            self.kept.withLock { $0 = kept }
        }
    }

    private static func kept(_ value: Confined) -> Kept? {
        guard let core = value.realm?.core else {
            Misuse.report("Only managed objects may be wrapped as thread safe.", hint: "Add the object to a realm first.")
            return nil
        }
        return value._handover(.passing).map { Kept(handover: $0, seen: $0.seen, origin: RealmOrigin(core), frozen: value.isFrozen ? value : nil) }
    }
}
