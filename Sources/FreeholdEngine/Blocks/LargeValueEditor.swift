/// Changes a part of a large value: only the blocks that hold it, and those above them, are rewritten.
///
/// 1. The value's shape stays the one that its length determines, independent of its history.
/// 2. A value that grows in one transaction grows in place: a pending block is created with some room.
///
/// Safe throughout: writes stay within the body of a block of this transaction that was made with room for it.
struct LargeValueEditor {
    let table: UInt32
    let pending: PendingBlocks
    private(set) var root: BlockReference
    private(set) var length: Int

    /// - Throws: `.invalidArgument` for a value that the transaction itself took over from a stream.
    init(_ root: BlockReference, length: Int, table: UInt32, in pending: PendingBlocks) throws(FreeholdError) {
        if pending.isAttached(root) { throw pending.freshlyAttached }
        self.root = root
        self.length = length
        self.table = table
        self.pending = pending
    }

    /// Overwrites the bytes at `offset`, which is at most the value's length, and continues beyond its end.
    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FreeholdError) {
        let piece = LargeValuePiece(start: offset, bytes: bytes)
        if offset < length, !bytes.isEmpty { try store(piece, in: &root, 0..<length, span: LargeValue.span(length)) }
        if piece.range.upperBound > length { try extend(by: piece) }
    }

    /// Removes the bytes from `end` on, which is less than the value's length.
    mutating func truncate(to end: Int) throws(FreeholdError) {
        var span = LargeValue.span(length)
        try cut(&root, 0..<length, to: end, span: span)
        length = end
        while span > LargeValue.span(length) {
            let child = try pending.access.view(root).reference(0)
            pending.free(root)
            root = child
            span /= LargeValue.fanOut
        }
    }

    // MARK: overwriting

    private func store(_ piece: LargeValuePiece, in reference: inout BlockReference, _ range: Range<Int>, span: Int)
        throws(FreeholdError) {
        _ = try LargeValue.checked(reference, range, span: span, in: pending.access)
        let block = try pending.edit(&reference), part = piece.range.clamped(to: range)
        if span == 1 { return piece.copy(part, to: block.body + (part.lowerBound - range.lowerBound)) }
        for index in 0..<block.view.referenceCount {
            let below = LargeValue.child(index, of: range, span: span)
            if !below.overlaps(part) { continue }
            var child = block.view.reference(index)
            try store(piece, in: &child, below, span: span / LargeValue.fanOut)
            block.setReference(index, child)
        }
    }

    // MARK: growing

    private mutating func extend(by piece: LargeValuePiece) throws(FreeholdError) {
        var span = LargeValue.span(length)
        while true {
            let end = min(piece.range.upperBound, span * LargeValue.chunkBytes)
            try grow(&root, 0..<length, to: end, span: span, by: piece)
            length = end
            if end == piece.range.upperBound { return }
            let (above, block) = makeIndex(1)
            block.setReference(0, root)
            root = above
            span *= LargeValue.fanOut
        }
    }

    /// Makes the block that holds `range` hold everything up to `end`.
    private func grow(_ reference: inout BlockReference, _ range: Range<Int>, to end: Int, span: Int, by piece: LargeValuePiece)
        throws(FreeholdError) {
        if range.upperBound == end { return }
        let view = try LargeValue.checked(reference, range, span: span, in: pending.access)
        let whole = range.lowerBound..<end
        if span == 1 { return try growChunk(&reference, range, to: end, by: piece) }
        let old = view.referenceCount, new = LargeValue.childCount(whole.count, span: span)
        let block = try widen(&reference, from: old, to: new)
        var last = block.view.reference(old - 1)
        let before = LargeValue.child(old - 1, of: range, span: span), after = LargeValue.child(old - 1, of: whole, span: span)
        try grow(&last, before, to: after.upperBound, span: span / LargeValue.fanOut, by: piece)
        block.setReference(old - 1, last)
        for index in old..<new {
            let part = LargeValue.child(index, of: whole, span: span)
            block.setReference(index, piece.build(part, span: span / LargeValue.fanOut, table: table, in: pending))
        }
        block.body.storeBytes(of: UInt64(whole.count), as: UInt64.self)
    }

    private func growChunk(_ reference: inout BlockReference, _ range: Range<Int>, to end: Int, by piece: LargeValuePiece)
        throws(FreeholdError) {
        let count = end - range.lowerBound
        let block: MutableBlock
        if reference.isPending, BlockLayout.granules(references: 0, body: count) <= reference.granuleCount {
            block = try pending.edit(&reference)
        } else {
            let old = try pending.access.view(reference)
            let (made, room) = LargeValue.makeChunk(min(LargeValue.chunkBytes, max(count + count / 2, 8192)), table: table, in: pending)
            room.body.copyMemory(from: old.body, byteCount: range.count)
            pending.free(reference)
            reference = made
            block = room
        }
        block.setBodyLength(count)
        piece.copy(range.upperBound..<end, to: block.body + range.count)
    }

    /// The index block with room for more children, the new ones null. Its body is the caller's to store.
    private func widen(_ reference: inout BlockReference, from old: Int, to new: Int) throws(FreeholdError) -> MutableBlock {
        if new == old { return try pending.edit(&reference) }
        let block: MutableBlock
        if reference.isPending, BlockLayout.granules(references: new, body: 8) <= reference.granuleCount {
            block = try pending.edit(&reference)
            block.setReferenceCount(new)
            block.setCount(new)
        } else {
            let view = try pending.access.view(reference)
            let (made, room) = makeIndex(new)
            for index in 0..<old { room.setReference(index, view.reference(index)) }
            pending.free(reference)
            reference = made
            block = room
        }
        for index in old..<new { block.setReference(index, .null) }
        return block
    }

    private func makeIndex(_ count: Int) -> (BlockReference, MutableBlock) {
        let room = min(LargeValue.fanOut, max(count + count / 2, 16)) - count
        let (reference, block) = pending.make(.largeValueIndex, table: table, count: count, references: count,
                                              body: 8 + room * BlockReference.byteCount)
        block.setBodyLength(8)
        return (reference, block)
    }

    // MARK: shrinking

    private func cut(_ reference: inout BlockReference, _ range: Range<Int>, to end: Int, span: Int) throws(FreeholdError) {
        let view = try LargeValue.checked(reference, range, span: span, in: pending.access)
        let count = end - range.lowerBound
        if span == 1 { return try pending.edit(&reference).setBodyLength(count) }
        let kept = LargeValue.childCount(count, span: span)
        for index in kept..<view.referenceCount { try pending.freeTree(view.reference(index)) }
        let block = try pending.edit(&reference)
        let before = LargeValue.child(kept - 1, of: range, span: span)
        if before.upperBound > end {
            var last = block.view.reference(kept - 1)
            try cut(&last, before, to: end, span: span / LargeValue.fanOut)
            block.setReference(kept - 1, last)
        }
        block.setReferenceCount(kept)
        block.setCount(kept)
        block.body.storeBytes(of: UInt64(count), as: UInt64.self)
    }
}
