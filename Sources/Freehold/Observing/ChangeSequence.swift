import FreeholdEngine
import Synchronization

/// The changes of a collection or an object, as an asynchronous sequence for code in an actor.
///
/// ```swift
/// for await change in realm.objects(Dog.self).changes {
///     if case .update(let dogs, _, let insertions, _) = change { welcome(insertions.map { dogs[$0] }) }
/// }
/// ```
/// Each change is computed when it is requested: from the last change returned to what the realm then shows. So a slow
/// consumer receives all pending changes as one, and a change always agrees with the realm. The sequence ends with the
/// task, and after `.deleted` or `.error`.
///
/// The realm has to be that of the actor, or of the main thread in the main actor.
public struct ChangeSequence<Change>: AsyncSequence {
    public typealias Element = Change
    public typealias Failure = Never

    private let make: (@escaping (Change) -> Void) -> (core: RealmCore, observer: Observer)?

    init(_ make: @escaping (@escaping (Change) -> Void) -> (core: RealmCore, observer: Observer)?) { self.make = make }

    /// Begins observing; changes of objects are reported from this call on.
    public func makeAsyncIterator() -> Iterator {
        let found = Iterator.Found()
        guard let (core, observer) = make({ found.change = $0 }) else { return Iterator(nil, found) }
        let pulled = PulledObserver(observer, core), token = NotificationToken()
        token.begin(pulled, in: core)
        return Iterator((core, pulled, token), found)
    }

    /// An iterator over the changes.
    public struct Iterator: AsyncIteratorProtocol {
        final class Found {
            var change: Change?
        }

        private let listening: (core: RealmCore, pulled: PulledObserver, token: NotificationToken)?
        private let found: Found

        init(_ listening: (core: RealmCore, pulled: PulledObserver, token: NotificationToken)?, _ found: Found) {
            (self.listening, self.found) = (listening, found)
        }

        /// The next change; nil at the end of the sequence or if the task is cancelled.
        public mutating func next() async -> Change? { await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
            guard let (core, pulled, token) = listening else { return nil }
            while !Task.isCancelled, !token.isEnded, core.enter(), !pulled.isStopped {
                // A change is not computed during a callback or a write, but after it.
                if pulled.pull() {
                    defer { found.change = nil }
                    if let change = found.change { return change }
                }
                if pulled.isOver { break }
                await pulled.signal.wait()
            }
            token.invalidate()
            return nil
        }
    }
}

/// An observer that is polled for changes instead of being notified; it keeps a version of its own.
final class PulledObserver: Observer {
    private let observer: Observer
    // Safe: the token keeps the realm as long as this is used.
    private unowned(unsafe) let core: RealmCore
    private var standing: Snapshot?
    private var hasBegun = false
    private var isTouched = true
    let signal = TurnSignal()

    init(_ observer: Observer, _ core: RealmCore) {
        (self.observer, self.core) = (observer, core)
        observer.keepApart()
    }

    override var beginsAtOnce: Bool { observer.beginsAtOnce }
    override var interest: Interest { hasBegun ? observer.interest : Interest() }
    /// Whether no more changes will come.
    var isOver: Bool { observer.isStopped }

    override func begin(at snapshot: Snapshot) throws -> Bool {
        if !hasBegun {
            hasBegun = true
            standing = snapshot
            if try observer.begin(at: snapshot) { isTouched = true }
        }
        return wake()
    }

    override func advance(_ step: VersionStep) throws -> Bool { wake() }
    override func restart(at snapshot: Snapshot) throws -> Bool { wake() }

    override func end() {
        observer.end()
        standing = nil
        signal.give()
    }

    override func fail(_ error: any Error) throws -> Bool { try observer.fail(error) }

    /// Wakes the waiting task, which then calls `pull()`.
    private func wake() -> Bool {
        isTouched = true
        signal.give()
        return false
    }

    /// Computes the changes since the last call, up to what the realm shows now, and notifies the observer; true if it
    /// did.
    func pull() -> Bool {
        guard hasBegun, isTouched, !observer.isStopped, core.transaction == nil, core.observers?.isDelivering != true else { return false }
        return core.attempt(false) {
            defer { try? standing?.park() }
            let isDue: Bool
            do { isDue = try advance() } catch {
                _ = try observer.fail(error)
                observer.stop()
                return true
            }
            isTouched = false
            core.observers?.noteInterest(of: self)
            if isDue { observer.tell() }
            return isDue
        }
    }

    private func advance() throws -> Bool {
        guard let old = standing else { return false }
        let shown = try core.shownVersion()
        if old.version == shown { return observer.isWaitingToTell }
        let now = try core.heldForObservers()
        defer { standing = now }
        guard !observer.isWaitingToTell, try old.resumeIfKept() else { return try observer.restart(at: now) }
        return try observer.advance(VersionStep(from: old, to: now))
    }
}

/// A signal for one task; it is kept if it is given before the task waits.
final class TurnSignal: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isGiven = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    /// Waits for the signal; returns at once if the task is cancelled.
    func wait(_isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isGiven = state.withLock { state in
                    if state.isGiven || Task.isCancelled { return true }
                    state.waiting = continuation
                    return false
                }
                if isGiven { continuation.resume() }
            }
            state.withLock { $0.isGiven = false }
        } onCancel: { give() }
    }

    func give() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            state.isGiven = true
            return state.waiting
        }
        waiting?.resume()
    }
}

extension RealmCollection {
    /// The changes of the collection as an asynchronous sequence, `.initial` first. See `ChangeSequence`.
    public var changes: ChangeSequence<RealmCollectionChange<Self>> { changes(keyPaths: nil) }

    /// The changes of the collection as an asynchronous sequence; within elements only the properties on the key paths
    /// count.
    public func changes(keyPaths: [String]?) -> ChangeSequence<RealmCollectionChange<Self>> {
        ChangeSequence { found in self.registration(keyPaths, found)?.pulled() }
    }
}

extension RealmKeyedCollection {
    /// The changes of the map as an asynchronous sequence, `.initial` first. See `ChangeSequence`.
    public var changes: ChangeSequence<RealmMapChange<Self>> { changes(keyPaths: nil) }

    /// The changes of the map as an asynchronous sequence; within elements only the properties on the key paths count.
    public func changes(keyPaths: [String]?) -> ChangeSequence<RealmMapChange<Self>> {
        ChangeSequence { found in self.registration(keyPaths, found)?.pulled() }
    }
}

extension ThreadConfined where Self: ObjectBase {
    /// The changes of the object as an asynchronous sequence, from the start of the iteration on. See `ChangeSequence`.
    public var changes: ChangeSequence<ObjectChange<Self>> { changes(keyPaths: nil) }

    /// The changes of the object as an asynchronous sequence; only the properties on the key paths count.
    public func changes(keyPaths: [String]?) -> ChangeSequence<ObjectChange<Self>> {
        ChangeSequence { found in self.registration(keyPaths, found)?.pulled() }
    }
}

extension Registration {
    /// The observer that is polled instead of notified.
    func pulled() -> (core: RealmCore, observer: Observer)? {
        guard let core = observed.realm?.core, core.requireObservable(), let observer = make(observed, nil) else { return nil }
        return (core, observer)
    }
}
