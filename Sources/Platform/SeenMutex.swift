#if FREEHOLD_THREAD_SANITIZER
    import Synchronization

    /// The standard library's mutex, for builds with the thread sanitizer. When two threads contend, the kernel hands
    /// the mutex over, which the sanitizer cannot see, so it reports races on the guarded state. An atomic word here,
    /// read after each lock and written before each unlock, shows the order to the sanitizer.
    ///
    /// Safe to share unchecked: it is the mutex inside that guards the value.
    public struct SeenMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let mutex: Synchronization.Mutex<Value>
        private let handOver = Atomic<UInt8>(0)

        public init(_ value: consuming sending Value) { mutex = Synchronization.Mutex(value) }

        /// Runs `body` while no other thread has the value.
        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock { value throws(Failure) in
                _ = handOver.load(ordering: .acquiring)
                defer { handOver.store(0, ordering: .releasing) }
                return try body(&value)
            }
        }

        /// Runs `body` while no other thread has the value; nil if another thread has it.
        public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            try mutex.withLockIfAvailable { value throws(Failure) in
                _ = handOver.load(ordering: .acquiring)
                defer { handOver.store(0, ordering: .releasing) }
                return try body(&value)
            }
        }
    }

    /// Shadows the standard library's `Mutex` in this module.
    typealias Mutex<Value: ~Copyable> = SeenMutex<Value>
#endif
