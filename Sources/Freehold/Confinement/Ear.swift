import CShims
import Dispatch
import FreeholdEngine
import Foundation

/// Receives commits from a file's notify pipe without a thread of its own. Used under its owner's lock.
final class Ear {
    private let listener: ChangeListener
    private let source: any DispatchSourceRead
    private var isSuspended = false
    private let forkGeneration = freehold_shim_fork_generation()

    private static let queue = DispatchQueue(label: "freehold.commits")

    init(_ listener: ChangeListener, heard: @escaping @Sendable () -> Void) {
        self.listener = listener
        // The descriptor has to live until the source is cancelled, while the listener closes at once: so it is
        // duplicated.
        let descriptor = fcntl(listener.fileDescriptor, F_DUPFD_CLOEXEC, 0)
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        source.setEventHandler(handler: heard)
        source.setCancelHandler { Glibc.close(descriptor) }
        source.activate()
    }

    /// Stops receiving until `listen` is called.
    func suspend() {
        if isSuspended { return }
        isSuspended = true
        source.suspend()
    }

    /// Acknowledges pending notifications, and returns the newest version; nil if there are none.
    func take() -> Version? { try? listener.take() }

    /// Receives commits from now on.
    func listen() {
        if isSuspended { source.resume() }
        isSuspended = false
    }

    /// Whether the listener also polls, for commits of processes that died before they notified.
    var rereads: Bool {
        get { listener.rereads }
        set { if newValue != listener.rereads { listener.rereads = newValue } }
    }

    func close() {
        // Safe: in a forked child the source is the parent's: it is left as it is, for good.
        guard forkGeneration == freehold_shim_fork_generation() else { return _ = Unmanaged.passRetained(source as AnyObject) }
        if isSuspended { source.resume() }
        source.cancel()
    }
}
