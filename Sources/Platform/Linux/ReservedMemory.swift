#if os(Linux)
import Glibc

/// Address space that reads as zeros and costs memory only where it is written, for sparsely used tables.
///
/// Not part of `System`: private memory is the same for every process, simulated or not.
public enum ReservedMemory {
    /// Reserves `byteCount` bytes of zeros; nil if there is not enough address space.
    ///
    /// Safe: the range is new and belongs to the caller until `release`.
    public static func reserve(byteCount: Int) -> UnsafeMutableRawPointer? {
        let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        return start == MAP_FAILED ? nil : start
    }

    /// Frees memory that `reserve` returned, with the same length.
    public static func release(_ start: UnsafeMutableRawPointer, byteCount: Int) {
        munmap(start, byteCount)
    }
}
#endif
