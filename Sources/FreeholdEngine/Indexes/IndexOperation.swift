/// One change of an index: 24 bytes, so that a million of them can be sorted in the cache.
struct IndexOperation {
    /// The key's first eight bytes as a big-endian number, padded with zeros.
    var prefix: UInt64
    var objectKey: Int64
    /// Offset of the key's bytes << 19 | length << 2 | same key as the operation before << 1 | remove.
    var packed: UInt64

    @inline(__always) init(prefix: UInt64, objectKey: Int64, offset: Int, length: Int, isRemoval: Bool) {
        self.prefix = prefix
        self.objectKey = objectKey
        packed = UInt64(truncatingIfNeeded: offset) << 19 | UInt64(truncatingIfNeeded: length) << 2 | (isRemoval ? 1 : 0)
    }

    /// An operation on the same key for another object.
    @inline(__always) func on(_ objectKey: Int64, isRemoval: Bool) -> IndexOperation {
        var operation = self
        operation.objectKey = objectKey
        operation.packed = packed & ~1 | (isRemoval ? 1 : 0)
        return operation
    }

    @inline(__always) var offset: Int { Int(truncatingIfNeeded: packed >> 19) }
    @inline(__always) var length: Int { Int(truncatingIfNeeded: packed >> 2 & 0x1ffff) }
    @inline(__always) var isRemoval: Bool { packed & 1 != 0 }

    /// Whether the stored bytes of the key are those of another operation's.
    @inline(__always) func hasKey(of other: IndexOperation) -> Bool { packed >> 2 == other.packed >> 2 }

    /// Set by sorting: the key is that of the operation before.
    @inline(__always) var repeatsKey: Bool {
        get { packed & 2 != 0 }
        set { packed = packed & ~2 | (newValue ? 2 : 0) }
    }
}
