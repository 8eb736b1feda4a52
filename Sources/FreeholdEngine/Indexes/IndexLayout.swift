/// The limits of an index tree and where the parts of its blocks stand (README.md draws them).
enum IndexLayout {
    /// The longest key.
    static let maximumKeyBytes = 65_536
    /// Of a longer key, this much stands in the node; the remainder stands in a block of its own.
    static let inlineKeyBytes = 4_096
    /// The most postings of one entry.
    static let chunkPostings = 256
    /// Whole bytes of a leaf's block, header included, beyond which it is split (one entry alone may take more).
    static let leafBytes = 2_048
    /// The most children of an inner node.
    static let fanOut = 64
    /// Whole bytes of an inner node's block beyond which it is split (two children always fit).
    static let innerBytes = 16_384
    /// The highest level of an inner node; leaves are level 0.
    static let maximumLevel = 31
    /// A leaf or inner node of fewer granules is merged with a neighbour when it has just been changed.
    static let underfullLeafGranules = 8
    /// A leaf and its neighbour are merged if they take no more granules together.
    static let mergedLeafGranules = 28
    static let underfullChildren = 16

    /// `BlockKind.indexLeaf`, variant 0: a leaf.
    static let leafVariant: UInt8 = 0
    /// `BlockKind.indexLeaf`, variant 1: what of a long key does not fit its node.
    static let remainderVariant: UInt8 = 1

    /// Key lengths up to this take one byte.
    static let shortLength = 253
    /// The length follows in two bytes.
    static let longLength: UInt8 = 254
    /// The length follows in two bytes, then in two the reference of the remainder.
    static let remainderLength: UInt8 = 255
    /// Bytes of a key after the prefix that stand in its head.
    static let headBytes = 4

    /// Bytes a leaf takes for each entry beside its heap: head, offset, count.
    static let leafSlotBytes = 4 + 2 + 1
    /// Bytes a leaf's body takes at least: prefix length, spare, last offset.
    static let leafFixedBytes = 2 + 2 + 2
}
