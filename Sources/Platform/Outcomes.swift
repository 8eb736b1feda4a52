/// How a wait on a shared word ended. In every case: re-read the word.
public enum WaitOutcome: Sendable, Equatable {
    /// Someone called `wake`, or the wait ended without reason.
    case woken
    /// The word differed from the expected value before the wait began.
    case changed
    /// The time has run out.
    case timedOut
}

/// How an attempt to take a robust mutex ended.
public enum MutexOutcome: Sendable, Equatable {
    /// The caller owns it.
    case acquired
    /// The caller owns it, and the owner before died holding it: repair what it guards, then `makeMutexConsistent`.
    case ownerDied
    /// Another owner still has it.
    case timedOut
    /// It was unlocked without having been made consistent, or its bytes are no mutex: it can never be taken again.
    case unrecoverable
}

/// The mutex shared by processes that notices its owner's death.
///
/// 1. It belongs to a thread: the one that locked it unlocks it; a thread that ends holding it counts as dead.
/// 2. Its bytes stay mapped at one place while in use, and are never unmapped by a process that holds it.
/// 3. It is never destroyed, only initialised again, by who is sure that nobody uses it.
/// 4. Threads are told apart by their id within one pid namespace, so processes of two namespaces may not share it.
public enum RobustMutex {
    /// Bytes to set aside for one; more than any known C library needs.
    public static let size = 64
    /// Its address is a multiple of this.
    public static let alignment = 64
}
