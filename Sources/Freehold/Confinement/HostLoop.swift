import CShims
import FreeholdEngine
import Glibc
import Synchronization

/// Connects realms to a thread's own event loop (epoll, libuv, a game's): a descriptor to poll, and a call that
/// processes pending work.
///
/// ```swift
/// let host = try HostLoop()
/// let realm = try Realm(configuration: configuration)
/// realm.attach(to: host)
/// let token = realm.objects(Dog.self).observe { change in show(change) }
/// while poll(host.fileDescriptor) { host.deliver() }
/// ```
/// Several realms of one thread may share a `HostLoop`.
public final class HostLoop: Sendable {
    /// Readable when there is pending work. Do not read from it or close it.
    public let fileDescriptor: Int32
    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let forkGeneration = freehold_shim_fork_generation()

    /// - Throws: `Realm.Error` if the process has no descriptors left.
    public init() throws {
        fileDescriptor = freehold_shim_event_descriptor()
        if fileDescriptor < 0 { throw RealmError(.fail, "No descriptor can be made for a HostLoop: \(String(cString: strerror(-fileDescriptor))).") }
    }

    deinit { close(fileDescriptor) }

    /// Processes pending work: shows what others have committed, notifies observers, runs queued writes. Call it on the
    /// thread of the attached realms when the descriptor is readable; without pending work it does nothing.
    public func deliver() {
        guard forkGeneration == freehold_shim_fork_generation() else { return }
        // The bell is reset first: work that arrives after it rings it again.
        var rings: UInt64 = 0
        _ = Glibc.read(fileDescriptor, &rings, 8)
        let due = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for work in due { work() }
    }

    func schedule(_ work: @escaping @Sendable () -> Void) {
        waiting.withLock { waiting in
            waiting.append(work)
            if waiting.count > 1 { return }
            var ring: UInt64 = 1
            _ = write(fileDescriptor, &ring, 8)
        }
    }
}
