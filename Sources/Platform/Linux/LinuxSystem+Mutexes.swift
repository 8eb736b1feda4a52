import CShims
import Glibc

extension LinuxSystem {
    public func initializeMutex(at address: UnsafeMutableRawPointer) {
        let result = freehold_shim_mutex_initialize(address)
        if result < 0 { stopForDefect(-result, "pthread_mutex_init", "") }
    }

    public func lockMutex(at address: UnsafeMutableRawPointer, timeoutMilliseconds: Int) -> MutexOutcome {
        // Bounded so that the resulting time is within the clock's range.
        outcome(freehold_shim_mutex_lock(address, Int64(min(timeoutMilliseconds, 1_000_000_000))))
    }

    public func tryLockMutex(at address: UnsafeMutableRawPointer) -> MutexOutcome {
        outcome(freehold_shim_mutex_try_lock(address))
    }

    public func makeMutexConsistent(at address: UnsafeMutableRawPointer) {
        let result = freehold_shim_mutex_make_consistent(address)
        if result < 0 { stopForDefect(-result, "pthread_mutex_consistent", "") }
    }

    @discardableResult
    public func unlockMutex(at address: UnsafeMutableRawPointer) -> Bool {
        let result = freehold_shim_mutex_unlock(address)
        if result == -EPERM { return false }
        if result < 0 { stopForDefect(-result, "pthread_mutex_unlock", "") }
        return true
    }

    private func outcome(_ result: Int32) -> MutexOutcome {
        switch result {
        case Int32(FREEHOLD_SHIM_MUTEX_ACQUIRED): .acquired
        case Int32(FREEHOLD_SHIM_MUTEX_OWNER_DIED): .ownerDied
        case Int32(FREEHOLD_SHIM_MUTEX_TIMED_OUT): .timedOut
        case Int32(FREEHOLD_SHIM_MUTEX_UNRECOVERABLE): .unrecoverable
        default: stopForDefect(-result, "pthread_mutex_lock", "")
        }
    }
}
