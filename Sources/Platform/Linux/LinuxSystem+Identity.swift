import CShims
import Glibc

extension LinuxSystem {
    public var monotonicNanoseconds: UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    public var wallClockNanoseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    public func fillRandom(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let start = buffer.baseAddress else { return }
        let result = freehold_shim_random(start, buffer.count)
        // Without randomness there are no keys to be had, and nothing weaker may take their place.
        if result < 0 { stopForDefect(-result, "getrandom", "") }
    }

    public var bootIdentity: BootIdentity? {
        var bytes: (UInt64, UInt64) = (0, 0)
        // Safe: the tuple is 16 contiguous bytes.
        let result = withUnsafeMutableBytes(of: &bytes) {
            freehold_shim_boot_identity($0.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
        if result != 0 { return nil }
        return BootIdentity(high: bytes.0.bigEndian, low: bytes.1.bigEndian)
    }

    public var processNamespace: UInt64 { freehold_shim_process_namespace() }

    public var layoutTag: UInt32 { freehold_shim_layout_tag() }

    public var process: ProcessIdentity {
        let name = contents(of: "/proc/self/comm")?.split(separator: "\n").first
        return ProcessIdentity(id: getpid(), name: name.map(String.init) ?? "unknown")
    }

    public var threadIdentity: UInt { freehold_shim_thread_address() }

    public var forkGeneration: UInt32 { freehold_shim_fork_generation() }

    // Safe: the shim's word lives as long as the process and is always aligned.
    public var forkGenerationWord: UnsafePointer<UInt32> { freehold_shim_fork_generation_word().unsafelyUnwrapped }
}
