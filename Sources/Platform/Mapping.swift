import Synchronization

/// A file's bytes in memory.
///
/// Safe to send: the pointers are plain addresses that stay valid until `System.unmap`, which nobody calls before the
/// last user is gone.
public struct Mapping: @unchecked Sendable {
    /// Address of the file's first byte. Writable only if mapped so.
    public let base: UnsafeMutableRawPointer
    /// How many bytes from there belong to the mapping, whether the file has them yet or not.
    public let reservedLength: Int

    /// Counts pages that were touched and could not be had from the file (it was cut short, or its disk failed).
    let faults: UnsafePointer<Atomic<UInt32>>
    /// Whatever its maker needs to take it down again.
    let token: Int
    /// The fork generation it was made in.
    let forkGeneration: UInt32

    public init(
        base: UnsafeMutableRawPointer, reservedLength: Int, faults: UnsafePointer<Atomic<UInt32>>, token: Int,
        forkGeneration: UInt32
    ) {
        self.base = base
        self.reservedLength = reservedLength
        self.faults = faults
        self.token = token
        self.forkGeneration = forkGeneration
    }

    /// Whether any read from it has met a page the file could not give and was given zeros instead. From then on the
    /// zeros stay in place, so nothing read from the mapping is to be trusted.
    public var hasFaulted: Bool { faults.pointee.load(ordering: .acquiring) != 0 }
}
