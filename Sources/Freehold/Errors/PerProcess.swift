import Platform
import Synchronization

/// A value behind a lock that a forked child cannot find locked for good: each process has its own.
///
/// 1. No lock is held over what may take long, as opening a file does.
/// 2. A child begins with its parent's value, unless a thread was using that when the process forked, or with the initial one.
final class PerProcess<Value: Sendable>: Sendable {
    private final class Guarded: Sendable {
        let value: Mutex<Value>
        init(_ value: Value) { self.value = Mutex(value) }
    }

    private let own: ProcessObject

    /// - Parameters:
    ///   - inherits: whether a child begins with its parent's value, where it can be had.
    ///   - initial: what the process begins with otherwise.
    init(inherits: Bool = true, _ initial: @escaping @Sendable () -> Value) {
        own = ProcessObject { parents in
            let inherited = inherits ? (parents as? Guarded)?.value.withLockIfAvailable { $0 } : nil
            return Guarded(inherited ?? initial())
        }
    }

    /// Runs `body` while no other thread of the process has the value.
    func withLock<Result, Failure: Error>(_ body: (inout sending Value) throws(Failure) -> sending Result) throws(Failure) -> sending Result {
        // Safe: nothing else is made above.
        try unsafeDowncast(own.object, to: Guarded.self).value.withLock(body)
    }
}
