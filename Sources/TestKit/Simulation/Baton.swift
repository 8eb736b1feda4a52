import Platform
import Synchronization

/// The right to run, handed from thread to thread.
final class Baton: Sendable {
    /// 1 while it lies here. Safe: allocated here, freed with the baton, and only touched as an atomic or by the futex.
    private let word = UnsafeMutablePointerBox()

    /// Lays it down for whoever waits here.
    func give() {
        word.atomic.pointee.store(1, ordering: .releasing)
        LinuxSystem.shared.wake(word.plain, count: 1)
    }

    /// Waits until it lies here and takes it up.
    func take() {
        while word.atomic.pointee.exchange(0, ordering: .acquiring) != 1 {
            _ = LinuxSystem.shared.wait(on: word.plain, whileEqual: 0, timeoutMilliseconds: 10_000)
        }
    }

    /// Safe unchecked: the address never changes, and what lies there is an atomic.
    private final class UnsafeMutablePointerBox: @unchecked Sendable {
        let atomic = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 1)

        init() { atomic.initialize(to: Atomic(0)) }

        deinit {
            atomic.deinitialize(count: 1)
            atomic.deallocate()
        }

        /// An atomic has the representation of its value.
        var plain: UnsafePointer<UInt32> { UnsafeRawPointer(atomic).assumingMemoryBound(to: UInt32.self) }
    }
}
