import CShims

/// The head before a cluster's fields: which thread may read them.
@frozen public struct _FieldsHead {
    /// The only thread that may read the fields without a check; 0: none.
    @usableFromInline var thread: UInt

    /// Bytes before the first field: four times the bytes that an object has before its first property.
    @usableFromInline static var byteCount: Int { @inlinable get { 32 } }
}

/// How to read one property of the objects of a cluster: see `RowImage`. Without `words` there is no fast path.
@frozen public struct _Field {
    @usableFromInline var words: UnsafeRawPointer?
    @usableFromInline var base: Int64
    @usableFromInline var mask: UInt64
    @usableFromInline var shift: UInt64

    @usableFromInline static var byteCount: Int { @inlinable get { 32 } }

    init(words: UnsafeRawPointer?, base: Int64, mask: UInt64, shift: UInt64) {
        self.words = words
        self.base = base
        self.mask = mask
        self.shift = shift
    }

    /// The field's number at a position of the cluster.
    ///
    /// Safe: the engine made `words` for every position of the cluster, and an object's row is one of it.
    @inlinable @inline(__always)
    func number(_ words: UnsafeRawPointer, _ row: Int32) -> Int64 {
        let bit = UInt64(UInt32(bitPattern: row)) &<< shift
        let word = words.loadUnaligned(fromByteOffset: Int(truncatingIfNeeded: (bit &>> 6) &<< 3), as: UInt64.self)
        return base &+ Int64(bitPattern: (word &>> (bit & 63)) & mask)
    }
}
