import FreeholdEngine
import Synchronization

/// What becomes of a collection or an object, one change after the other: for whoever waits in an actor.
///
/// ```swift
/// for await change in realm.objects(Dog.self).changes {
///     if case .update(let dogs, _, let insertions, _) = change { welcome(insertions.map { dogs[$0] }) }
/// }
/// ```
/// Each change is found when it is asked for: from what was told last to what the realm shows then. So who takes long between two hears of all
/// at once, and what is told always agrees with the realm. It ends with the task, and behind `.deleted` or `.error`.
///
/// The realm has to be that of the actor, or of the main thread in the main actor.
public struct ChangeSequence<Change>: AsyncSequence {
    public typealias Element = Change
    public typealias Failure = Never

    private let make: (@escaping (Change) -> Void) -> (core: RealmCore, observer: Observer)?

    init(_ make: @escaping (@escaping (Change) -> Void) -> (core: RealmCore, observer: Observer)?) { self.make = make }

    /// Begins: changes of objects are told from here on.
    public func makeAsyncIterator() -> Iterator {
        let found = Iterator.Found()
        guard let (core, observer) = make({ found.change = $0 }) else { return Iterator(nil, found) }
        let pulled = PulledObserver(observer, core), token = NotificationToken()
        token.begin(pulled, in: core)
        return Iterator((core, pulled, token), found)
    }

    /// Goes through the changes.
    public struct Iterator: AsyncIteratorProtocol {
        final class Found {
            var change: Change?
        }

        private let listening: (core: RealmCore, pulled: PulledObserver, token: NotificationToken)?
        private let found: Found

        init(_ listening: (core: RealmCore, pulled: PulledObserver, token: NotificationToken)?, _ found: Found) {
            (self.listening, self.found) = (listening, found)
        }

        /// The next change; nil if there is none any more, or the task is cancelled.
        public mutating func next() async -> Change? { await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
            guard let (core, pulled, token) = listening else { return nil }
            while !Task.isCancelled, !token.isEnded, core.enter(), !pulled.isStopped {
                // Behind what a callback or a write is doing.
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

/// Somebody who is asked for changes, instead of being told: it stands at a version of its own.
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
    /// Whether there is nothing to come.
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

    override func fail(_ error: any Error) { observer.fail(error) }

    /// Whoever waits looks for what there is.
    private func wake() -> Bool {
        isTouched = true
        signal.give()
        return false
    }

    /// Finds what changed since the last time, up to what the realm shows now; true if it was told.
    func pull() -> Bool {
        guard hasBegun, isTouched, !observer.isStopped, core.transaction == nil, core.observers?.isDelivering != true else { return false }
        return core.attempt(false) {
            defer { try? standing?.park() }
            let isDue: Bool
            do { isDue = try advance() } catch {
                observer.fail(error)
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
        guard !observer.isWaitingToTell, try RealmObservers.isThere(old) else { return try observer.restart(at: now) }
        return try observer.advance(VersionStep(from: old, to: now))
    }
}

/// Lets one task go on that waits for a turn, or is going to.
final class TurnSignal: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isGiven = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    /// Waits until it is given; returns at once if the task is cancelled.
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
    /// What becomes of the collection: `.initial` first. See `ChangeSequence`.
    public var changes: ChangeSequence<RealmCollectionChange<Self>> { changes(keyPaths: nil) }

    /// The same; within elements only what the key paths lead to counts.
    public func changes(keyPaths: [String]?) -> ChangeSequence<RealmCollectionChange<Self>> {
        ChangeSequence { found in self.registration(keyPaths, found)?.pulled() }
    }
}

extension RealmKeyedCollection {
    /// What becomes of the map: `.initial` first. See `ChangeSequence`.
    public var changes: ChangeSequence<RealmMapChange<Self>> { changes(keyPaths: nil) }

    /// The same; within elements only what the key paths lead to counts.
    public func changes(keyPaths: [String]?) -> ChangeSequence<RealmMapChange<Self>> {
        ChangeSequence { found in self.registration(keyPaths, found)?.pulled() }
    }
}

extension ThreadConfined where Self: ObjectBase {
    /// What becomes of the object from the moment on that this is gone through. See `ChangeSequence`.
    public var changes: ChangeSequence<ObjectChange<Self>> { changes(keyPaths: nil) }

    /// The same; only what the key paths lead to counts.
    public func changes(keyPaths: [String]?) -> ChangeSequence<ObjectChange<Self>> {
        ChangeSequence { found in self.registration(keyPaths, found)?.pulled() }
    }
}

extension Registration {
    /// Who is to be asked instead of told.
    func pulled() -> (core: RealmCore, observer: Observer)? {
        guard let core = observed.realm?.core, core.requireObservable(), let observer = make(observed, nil) else { return nil }
        return (core, observer)
    }
}
