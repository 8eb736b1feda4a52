import CShims
import Synchronization

/// Ends what belongs to a thread when the thread ends: its realms, so that they hold no version, and that another thread
/// with the same address is not taken for it; and its readers of frozen realms.
enum ThreadEnd {
    private static let watched = PerProcess<[ObjectIdentifier: RegisteredReference<AnyObject>]>(inherits: false) { [:] }

    /// Lets `bound` know when a thread ends, until it is forgotten, which it has to be before it is freed.
    static func watch(_ bound: any ThreadBound) {
        let entry = RegisteredReference(bound as AnyObject)
        watched.withLock { $0[entry.identity] = entry }
    }

    static func forget(_ bound: any ThreadBound) {
        let identity = ObjectIdentifier(bound)
        watched.withLock { _ = $0.removeValue(forKey: identity) }
    }

    /// Arranges that the end of the calling thread is noticed.
    static func prepare() { freehold_shim_at_thread_end { ThreadEnd.end(Confinement.here) } }

    private static func end(_ thread: UInt) {
        let all = watched.withLock { $0.values.compactMap { $0.kept() } }
        for bound in all { (bound.object as? any ThreadBound)?.endThread(thread) }
    }
}
