/// Values too long for a leaf: a tree of blocks that hold nothing but the value's bytes.
///
/// A value of at most `chunkBytes` is one `largeValue` block; a longer one is a `largeValueIndex` block whose
/// children are such blocks, or further index blocks, every one but the last of a level full. An index block's
/// body is the value's length (u64).
///
/// Safe throughout: reads stay within a view's checked body length; writes within the block just made.
enum LargeValue {
    static let chunkBytes = 60 * 1024
    static let fanOut = 1024

    /// Stores `bytes`, returning the reference to keep; an empty value is one empty block.
    static func write(_ bytes: UnsafeRawBufferPointer, table: UInt32, in pending: PendingBlocks) -> BlockReference {
        var level: [BlockReference] = []
        var offset = 0
        repeat {
            let length = min(chunkBytes, bytes.count - offset)
            let (reference, block) = pending.make(.largeValue, table: table, body: length)
            if length > 0 {
                block.body.copyMemory(from: bytes.baseAddress! + offset, byteCount: length)
            }
            level.append(reference)
            offset += length
        } while offset < bytes.count
        while level.count > 1 { level = group(level, total: bytes.count, table: table, in: pending) }
        return level[0]
    }

    private static func group(_ level: [BlockReference], total: Int, table: UInt32,
                              in pending: PendingBlocks) -> [BlockReference] {
        stride(from: 0, to: level.count, by: fanOut).map { start in
            let children = level[start..<min(start + fanOut, level.count)]
            let (reference, block) = pending.make(.largeValueIndex, table: table, count: children.count,
                                                  references: children.count, body: 8)
            for (index, child) in children.enumerated() { block.setReference(index, child) }
            block.body.storeBytes(of: UInt64(total), as: UInt64.self)
            return reference
        }
    }

    /// All bytes of the value at `reference`.
    static func read(_ reference: BlockReference, in access: BlockAccess) throws(FreeholdError) -> [UInt8] {
        try read(reference, part: 0..<Int.max, in: access)
    }

    /// Those of its bytes whose places lie in `part`. Costs the blocks they are in, and those above them.
    static func read(_ reference: BlockReference, part: Range<Int>, in access: BlockAccess) throws(FreeholdError) -> [UInt8] {
        let view = try access.view(reference)
        var length = view.bodyLength
        if view.kind == .largeValueIndex {
            let claimed = view.body.load(as: UInt64.self)
            // Blocks have one parent each, so no value is longer than the file (or what is yet to be written to it).
            let limit = reference.isPending ? UInt64(UInt32.max) : access.fileLength
            guard claimed > chunkBytes, claimed <= limit else { throw damaged(reference) }
            length = Int(claimed)
        }
        var bytes: [UInt8] = []
        let part = part.clamped(to: 0..<length)
        bytes.reserveCapacity(part.count)
        var span = 1
        while span * chunkBytes < length { span *= fanOut }
        try append(reference, 0..<length, part, span: span, to: &bytes, in: access)
        return bytes
    }

    /// Appends the bytes of `range`, which the block holds by itself (`span` 1) or through children of a `fanOut`th of
    /// its span of chunks. A value's length decides the shape of its tree: any other is damage, so blocks that share
    /// children cannot make the walk longer than the value.
    private static func append(_ reference: BlockReference, _ range: Range<Int>, _ wanted: Range<Int>, span: Int,
                               to bytes: inout [UInt8], in access: BlockAccess) throws(FreeholdError) {
        let view = try access.view(reference)
        if span == 1 {
            guard view.kind == .largeValue, view.bodyLength == range.count else { throw damaged(reference) }
            let part = wanted.clamped(to: range)
            bytes.append(contentsOf: UnsafeRawBufferPointer(start: view.body + (part.lowerBound - range.lowerBound), count: part.count))
            return
        }
        let step = span / fanOut * chunkBytes
        guard view.kind == .largeValueIndex, view.referenceCount == (range.count + step - 1) / step else { throw damaged(reference) }
        for index in 0..<view.referenceCount {
            let start = range.lowerBound + index * step
            let part = start..<min(start + step, range.upperBound)
            if part.overlaps(wanted) || wanted.isEmpty && range.isEmpty {
                try append(view.reference(index), part, wanted, span: span / fanOut, to: &bytes, in: access)
            }
        }
    }

    private static func damaged(_ reference: BlockReference) -> FreeholdError {
        FreeholdError(.corrupt, "the block at byte \(reference.byteOffset) should hold part of a large value")
    }
}
