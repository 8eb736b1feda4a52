/// Notifies an event loop of commits, through a descriptor to poll and a call to make. This fits any loop (epoll,
/// libuv, asyncio, a run loop).
///
/// ```swift
/// let listener = try database.listen()
/// // poll listener.fileDescriptor for reading; whenever it is readable:
/// if let version = try listener.take() { … }
/// ```
/// Commits of every process are reported, several at once if they come quickly: at once, and under a storm of commits
/// at most a thousand times a second. The descriptor is also readable, with nothing to take, four times a second: a
/// process that died between its commit and its notification delays that by no more. Read the present state after
/// `listen`; commits from then on are reported.
public final class ChangeListener: Sendable {
    private let core: DatabaseCore
    private let listener: SessionListener

    init(_ core: DatabaseCore, rereading: Bool) throws(FreeholdError) {
        self.core = core
        listener = try SessionListener(core.session)
        if !rereading { listener.rereads = false }
    }

    deinit { listener.close() }

    /// The descriptor; readable when `take` is to be called. Never read from it.
    public var fileDescriptor: Int32 { listener.fileDescriptor }

    /// Acknowledges pending notifications, so that the descriptor becomes readable for later ones.
    ///
    /// - Returns: the newest version, if it is newer than what was taken before; else nil.
    public func take() throws(FreeholdError) -> Version? { try listener.take().map { Version($0) } }

    /// Acknowledges pending notifications like `take`; returns the newest version also if it was taken before.
    @discardableResult
    public func acknowledge() throws(FreeholdError) -> Version { Version(try listener.acknowledge()) }

    /// Waits for a version that is newer than what was taken before, and takes it; nil after the timeout.
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

    /// How often something in this process was woken to look for commits, by waiting or listening on this file: the
    /// cost of an idle process.
    public var wakeUps: UInt64 {
        get throws(FreeholdError) { try core().session.bell.wakeUps.load(ordering: .relaxed) }
    }
}
