import Glibc

/// How much address space this process may have.
public enum AddressSpace {
    /// Bytes (`ulimit -v`, RLIMIT_AS); nil if there is no limit.
    public static var limit: UInt64? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(Int64.max) else { return nil }
        return UInt64(limit.rlim_cur)
    }

    /// Whether so many bytes more could be reserved.
    static func hasRoom(for byteCount: Int) -> Bool {
        let start = mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let start, start != MAP_FAILED else { return false }
        munmap(start, byteCount)
        return true
    }
}
