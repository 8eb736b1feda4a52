/// Tells an event loop, through a descriptor, that somebody committed: a pair of a descriptor to poll and a call to make, which fits any loop
/// (epoll, libuv, asyncio, a run loop).
///
/// ```swift
/// let listener = try database.listen()
/// // poll listener.fileDescriptor for reading; whenever it is readable:
/// if let version = try listener.take() { … }
/// ```
/// Commits of every process are told, several at once if they come quickly: at once, and under a storm of commits a thousand times a second at
/// most. The descriptor is also readable, with nothing to take, four times a second: a process that died between its commit and telling of it
/// delays that by no more. Read what there is after `listen`; what is committed from then on is told.
public final class ChangeListener: Sendable {
    private let core: DatabaseCore
    private let listener: SessionListener

    init(_ core: DatabaseCore, rereading: Bool) throws(FreeholdError) {
        self.core = core
        listener = try SessionListener(core.session)
        if !rereading { listener.rereads = false }
    }

    deinit { listener.close() }

    /// Readable when `take` is to be called. Never read from it.
    public var fileDescriptor: Int32 { listener.fileDescriptor }

    /// Takes note of what was told, so that the descriptor is readable for what comes after.
    ///
    /// - Returns: the newest version, if it is newer than what was taken before; else nil.
    public func take() throws(FreeholdError) -> Version? { try listener.take().map { Version($0) } }

    /// The same as `take`; returns the newest version also if it was taken before.
    @discardableResult
    public func acknowledge() throws(FreeholdError) -> Version { Version(try listener.acknowledge()) }

    /// Waits for a version that is newer than what was taken before, and takes it; nil when the time is up.
    public func wait(timeoutMilliseconds: Int) throws(FreeholdError) -> Version? {
        try listener.wait(timeoutMilliseconds: timeoutMilliseconds).map { Version($0) }
    }

    /// Whether the descriptor gets readable four times a second in any case. Without that nothing wakes the process but commits, and one
    /// whose process died before telling of it is told with the next one: for who would not be missed, such as one whom nobody observes
    /// through.
    public var rereads: Bool {
        get { listener.rereads }
        set { listener.rereads = newValue }
    }
}

extension Database {
    /// Listens for commits of all processes.
    ///
    /// - Parameter rereading: see `ChangeListener.rereads`.
    public func listen(rereading: Bool = true) throws(FreeholdError) -> ChangeListener { try ChangeListener(core(), rereading: rereading) }

    /// How often something in this process was woken to look for commits, by waiting or listening on this file: what an idle process costs.
    public var wakeUps: UInt64 {
        get throws(FreeholdError) { try core().session.wakeUps.load(ordering: .relaxed) }
    }
}
