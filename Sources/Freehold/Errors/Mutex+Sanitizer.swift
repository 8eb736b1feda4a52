#if FREEHOLD_THREAD_SANITIZER
    import Platform

    /// The mutex of this module in builds with the thread sanitizer, which can observe it.
    typealias Mutex<Value: ~Copyable> = SeenMutex<Value>
#endif
