import CShims
import Dispatch
import FreeholdEngine
import Foundation

/// Listens to a file's notify pipe without a thread of its own. Used under its owner's lock.
final class Ear {
    private let listener: ChangeListener
    private let source: any DispatchSourceRead
    private var isSuspended = false
    private let forkGeneration = freehold_shim_fork_generation()

    private static let queue = DispatchQueue(label: "freehold.commits")

    init(_ listener: ChangeListener, heard: @escaping @Sendable () -> Void) {
        self.listener = listener
        // The descriptor has to stay until the source is cancelled, the listener goes at once: so it gets one of its own.
        let descriptor = fcntl(listener.fileDescriptor, F_DUPFD_CLOEXEC, 0)
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        source.setEventHandler(handler: heard)
        source.setCancelHandler { Glibc.close(descriptor) }
        source.activate()
    }

    /// Hears nothing until `listen`.
    func suspend() {
        if isSuspended { return }
        isSuspended = true
        source.suspend()
    }

    /// Takes note of what is told; nil if that is nothing.
    func take() -> Version? { try? listener.take() }

    /// Hears what is committed from now on.
    func listen() {
        if isSuspended { source.resume() }
        isSuspended = false
    }

    /// Whether it looks by itself, too, for commits of processes that died before they told of them.
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
