import CShims
import Glibc

extension LinuxFile {
    func tryLock(byte: Int, exclusive: Bool) throws(SystemError) -> Bool {
        closeInChildren()
        let kind = exclusive ? FREEHOLD_SHIM_LOCK_EXCLUSIVE : FREEHOLD_SHIM_LOCK_SHARED
        let result = freehold_shim_lock_byte(descriptor, Int64(byte), Int32(kind))
        // An exclusive lock through a read-only descriptor also fails with EBADF.
        if result < 0 { throw failed(-result, "fcntl(F_OFD_SETLK)") }
        return result != 0
    }

    func lock(byte: Int, exclusive: Bool, timeoutMilliseconds: Int) throws(SystemError) -> Bool {
        let clock = LinuxSystem.shared
        let end = clock.monotonicNanoseconds + UInt64(max(timeoutMilliseconds, 0)) * 1_000_000
        var nap: Int64 = 20_000
        while true {
            if try tryLock(byte: byte, exclusive: exclusive) { return true }
            let now = clock.monotonicNanoseconds
            if now >= end { return false }
            pause(nanoseconds: min(nap, Int64(clamping: end - now)))
            // Up to 2 ms: short compared with the time a holder takes, and few calls meanwhile.
            nap = min(nap * 2, 2_000_000)
        }
    }

    func unlock(byte: Int) throws(SystemError) {
        if forkGeneration != freehold_shim_fork_generation() { return }
        let result = freehold_shim_unlock_byte(descriptor, Int64(byte))
        if result < 0 { throw failed(-result, "fcntl(F_OFD_SETLK)") }
    }

    func isLocked(byte: Int) throws(SystemError) -> Bool { try isLocked(bytes: byte..<byte + 1) }

    func isLocked(bytes: Range<Int>) throws(SystemError) -> Bool {
        let result = freehold_shim_bytes_are_locked(descriptor, Int64(bytes.lowerBound), Int64(bytes.count))
        if result < 0 { throw failed(-result, "fcntl(F_OFD_GETLK)") }
        return result != 0
    }
}
