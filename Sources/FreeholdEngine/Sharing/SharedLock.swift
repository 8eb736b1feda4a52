// Safe throughout: the mutex's bytes are mapped at one place for the session's whole life.
import Platform

/// A lock between all threads of all processes of a session, which notices its owner's death.
///
/// ```
///   0  robust mutex, 64 bytes
///  64  owner: the token of the process inside, or 0      72  since, monotonic nanoseconds
///  80  whether the owner holds the byte lock
/// 128  waiters: one bit for each process slot, modulo 64 136  first waiter since   144  turn: 0 free, 1 given up, 2 waited for
/// ```
/// 1. The owner's token is set inside and taken back before the lock is left: whoever finds one set on entering
///    follows a dead owner, and has to put right what the lock guards.
/// 2. Robust mutexes tell threads apart by ids that mean nothing in another pid namespace, and other C libraries lay
///    them out otherwise. So an opener from elsewhere raises `usesByteLocks`, for good: from then on a byte lock
///    rules. Mutex owners look at that word before they mark themselves; byte lockers wait until whoever is marked has
///    left or is dead. The mark is swapped, never stored over another's.
/// 3. A thread that ends inside leaves the mutex to the next one, though its process lives.
/// 4. Nobody is locked out by a tight loop: an owner that leaves while others have waited for long gives up its turn,
///    and whoever arrives lets one of them go first. A dead or stopped waiter costs two milliseconds, once.
/// 5. Nobody who lives loses it: a stopped owner keeps others waiting until their time is up.
/// 6. A mutex can be left by the thread only that took it. Who leaves on another one turns the session to byte locks.
final class SharedLock: Sendable {
    let lockFile: LockFile
    let offset: Int
    let byte: Int
    let slots: ProcessSlots
    let slot: ProcessSlot
    /// Between the threads of this process, while byte locks rule.
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
    private var usesByteLocks: Bool { lockFile.memory.usesByteLocks.loadInOrder() != 0 }

    static let slice = 50
    static let politenessMilliseconds = 2
    static let patienceNanoseconds: UInt64 = 200_000

    /// For the session's first opener.
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
            if !usesByteLocks, owner.replace(previous, with: slot.token) {
                byteMark.storeRelaxed(0)
                return isAfterDeath || previous != 0 ? .ownerDied : .acquired
            }
            // Somebody from elsewhere has come in between (2).
            system.unlockMutex(at: mutex)
        }
    }

    /// Takes the mark back. Between this and `unlock` nothing that the lock guards may be touched.
    func clearOwner() { _ = owner.replace(slot.token, with: 0) }

    /// Whether the mark is this process's still; it is not once others have counted the process as dead.
    var isOwned: Bool { owner.loadInOrder() == slot.token }

    /// Leaves the lock.
    /// - Parameter isByteLock: whether it was the byte that was locked (`isByteLocked` inside).
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

    /// Another thread of this process took the mutex, and only that one could leave it. So nobody takes it any more (6).
    private func leaveToByteLocks() {
        lockFile.memory.usesByteLocks.storeInOrder(1)
        // The thread's list of robust mutexes leads here as long as the thread lives.
        lockFile.keepMapping()
    }

    /// Whether the present owner, this process, owns it through the byte lock.
    var isByteLocked: Bool { byteMark.loadRelaxed() != 0 }
    private var byteMark: SharedWord { SharedWord(base, 80) }

    /// Clears the mark and leaves.
    func release() {
        let isByteLock = isByteLocked
        clearOwner()
        unlock(isByteLock: isByteLock)
    }

    /// Who is inside, for messages.
    var holder: ProcessIdentity? { slots.process(of: owner.loadInOrder()) }
}

extension SharedLock {
    /// Waits for the mutex in slices, so that a bit lost to an impatient one is set again.
    private func waitForMutex(_ deadline: Deadline) -> MutexOutcome {
        defer { waiters.remove(bits: ownBit) }
        while true {
            let left = deadline.remainingMilliseconds
            if left == 0 { return .timedOut }
            if usesByteLocks { return .unrecoverable }
            if waiters.loadInOrder() == 0 { waitingSince.store(system.monotonicNanoseconds) }
            waiters.insert(bits: ownBit)
            let outcome = system.lockMutex(at: mutex, timeoutMilliseconds: min(left, Self.slice))
            if outcome == .timedOut { continue }
            if outcome == .unrecoverable { lockFile.memory.usesByteLocks.storeInOrder(1) }
            waitingSince.store(system.monotonicNanoseconds)
            if turn.exchange(0) == 2 { system.wake(turn.word, count: .max) }
            return outcome
        }
    }

    /// Lets those who have waited for long take the lock first, but waits for them only briefly.
    private func letWaitersGoFirst() {
        guard turn.load() != 0 else { return }
        let deadline = Deadline(Self.politenessMilliseconds, system)
        while turn.load() != 0 {
            let left = deadline.remainingMilliseconds
            if left == 0 {
                // Nobody came: they are dead or stopped. Those who live set their bits again.
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
            if !slots.isAlive(previous, own: slot), owner.replace(previous, with: slot.token) {
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
