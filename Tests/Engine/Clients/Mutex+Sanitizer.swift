#if FREEHOLD_THREAD_SANITIZER
    import Platform

    /// In builds with the thread sanitizer this module's mutexes are ones that it can see.
    typealias Mutex<Value: ~Copyable> = SeenMutex<Value>
#endif
