import CShims
import Glibc

/// Address space for data that must not be visible elsewhere: zeros at first, memory only where it is written, excluded
/// from core dumps, and inaccessible in a forked child.
///
/// Not part of `System`: private memory is the same for every process, simulated or not.
///
/// Safe throughout: the range belongs to this object from `init` to `deinit`, and callers stay within it.
public final class SecretMemory: @unchecked Sendable {
    /// Its first byte, which begins a large page if the range is at least that long.
    public let base: UnsafeMutableRawPointer
    public let byteCount: Int
    private let start: UnsafeMutableRawPointer
    private let range: OpaquePointer
    private let forkGeneration: UInt32

    /// Bytes of a large page.
    public static let largePage = 2 << 20

    /// Reserves `byteCount` bytes, or half of them, or a quarter and so on, but at least `least`; nil if even that is
    /// not available.
    public init?(byteCount: Int, atLeast least: Int) {
        var length = byteCount
        while true {
            let whole = length + Self.slack(length)
            let start = mmap(nil, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
            if let start, start != MAP_FAILED, length > least, !AddressSpace.hasRoom(for: length) {
                // At most half of the rest: the rest of the program needs some, such as 64 MiB for each thread's heap.
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

    /// Additional bytes to reserve, so that the range can begin at a large page if it fills one.
    private static func slack(_ byteCount: Int) -> Int { byteCount < largePage ? 0 : largePage }

    /// Replaces the small pages at `offset` by a large page, if the system has such: reading then takes fewer address
    /// translations.
    public func gather(_ offset: Int) {
        if forkGeneration == freehold_shim_fork_generation() { freehold_shim_gather(base + offset, Self.largePage) }
    }

    /// Frees the memory of whole pages; they are zeros afterwards.
    public func drop(_ offset: Int, _ length: Int) {
        if forkGeneration != freehold_shim_fork_generation() { return }
        let result = madvise(base + offset, length, MADV_DONTNEED)
        precondition(result == 0, "dropping private memory cannot fail")
    }
}

/// Overwrites secret bytes in a way that the compiler never removes.
public func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    if let start = bytes.baseAddress { freehold_shim_wipe(start, bytes.count) }
}
