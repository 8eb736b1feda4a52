// Safe throughout: the mutex's bytes are mapped at one place for the session's whole life.
import Platform

/// A lock between all threads of all processes of a session, which notices its owner's death.
///
/// ```
///   0  robust mutex, 64 bytes
///  64  owner: the token of the process inside, or 0      72  since, monotonic nanoseconds
///  80  whether the owner holds the byte lock              88  the hold's number, even; bit 0: it is kept (7)
/// 128  waiters: one bit for each process slot, modulo 64 136  first waiter since   144  turn: 0 free, 1 given up, 2 waited for
/// ```
/// 1. The owner's token is set inside and cleared before the lock is released: a process that finds one set on entering
///    follows a dead owner, and has to repair what the lock guards.
/// 2. Robust mutexes identify threads by ids that mean nothing in another pid namespace, and other C libraries lay them
///    out differently. So an opener from another namespace or C library sets `usesByteLocks`, for good: from then on a
///    byte lock is used. Mutex owners read that word before they mark themselves; byte lockers wait until the marked
///    owner has left or is dead. The mark is swapped, never stored over another's.
/// 3. A thread that ends inside leaves the mutex to the next one, though its process lives; the hold is lost then,
///    unless it is kept (7).
/// 4. A tight loop locks no process out: an owner that leaves while others have waited for long gives up its turn, and
///    each arrival lets one of them go first. A dead or stopped waiter costs two milliseconds, once.
/// 5. No living process loses the lock: a stopped owner keeps others waiting until their timeout passes.
/// 6. Only the thread that took a mutex can unlock it. A release on another thread switches the session to byte locks.
/// 7. Each hold has a number of its own. A thread that continues the hold of another thread, which may have ended,
///    first *keeps* it: one compare-and-swap of the number decides between that thread and the next owner. From then on
///    the hold ends when its process releases it or dies, as with byte locks.
/// 8. Nor is a mutex touched in a lock file that other users may write (`LockFile.distrust`).
final class SharedLock: Sendable {
    let lockFile: LockFile
    let offset: Int
    let byte: Int
    let slots: ProcessSlots
    let slot: ProcessSlot
    /// The lock between the threads of this process, while byte locks are used.
    let local: LocalLock
    let system: any System

    init(
        _ lockFile: LockFile, offset: Int, byte: Int, _ slots: ProcessSlots, _ slot: ProcessSlot, _ system: any System
    ) {
        self.lockFile = lockFile
        self.offset = offset
        self.byte = byte
        self.slots = slots
        self.slot = slot
        self.system = system
        local = LocalLock(system)
    }

    /// One hold of the lock, from acquisition to release.
    struct Hold: Sendable, Equatable {
        let number: UInt64
        /// Whether the byte is locked, not the mutex.
        let isByteLock: Bool
    }

    enum Outcome: Equatable {
        case acquired
        /// Acquired after an owner that died inside.
        case ownerDied
        case timedOut
    }

    private var base: UnsafeMutableRawPointer { lockFile.memory.base + offset }
    private var mutex: UnsafeMutableRawPointer { base }
    var owner: SharedWord { SharedWord(base, 64) }
    var since: SharedWord { SharedWord(base, 72) }
    private var waiters: SharedWord { SharedWord(base, 128) }
    private var waitingSince: SharedWord { SharedWord(base, 136) }
    private var turn: SharedBell { SharedBell(base, 144) }
    private var ownBit: UInt64 { 1 << UInt64(slot.index % 64) }
    private var usesByteLocks: Bool { lockFile.usesByteLocks }

    static let slice = 50
    static let politenessMilliseconds = 2
    static let patienceNanoseconds: UInt64 = 200_000

    /// Initialises the mutex; the session's first opener calls it.
    func initialize() { system.initializeMutex(at: mutex) }

