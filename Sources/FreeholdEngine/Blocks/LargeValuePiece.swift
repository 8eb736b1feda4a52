/// Bytes to be written into a large value, and their position in the value.
///
/// Safe throughout: callers ask only for bytes of `range`; blocks were created with room for them.
struct LargeValuePiece {
    let start: Int
    let bytes: UnsafeRawBufferPointer

    /// The positions in the value for which it has bytes.
    var range: Range<Int> { start..<start + bytes.count }

    /// Copies the bytes of `part` to `target`.
    func copy(_ part: Range<Int>, to target: UnsafeMutableRawPointer) {
        guard !part.isEmpty, let base = bytes.baseAddress else { return }
        target.copyMemory(from: base + (part.lowerBound - start), byteCount: part.count)
    }

    /// Creates the blocks of `range`, all of whose bytes it has.
    func build(_ range: Range<Int>, span: Int, table: UInt32, in pending: PendingBlocks) -> BlockReference {
        if span == 1 {
            let (reference, block) = LargeValue.makeChunk(range.count, table: table, in: pending)
            copy(range, to: block.body)
            return reference
        }
        let count = LargeValue.childCount(range.count, span: span)
        let (reference, block) = pending.make(.largeValueIndex, table: table, count: count, references: count, body: 8)
        for index in 0..<count {
            let part = LargeValue.child(index, of: range, span: span)
            block.setReference(index, build(part, span: span / LargeValue.fanOut, table: table, in: pending))
        }
        block.body.storeBytes(of: UInt64(range.count), as: UInt64.self)
        return reference
    }
}

extension LargeValue {
    /// Creates a chunk of `count` bytes.
    static func makeChunk(_ count: Int, table: UInt32, in pending: PendingBlocks) -> (BlockReference, MutableBlock) {
        pending.make(.largeValue, table: table, body: count)
    }

    /// Creates the index blocks above chunks that are in the file, or in the transaction, already.
    static func index(over chunks: [BlockReference], length: Int, table: UInt32, in pending: PendingBlocks) -> BlockReference {
        var level = chunks, span = 1
        while level.count > 1 {
            let bytes = span * chunkBytes
            span *= fanOut
            level = stride(from: 0, to: level.count, by: fanOut).map { start in
                let children = level[start..<min(start + fanOut, level.count)]
                let (reference, block) = pending.make(.largeValueIndex, table: table, count: children.count,
                                                      references: children.count, body: 8)
                for (index, child) in children.enumerated() { block.setReference(index, child) }
                let below = min(children.count * bytes, length - start * bytes)
                block.body.storeBytes(of: UInt64(below), as: UInt64.self)
                return reference
            }
        }
        return level[0]
    }
}
