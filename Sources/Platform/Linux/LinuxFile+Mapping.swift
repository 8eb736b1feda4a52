import CShims
import Glibc
import Synchronization

extension LinuxFile {
    func map(
        reserve: Int, minimum: Int, writable: Bool, dontFork: Bool
    ) throws(SystemError) -> Mapping {
        precondition(minimum > 0 && minimum <= reserve, "a mapping needs a length")
        let protection = writable ? PROT_READ | PROT_WRITE : PROT_READ
        let reserve = Self.reserved(reserve, minimum)
        var length = reserve
        while true {
            let base = mmap(nil, length, protection, MAP_SHARED | MAP_NORESERVE, descriptor, 0)
            var code = errno
            if let base, base != MAP_FAILED {
                // If address space is scarce, at most half of the rest is used for a file: the rest of the program
                // needs some.
                if length == reserve || length == minimum || AddressSpace.hasRoom(for: length) {
                    return try registered(base, length, writable: writable, dontFork: dontFork)
                }
                munmap(base, length)
                code = ENOMEM
            }
            let half = max(length / 2, minimum)
            // Other errors than a lack of address space do not go away with less.
            if (code != ENOMEM && code != EINVAL) || half == length { throw code == EBADF ? failed(code, "mmap") : failure(code, "mmap", path) }
            length = half
        }
    }

    /// The thread sanitizer leaves 1.5 TiB of the address space to the program, and ends it when the system maps memory elsewhere. As
    /// tests have many files open at once, each reserves little of that.
    private static func reserved(_ reserve: Int, _ minimum: Int) -> Int {
        #if FREEHOLD_THREAD_SANITIZER
            max(minimum, min(reserve, 1 << 33))
        #else
            reserve
        #endif
    }

    private func registered(
        _ base: UnsafeMutableRawPointer, _ length: Int, writable: Bool, dontFork: Bool
    ) throws(SystemError) -> Mapping {
        guard let range = freehold_shim_range_add(base, length, writable ? 1 : 0, dontFork ? 1 : 0),
            let faults = freehold_shim_range_faults(range)
        else {
            munmap(base, length)
            throw SystemError(code: ENOMEM, call: "mmap", path: path)
        }
        // Safe: the word is an atomic of the shim, of the same size and representation, and outlives the mapping.
        let counter = UnsafeRawPointer(faults).assumingMemoryBound(to: Atomic<UInt32>.self)
        return Mapping(
            base: base, reservedLength: length, faults: counter, token: Int(bitPattern: range),
            forkGeneration: freehold_shim_fork_generation())
    }
}