    /// Takes the lock and marks this process as its owner.
    /// - Parameter onLocked: called between the two.
    func acquire(timeoutMilliseconds: Int, onLocked: () -> Void = {}) throws(FreeholdError) -> Outcome {
        var deadline: Deadline?
        while true {
            if usesByteLocks {
                return try acquireByte(deadline ?? Deadline(timeoutMilliseconds, system), onLocked)
            }
            var isAfterDeath = false
            letWaitersGoFirst()
            switch system.tryLockMutex(at: mutex) {
            case .acquired: break
            case .ownerDied: isAfterDeath = true
            case .unrecoverable:
                lockFile.memory.usesByteLocks.storeInOrder(1)
                continue
            case .timedOut:
                if deadline == nil { deadline = Deadline(timeoutMilliseconds, system) }
                switch waitForMutex(deadline!) {
                case .timedOut: return .timedOut
                case .unrecoverable: continue
                case .ownerDied: isAfterDeath = true
                case .acquired: break
                }
            }
            if isAfterDeath { system.makeMutexConsistent(at: mutex) }
            onLocked()
            let previous = owner.loadInOrder()
            if !usesByteLocks {
                if !numberHold(after: previous) {
                    // Another thread keeps the hold of the ended thread, and cannot unlock the mutex (6, 7).
                    lockFile.memory.usesByteLocks.storeInOrder(1)
                } else if owner.replace(previous, with: slot.token) {
                    byteMark.storeRelaxed(0)
                    return isAfterDeath || previous != 0 ? .ownerDied : .acquired
                }
            }
            // An opener from another namespace or C library has come in between (2).
            system.unlockMutex(at: mutex)
        }
    }

    /// Clears the owner's mark. Between this and `unlock` nothing that the lock guards may be touched.
    func clearOwner() { _ = owner.replace(slot.token, with: 0) }

    /// Whether the mark is still this process's; it is not once others have counted the process as dead.
    var isOwned: Bool { owner.loadInOrder() == slot.token }

    /// The hold of this process, which owns the lock.
    var hold: Hold { Hold(number: holdNumber.load() & ~1, isByteLock: isByteLocked) }
    private var holdNumber: SharedWord { SharedWord(base, 88) }

    /// Whether the hold is still valid: the lock was neither taken by another owner since, nor released.
    @inline(__always) func isHeld(_ hold: Hold) -> Bool { holdNumber.loadInOrder() & ~1 == hold.number && isOwned }

    /// Keeps the hold, so that it no longer ends with the thread that took the lock; false if it is over or lost.
    func keep(_ hold: Hold) -> Bool {
        let isKept = holdNumber.replace(hold.number, with: hold.number | 1) || holdNumber.loadInOrder() == hold.number | 1
        return isKept && isOwned
    }

    /// Gives the next hold its number. The caller has the mutex or the byte, and found the lock marked as `previous`.
    /// - Returns: false if the previous hold is kept by a process that lives.
    private func numberHold(after previous: UInt64) -> Bool {
        while true {
            let last = holdNumber.loadInOrder()
            // Safe: wrapping around takes longer than any session.
            let next = (last & ~1) &+ 2
            if previous == 0 {
                holdNumber.store(next)
                return true
            }
            if last & 1 != 0, slots.isAlive(previous, own: slot) { return false }
            if holdNumber.replace(last, with: next) { return true }
        }
    }

    /// Unlocks the mutex or the byte.
    /// - Parameter isByteLock: whether the byte was locked (`isByteLocked` inside).
    func unlock(isByteLock: Bool) {
        if isByteLock {
            try? slots.liveness.unlock(byte: byte)  // cannot fail for a byte that is held
            local.release()
            return
        }
        if waiters.loadInOrder() != 0, system.monotonicNanoseconds &- waitingSince.load() > Self.patienceNanoseconds {
            _ = turn.replace(0, with: 1)
        }
        if !system.unlockMutex(at: mutex) { leaveToByteLocks() }
    }

    /// Switches the session to byte locks: another thread of this process took the mutex, and only that one could
    /// unlock it. So no process takes the mutex any more (6).
    private func leaveToByteLocks() {
        lockFile.memory.usesByteLocks.storeInOrder(1)
        // The thread's list of robust mutexes points here as long as the thread lives.
        lockFile.keepMapping()
    }

