/// How a wait on a shared word ended. In every case, re-read the word.
public enum WaitOutcome: Sendable, Equatable {
    /// A thread called `wake`, or the wait ended spuriously.
    case woken
    /// The word differed from the expected value before the wait began.
    case changed
    /// The timeout has expired.
    case timedOut
}

/// The result of an attempt to take a robust mutex.
public enum MutexOutcome: Sendable, Equatable {
    /// The caller owns it.
    case acquired
    /// The caller owns it, and the previous owner died holding it: repair the guarded state, then call
    /// `makeMutexConsistent`.
    case ownerDied
    /// Another owner still holds it.
    case timedOut
    /// It was unlocked without having been made consistent, or its bytes are not a mutex: it can never be taken again.
    case unrecoverable
}

/// A mutex shared by processes that detects its owner's death.
///
/// 1. It belongs to a thread: the one that locked it unlocks it; a thread that ends while holding it counts as dead.
/// 2. Its bytes stay mapped at one address while in use, and a process that holds it never unmaps them.
/// 3. It is never destroyed, only initialised again, by a process that is certain that no other uses it.
/// 4. Threads are identified by their id within one pid namespace, so processes of two namespaces may not share it.
public enum RobustMutex {
    /// Bytes to reserve for one; more than any known C library needs.
    public static let size = 64
    /// Its address is a multiple of this.
    public static let alignment = 64
}
