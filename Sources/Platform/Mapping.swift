import Synchronization

/// A file's bytes in memory.
///
/// Safe to send: the pointers are plain addresses that stay valid until `System.unmap`, which is called only after the
/// last use.
public struct Mapping: @unchecked Sendable {
    /// Address of the file's first byte. Writable only if mapped so.
    public let base: UnsafeMutableRawPointer
    /// Length of the mapping in bytes, which may exceed the file's.
    public let reservedLength: Int

    /// Counts touched pages that the file could not supply (it was cut short, or its disk failed).
    let faults: UnsafePointer<Atomic<UInt32>>
    /// Data for the implementation's `unmap`.
    let token: Int
    /// The fork generation in which it was created.
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

    /// Whether any read has met a page that the file could not supply, and got zeros instead. The zeros stay, so from
    /// then on nothing read from the mapping is reliable.
    public var hasFaulted: Bool { faults.pointee.load(ordering: .acquiring) != 0 }
}
