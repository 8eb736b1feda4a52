import Glibc

/// The address space available to this process.
public enum AddressSpace {
    /// The limit in bytes (`ulimit -v`, RLIMIT_AS); nil if there is none.
    public static var limit: UInt64? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(Int64.max) else { return nil }
        return UInt64(limit.rlim_cur)
    }

    /// Whether `count` more bytes could be reserved.
    static func hasRoom(for byteCount: Int) -> Bool {
        let start = mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let start, start != MAP_FAILED else { return false }
        munmap(start, byteCount)
        return true
    }
}
