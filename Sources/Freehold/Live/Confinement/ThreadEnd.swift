import CShims
import Synchronization

/// Ends a thread's realms when the thread ends, so that they hold no version, and that another thread with the same
/// address is not taken for it.
enum ThreadEnd {
    /// Safe: removed before it is freed, and retained before it is used.
    private struct Watched: @unchecked Sendable {
        let version: Unmanaged<FrozenVersion>
    }

    private static let watched = PerProcess<[UInt64: Watched]>(inherits: false) { [:] }

    static func watch(_ version: FrozenVersion) {
        let entry = Watched(version: .passUnretained(version))
        watched.withLock { $0[version.number] = entry }
    }

    static func forget(_ version: FrozenVersion) { watched.withLock { _ = $0.removeValue(forKey: version.number) } }

    /// Arranges that the end of the calling thread is noticed.
    static func prepare() { freehold_shim_at_thread_end { ThreadEnd.end(Confinement.here) } }

    private static func end(_ thread: UInt) {
        OpenRealms.shared.endThread(thread)
        // Safe: see `Watched`.
        let versions = watched.withLock { $0.values.filter { swift_tryRetain($0.version.toOpaque()) != nil } }
        for watched in versions {
            let version = watched.version.takeRetainedValue()
            version.endThread(thread)
        }
    }
}
