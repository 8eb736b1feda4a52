import CShims
import Glibc
import Synchronization

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
        // Without randomness there can be no keys, and nothing weaker may replace it.
        if result < 0 { stopForDefect(-result, "getrandom", "") }
    }

    public var bootIdentity: BootIdentity? {
        if let known = known({ $0.boot }) { return known }
        var bytes: (UInt64, UInt64) = (0, 0)
        // Safe: the tuple is 16 contiguous bytes.
        let result = withUnsafeMutableBytes(of: &bytes) {
            freehold_shim_boot_identity($0.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
        if result != 0 { return nil }
        let boot = BootIdentity(high: bytes.0.bigEndian, low: bytes.1.bigEndian)
        note { $0.boot = boot }
        return boot
    }

    public var processNamespace: UInt64 {
        if let known = known({ $0.namespace }) { return known }
        let namespace = freehold_shim_process_namespace()
        if namespace != 0 { note { $0.namespace = namespace } }
        return namespace
    }

    public var layoutTag: UInt32 { freehold_shim_layout_tag() }

    public var process: ProcessIdentity {
        if let known = known({ $0.process }) { return known }
        let name = contents(of: "/proc/self/comm")?.split(separator: "\n").first
        let process = ProcessIdentity(id: getpid(), name: name.map(String.init) ?? "unknown")
        note { $0.process = process }
        return process
    }

    private func known<Fact>(_ fact: (ProcessFacts) -> Fact?) -> Fact? {
        facts.withLockIfAvailable { $0.isAbout(self) ? fact($0) : nil } ?? nil
    }

    private func note(_ change: (inout ProcessFacts) -> Void) {
        facts.withLockIfAvailable { facts in
            if !facts.isAbout(self) { facts = ProcessFacts(id: getpid(), forkGeneration: forkGeneration) }
            change(&facts)
        }
    }

    public var userID: UInt32 { geteuid() }

    public var threadIdentity: UInt { freehold_shim_thread_number() }

    public var forkGeneration: UInt32 { freehold_shim_fork_generation() }

    // Safe: the shim's word lives as long as the process and is always aligned.
    public var forkGenerationWord: UnsafePointer<UInt32> { freehold_shim_fork_generation_word().unsafelyUnwrapped }
}

/// Facts that never change while a process lives, so they are read once: each takes several calls.
private struct ProcessFacts {
    var id: Int32
    var forkGeneration: UInt32
    var boot: BootIdentity?
    var namespace: UInt64?
    var process: ProcessIdentity?

    /// A child has another id and perhaps another namespace, even one forked without the C library's knowledge.
    func isAbout(_ system: LinuxSystem) -> Bool { id == getpid() && forkGeneration == system.forkGeneration }
}

/// Tried without waiting: in a child it may be held by a thread that exists only in the parent.
private let facts = Mutex(ProcessFacts(id: 0, forkGeneration: 0))
