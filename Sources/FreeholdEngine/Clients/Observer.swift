import Synchronization

/// An observer of something in a database: an `ObserverHub` moves it from version to version, and what belongs to an
/// interface of Freehold calls the program.
///
/// ```
/// add ─► begin (at a version) ─► advance (a step) ─► tell ─► advance … ─► stop
///                                restart, if the version that it stood at was taken away
/// ```
/// 1. Used on the thread of its hub, except for `stop`.
/// 2. `begin`, `advance` and `restart` record what there is to report, and return whether there is anything; `tell`
///    reports it once, `forget` drops it.
/// 3. An observer is not advanced for a change outside its `interest`; when it is advanced later, it has missed
///    nothing.
open class Observer {
    private let stopped = Atomic<Bool>(false)
    /// The number in the order of registration; 0 before it is registered.
    public internal(set) final var number: UInt64 = 0

    public init() {}

    /// Whether it begins at the version shown when it was added, and not at that of its first notification.
    open var beginsAtOnce: Bool { false }
    /// Whether it has recorded changes that it has not reported.
    open var isWaitingToTell: Bool { false }
    /// Whether the observed thing was invalidated together with its realm.
    open var isInvalidated: Bool { false }
    /// The version to begin at, if it was held before the observer was registered here.
    open func takeStart() -> Snapshot? { nil }

    /// Whether it is to be called no more.
    public final var isStopped: Bool { stopped.load(ordering: .relaxed) }
    /// Lets no more calls follow, from any thread.
    public final func stop() { stopped.store(true, ordering: .relaxed) }

    /// What changes concern it.
    open var interest: Interest { Interest() }
    /// Begins at a version; returns whether there is something to report.
    open func begin(at snapshot: Snapshot) throws -> Bool { false }
    /// Moves to the step's newer version; returns whether there is something to report.
    open func advance(_ step: VersionStep) throws -> Bool { false }
    /// Moves to a version without the one before; returns whether there is something to report.
    open func restart(at snapshot: Snapshot) throws -> Bool { false }
    /// Reports what was recorded.
    open func tell() {}
    /// Drops what was recorded.
    open func forget() {}
    /// Called if the observed thing can no longer be followed; the observer ends.
    ///
    /// - Returns: whether the error is still to be reported, in the order of registration.
    /// - Throws: the error, if it ends the whole hub.
    open func fail(_ error: any Error) throws -> Bool { false }
    /// Called if the observer is going to keep versions of its own.
    open func keepApart() {}
    /// Called when no more notifications follow.
    open func end() {}
}
