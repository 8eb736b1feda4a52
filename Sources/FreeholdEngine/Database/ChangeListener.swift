/// Tells an event loop, through a descriptor, that somebody committed.
///
/// ```swift
/// let listener = try database.listen()
/// // poll listener.fileDescriptor for reading; when it is readable:
/// let version = try listener.acknowledge()
/// ```
/// Commits of every process are told, several at once if they come quickly.
public final class ChangeListener: Sendable {
    private let core: DatabaseCore
    private let listener: SessionListener

    init(_ core: DatabaseCore) throws(FreeholdError) {
        self.core = core
        listener = try SessionListener(core.session)
    }

    deinit { listener.close() }

    /// Readable when there is something to acknowledge. Never read from it.
    public var fileDescriptor: Int32 { listener.fileDescriptor }

    /// Takes note of what was told and returns the newest version.
    @discardableResult
    public func acknowledge() throws(FreeholdError) -> Version { Version(try listener.acknowledge()) }

    /// Waits until something is told, and acknowledges it; nil when the time is up.
    public func wait(timeoutMilliseconds: Int) throws(FreeholdError) -> Version? {
        try listener.wait(timeoutMilliseconds: timeoutMilliseconds).map { Version($0) }
    }
}

extension Database {
    /// Listens for commits of all processes.
    public func listen() throws(FreeholdError) -> ChangeListener { try ChangeListener(core()) }
}
