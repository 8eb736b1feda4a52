import Platform
import Synchronization

/// A value behind a lock, separate for each process, so that a forked child never finds the lock held permanently.
///
/// 1. No lock is held during long operations, such as opening a file.
/// 2. A child begins with its parent's value. If a thread was using that at the fork, it begins with the initial value.
final class PerProcess<Value: Sendable>: Sendable {
    private final class Guarded: Sendable {
        let value: Mutex<Value>
        init(_ value: Value) { self.value = Mutex(value) }
    }

    private let own: ProcessObject

    /// - Parameters:
    ///   - inherits: whether a child begins with its parent's value, if that is available.
    ///   - initial: the value with which the process begins otherwise.
    init(inherits: Bool = true, _ initial: @escaping @Sendable () -> Value) {
        own = ProcessObject { parents in
            let inherited = inherits ? (parents as? Guarded)?.value.withLockIfAvailable { $0 } : nil
            return Guarded(inherited ?? initial())
        }
    }

    /// Runs `body` while no other thread of the process has access to the value.
    func withLock<Result, Failure: Error>(_ body: (inout sending Value) throws(Failure) -> sending Result) throws(Failure) -> sending Result {
        // Safe: the initialiser creates nothing but `Guarded`.
        try unsafeDowncast(own.object, to: Guarded.self).value.withLock(body)
    }
}
