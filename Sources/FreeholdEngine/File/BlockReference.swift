/// A block's place, length, birth and checksum: 32 bytes on disk.
///
/// ```
/// word 0  location: granule index << 16 | granule count (1…1024); bit 63 set: pending (never on disk)
/// word 1  birth: the version whose commit wrote the block
/// word 2  check: checksum over all its granules
/// word 3  0 (the tag's second half once the file is encrypted)
/// ```
/// A parent's references authenticate its children, so the root authenticates the file.
struct BlockReference: Equatable, Sendable {
    var location: UInt64
    var birth: UInt64
    var check: UInt64
    var tag: UInt64

    static let byteCount = 32
    static let null = BlockReference(location: 0, birth: 0, check: 0, tag: 0)
    static let pendingBit: UInt64 = 1 << 63

    @inline(__always) var isNull: Bool { location == 0 }
    @inline(__always) var isPending: Bool { location & Self.pendingBit != 0 }
    /// The block's length in granules of 64 bytes.
    @inline(__always) var granuleCount: Int { Int(truncatingIfNeeded: location & 0xffff) }
    @inline(__always) var byteLength: Int { granuleCount << 6 }
    /// The granule's number in the file; for a pending reference the block's index in its transaction.
    @inline(__always) var granuleIndex: UInt64 { (location & ~Self.pendingBit) >> 16 }
    /// Where the block starts in the file, in bytes.
    @inline(__always) var byteOffset: UInt64 { granuleIndex << 6 }
}
