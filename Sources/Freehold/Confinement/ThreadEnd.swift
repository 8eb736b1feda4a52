import CShims
import Synchronization

/// Ends what belongs to a thread when the thread ends: its realms, so that they hold no version, and that another thread
/// with the same address is not taken for it; and its readers of frozen realms.
enum ThreadEnd {
    private struct Watched: Sendable {
        let reference: RegisteredReference<AnyObject>
        /// The only thread whose end matters; nil if any does.
        let thread: UInt?
    }

    private static let watched = PerProcess<[ObjectIdentifier: Watched]>(inherits: false) { [:] }

    /// Lets `bound` know when a thread ends, until it is forgotten, which it has to be before it is freed.
    ///
    /// While it is notified, the ending thread keeps it. So what is notified of all threads must not keep a file open: its
    /// program may close the file at the same moment, and then expects it to be closed.
    ///
    /// - Parameter thread: the only thread whose end matters; nil if any does.
    static func watch(_ bound: any ThreadBound, thread: UInt? = nil) {
        let entry = Watched(reference: RegisteredReference(bound as AnyObject), thread: thread)
        watched.withLock { $0[entry.reference.identity] = entry }
    }

    static func forget(_ bound: any ThreadBound) {
        let identity = ObjectIdentifier(bound)
        watched.withLock { _ = $0.removeValue(forKey: identity) }
    }

    /// Arranges that the end of the calling thread is noticed.
    static func prepare() { freehold_shim_at_thread_end { ThreadEnd.end(Confinement.here) } }

    private static func end(_ thread: UInt) {
        let all = watched.withLock { $0.values.compactMap { $0.thread ?? thread == thread ? $0.reference.kept() : nil } }
        for bound in all { (bound.object as? any ThreadBound)?.endThread(thread) }
    }
}
