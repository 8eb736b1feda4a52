/// A checked, readable block: a pointer to its first byte, in the mapped file or in a transaction's memory.
///
/// Safe throughout: a view is only made by `BlockAccess`, which has verified checksum and lengths, so header,
/// references and body lie within mapped memory for as long as the snapshot (or transaction) behind it lives.
struct BlockView {
    let start: UnsafeRawPointer

    @inline(__always) init(start: UnsafeRawPointer) { self.start = start }

    @inline(__always) var kindByte: UInt8 { start.load(fromByteOffset: BlockLayout.kind, as: UInt8.self) }
    var kind: BlockKind? { BlockKind(rawValue: kindByte) }
    @inline(__always) var variant: UInt8 { start.load(fromByteOffset: BlockLayout.variant, as: UInt8.self) }
    @inline(__always) var referenceCount: Int {
        Int(start.load(fromByteOffset: BlockLayout.referenceCount, as: UInt16.self))
    }
    @inline(__always) var count: Int { Int(start.load(fromByteOffset: BlockLayout.count, as: UInt32.self)) }
    @inline(__always) var bodyLength: Int { Int(start.load(fromByteOffset: BlockLayout.bodyLength, as: UInt32.self)) }
    @inline(__always) var table: UInt32 { start.load(fromByteOffset: BlockLayout.table, as: UInt32.self) }
    @inline(__always) var firstKey: Int64 { start.load(fromByteOffset: BlockLayout.firstKey, as: Int64.self) }

    /// The body's first byte.
    @inline(__always) var body: UnsafeRawPointer {
        start + (BlockLayout.references + referenceCount * BlockReference.byteCount)
    }

    /// Number of bytes up to the body's end.
    @inline(__always) var usedLength: Int { BlockLayout.references + referenceCount * BlockReference.byteCount + bodyLength }

    /// Child `index`; the caller has checked it against `referenceCount`.
    @inline(__always) func reference(_ index: Int) -> BlockReference {
        assert(index >= 0 && index < referenceCount, "child \(index) of \(referenceCount)")
        return start.load(fromByteOffset: BlockLayout.references + index * BlockReference.byteCount, as: BlockReference.self)
    }
}

/// A block being written, in a transaction's memory. Layout as `BlockView`.
///
/// Safe throughout: made by `PendingBlocks`, which allocated `capacity` bytes for it and keeps them until the
/// transaction ends.
struct MutableBlock {
    let start: UnsafeMutableRawPointer

    @inline(__always) var view: BlockView { BlockView(start: UnsafeRawPointer(start)) }
    @inline(__always) var body: UnsafeMutableRawPointer { UnsafeMutableRawPointer(mutating: view.body) }

    @inline(__always) func setVariant(_ value: UInt8) {
        start.storeBytes(of: value, toByteOffset: BlockLayout.variant, as: UInt8.self)
    }
    @inline(__always) func setReferenceCount(_ value: Int) {
        assert(value >= 0 && BlockLayout.maximumBody(references: value) >= 0, "\(value) references fit no block")
        start.storeBytes(of: UInt16(value), toByteOffset: BlockLayout.referenceCount, as: UInt16.self)
    }
    @inline(__always) func setCount(_ value: Int) {
        start.storeBytes(of: UInt32(value), toByteOffset: BlockLayout.count, as: UInt32.self)
    }
    @inline(__always) func setBodyLength(_ value: Int) {
        assert(value >= 0 && value <= BlockLayout.maximumBody(references: view.referenceCount), "a body of \(value) bytes fits no block (8)")
        start.storeBytes(of: UInt32(value), toByteOffset: BlockLayout.bodyLength, as: UInt32.self)
    }
    @inline(__always) func setFirstKey(_ value: Int64) {
        start.storeBytes(of: value, toByteOffset: BlockLayout.firstKey, as: Int64.self)
    }
    @inline(__always) func setReference(_ index: Int, _ value: BlockReference) {
        assert(index >= 0 && index < view.referenceCount, "child \(index) of \(view.referenceCount)")
        start.storeBytes(of: value, toByteOffset: BlockLayout.references + index * BlockReference.byteCount,
                         as: BlockReference.self)
    }
}
