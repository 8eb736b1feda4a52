#if FREEHOLD_THREAD_SANITIZER
    import Synchronization

    /// The standard library's mutex, for builds with the thread sanitizer. Where two threads meet at it the kernel hands
    /// it over, which the sanitizer does not see, so that it reports whatever the mutex guards. Here an atomic word, read
    /// behind each locking and written before each unlocking, says the same once more.
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

    /// What this module's own code gets when it says `Mutex`.
    typealias Mutex<Value: ~Copyable> = SeenMutex<Value>
#endif
