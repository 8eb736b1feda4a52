/// The limits of an index tree and the layout of its blocks (README.md draws them).
enum IndexLayout {
    /// The maximum length of a key.
    static let maximumKeyBytes = 65_536
    /// The length of the part of a longer key that is in the node; the remainder is in a block of its own.
    static let inlineKeyBytes = 4_096
    /// The maximum number of postings of one entry.
    static let chunkPostings = 256
    /// The size in bytes of a leaf's whole block, header included, beyond which it is split (one entry alone may take more).
    static let leafBytes = 2_048
    /// The maximum number of children of an inner node.
    static let fanOut = 64
    /// The size in bytes of an inner node's whole block beyond which it is split (two children always fit).
    static let innerBytes = 16_384
    /// The maximum level of an inner node; leaves are level 0.
    static let maximumLevel = 31
    /// More postings than a file can hold: sums of counts along a path, and over many trees, stay within 64 bits.
    static let mostPostings: UInt64 = 1 << 54
    /// The size in granules below which a leaf or inner node that was just changed is merged with a neighbour.
    static let underfullLeafGranules = 8
    /// The maximum size, in granules, of a leaf and its neighbour together at which they are merged.
    static let mergedLeafGranules = 28
    static let underfullChildren = 16

    /// `BlockKind.indexLeaf`, variant 0: a leaf.
    static let leafVariant: UInt8 = 0
    /// `BlockKind.indexLeaf`, variant 1: the part of a long key that does not fit its node.
    static let remainderVariant: UInt8 = 1

    /// Key lengths up to this take one byte.
    static let shortLength = 253
    /// The length follows in two bytes.
    static let longLength: UInt8 = 254
    /// The length follows in two bytes, then in two the reference of the remainder.
    static let remainderLength: UInt8 = 255
    /// The number of bytes of a key after the prefix that are in its head.
    static let headBytes = 4

    /// The bytes that a leaf takes for each entry outside its heap: head, offset, count.
    static let leafSlotBytes = 4 + 2 + 1
    /// The minimum length of a leaf's body: prefix length, spare, last offset.
    static let leafFixedBytes = 2 + 2 + 2
}
