import CShims
import Glibc

/// Address space for what must not be seen elsewhere: zeros at first, memory only where it is written, left out of core
/// dumps, and inaccessible in a forked child.
///
/// Not part of `System`: private memory is the same for every process, simulated or not.
///
/// Safe throughout: the range belongs to this object from `init` to `deinit`, and callers stay within it.
public final class SecretMemory: @unchecked Sendable {
    /// Its first byte, which begins a large page if there are as many bytes.
    public let base: UnsafeMutableRawPointer
    public let byteCount: Int
    private let start: UnsafeMutableRawPointer
    private let range: OpaquePointer
    private let forkGeneration: UInt32

    /// Bytes of a large page.
    public static let largePage = 2 << 20

    /// Reserves so many bytes or half of them or a quarter, and so on, but at least so many; nil if that is not to be had.
    public init?(byteCount: Int, atLeast least: Int) {
        var length = byteCount
        while true {
            let whole = length + Self.slack(length)
            let start = mmap(nil, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
            if let start, start != MAP_FAILED, length > least, !AddressSpace.hasRoom(for: length) {
                // At most half of what is left: the rest of the program wants some, each thread's heap 64 MiB.
                munmap(start, whole)
            } else if let start, start != MAP_FAILED {
                guard let range = freehold_shim_range_add(start, whole, 1, 1) else {
                    munmap(start, whole)
                    return nil
                }
                freehold_shim_keep_out_of_dumps(start, whole)
                let over = Int(bitPattern: start) % Self.largePage
                base = over == 0 || whole == length ? start : start + (Self.largePage - over)
                (self.start, self.byteCount, self.range) = (start, length, range)
                forkGeneration = freehold_shim_fork_generation()
                return
            }
            if length / 2 < least { return nil }
            length /= 2
        }
    }

    deinit {
        if forkGeneration != freehold_shim_fork_generation() { return }
        freehold_shim_range_remove(range)
        munmap(start, byteCount + Self.slack(byteCount))
    }

    /// What is reserved beside so many bytes, so that they can begin a large page if they fill one.
    private static func slack(_ byteCount: Int) -> Int { byteCount < largePage ? 0 : largePage }

    /// Puts a large page in the place of the small ones at `offset`, where the system has such: reading takes fewer look-ups of
    /// addresses then.
    public func gather(_ offset: Int) {
        if forkGeneration == freehold_shim_fork_generation() { freehold_shim_gather(base + offset, Self.largePage) }
    }

    /// Gives the memory behind whole pages back; they are zeros then.
    public func drop(_ offset: Int, _ length: Int) {
        if forkGeneration != freehold_shim_fork_generation() { return }
        let result = madvise(base + offset, length, MADV_DONTNEED)
        precondition(result == 0, "dropping private memory cannot fail")
    }
}

/// Overwrites bytes that were secret, in a way that is never left out.
public func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    if let start = bytes.baseAddress { freehold_shim_wipe(start, bytes.count) }
}