    /// Whether the present owner, this process, owns it through the byte lock.
    var isByteLocked: Bool { byteMark.loadRelaxed() != 0 }
    private var byteMark: SharedWord { SharedWord(base, 80) }

    /// Clears the mark and unlocks.
    func release() {
        let isByteLock = isByteLocked
        clearOwner()
        unlock(isByteLock: isByteLock)
    }

    /// Releases a hold. Of a lost hold it releases what no other owner has taken: the mutex, if this is the thread that
    /// took it (`isOwnThread`), or the byte.
    func release(_ hold: Hold, isOwnThread: Bool) {
        let isHeld = isHeld(hold)
        if isHeld { clearOwner() }
        if isHeld || hold.isByteLock { return unlock(isByteLock: hold.isByteLock) }
        if isOwnThread { system.unlockMutex(at: mutex) }
    }

    /// The process that owns the lock, for messages.
    var holder: ProcessIdentity? { slots.process(of: owner.loadInOrder()) }
}

extension SharedLock {
    /// Waits for the mutex in slices, so that a waiter's bit that was cleared by an impatient process is set again.
    private func waitForMutex(_ deadline: Deadline) -> MutexOutcome {
        defer { waiters.remove(bits: ownBit) }
        while true {
            let left = deadline.remainingMilliseconds
            if left == 0 { return .timedOut }
            if usesByteLocks { return .unrecoverable }
            if waiters.loadInOrder() == 0 { waitingSince.store(system.monotonicNanoseconds) }
            waiters.insert(bits: ownBit)
            let outcome = system.lockMutex(at: mutex, timeoutMilliseconds: min(left, Self.slice))
            if outcome == .timedOut {
                // The kernel passes a dead thread's mutex on, unless the thread's record of it was lost before
                // (`LockFile`, 3).
                let marked = owner.loadInOrder()
                if marked != 0, !slots.isAlive(marked, own: slot) { lockFile.memory.usesByteLocks.storeInOrder(1) }
                continue
            }
            if outcome == .unrecoverable { lockFile.memory.usesByteLocks.storeInOrder(1) }
            waitingSince.store(system.monotonicNanoseconds)
            if turn.exchange(0) == 2 { system.wake(turn.word, count: .max) }
            return outcome
        }
    }

    /// Lets processes that have waited for long take the lock first, but waits for them only briefly.
    private func letWaitersGoFirst() {
        guard turn.load() != 0 else { return }
        let deadline = Deadline(Self.politenessMilliseconds, system)
        while turn.load() != 0 {
            let left = deadline.remainingMilliseconds
            if left == 0 {
                // No waiter came: they are dead or stopped. Living waiters set their bits again.
                waiters.storeInOrder(0)
                if turn.exchange(0) == 2 { system.wake(turn.word, count: .max) }
                return
            }
            _ = turn.replace(1, with: 2)
            _ = system.wait(on: turn.word, whileEqual: 2, timeoutMilliseconds: left)
        }
    }

    private func acquireByte(_ deadline: Deadline, _ onLocked: () -> Void) throws(FreeholdError) -> Outcome {
        guard local.acquire(timeoutMilliseconds: deadline.remainingMilliseconds) else { return .timedOut }
        do {
            guard try slots.liveness.lock(
                byte: byte, exclusive: true, timeoutMilliseconds: deadline.remainingMilliseconds)
            else {
                local.release()
                return .timedOut
            }
        } catch {
            local.release()
            throw FreeholdError(error, "lock a byte of the file")
        }
        onLocked()
        // A mutex owner may still be inside (2).
        while true {
            let previous = owner.loadInOrder()
            if !slots.isAlive(previous, own: slot), numberHold(after: previous), owner.replace(previous, with: slot.token) {
                byteMark.storeRelaxed(1)
                return previous != 0 ? .ownerDied : .acquired
            }
            if deadline.hasPassed {
                unlock(isByteLock: true)
                return .timedOut
            }
            system.sleep(milliseconds: 1)
        }
    }
}
