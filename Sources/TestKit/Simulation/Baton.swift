import Platform
import Synchronization

/// The right to run, handed from thread to thread.
final class Baton: Sendable {
    /// 1 while it lies here.
    private let word = Word()

    /// Lays it down for whoever waits here.
    func give() {
        word.store(1)
        LinuxSystem.shared.wake(word.plain, count: 1)
    }

    /// Waits until it lies here and takes it up.
    /// - Parameter whileWaiting: called every ten seconds.
    func take(whileWaiting: () -> Void = {}) {
        while word.exchange(0) != 1 {
            let outcome = LinuxSystem.shared.wait(on: word.plain, whileEqual: 0, timeoutMilliseconds: 10_000)
            if outcome == .timedOut { whileWaiting() }
        }
    }

    /// A word at a fixed address, as a futex needs it.
    ///
    /// Safe unchecked: allocated here and freed with the object, the address never changes, and what lies there is only
    /// used as an atomic and by the kernel.
    private final class Word: @unchecked Sendable {
        // Safe throughout: as said above.
        private let pointer = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 1)

        init() { pointer.initialize(to: Atomic(0)) }

        deinit {
            pointer.deinitialize(count: 1)
            pointer.deallocate()
        }

        func store(_ value: UInt32) { pointer.pointee.store(value, ordering: .releasing) }

        func exchange(_ value: UInt32) -> UInt32 { pointer.pointee.exchange(value, ordering: .acquiring) }

        /// Safe: an atomic has the representation of its value.
        var plain: UnsafePointer<UInt32> { UnsafeRawPointer(pointer).assumingMemoryBound(to: UInt32.self) }
    }
}
