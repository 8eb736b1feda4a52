/// Values too long for a leaf: a tree of blocks that hold nothing but the value's bytes.
///
/// A value of at most `chunkBytes` is one `largeValue` block; a longer one is a `largeValueIndex` block whose
/// children are such blocks, or further index blocks, every one but the last of a level full. An index block's
/// body is the number of bytes below it (u64).
///
/// Safe throughout: reads stay within a view's checked body length; writes within the block just made.
enum LargeValue {
    static let chunkBytes = 60 * 1024
    static let fanOut = 1024
    /// The longest value: 4 GiB less a byte.
    static let maximumBytes = Int(UInt32.max)

    /// Stores `bytes`, returning the reference to keep; an empty value is one empty block.
    static func write(_ bytes: UnsafeRawBufferPointer, table: UInt32, in pending: PendingBlocks) -> BlockReference {
        LargeValuePiece(start: 0, bytes: bytes).build(0..<bytes.count, span: span(bytes.count), table: table, in: pending)
    }

    /// All bytes of the value at `reference`.
    static func read(_ reference: BlockReference, in access: BlockAccess) throws(FreeholdError) -> [UInt8] {
        try read(reference, part: 0..<Int.max, in: access)
    }

    /// The bytes of the value at the positions `part`. Reads the blocks that contain them, and those above.
    static func read(_ reference: BlockReference, part: Range<Int>, in access: BlockAccess) throws(FreeholdError) -> [UInt8] {
        let view = try access.view(reference)
        var length = view.bodyLength
        if view.kind == .largeValueIndex {
            let claimed = view.body.load(as: UInt64.self)
            // Blocks have one parent each, so no value is longer than the file (or what is yet to be written to it).
            let limit = reference.isPending ? UInt64(maximumBytes) : access.fileLength
            guard claimed > chunkBytes, claimed <= limit else { throw damaged(reference) }
            length = Int(claimed)
        }
        var bytes: [UInt8] = []
        let part = part.clamped(to: 0..<length)
        bytes.reserveCapacity(part.count)
        try append(reference, 0..<length, part, span: span(length), to: &bytes, in: access)
        return bytes
    }

    /// Appends the bytes of `range`, which the block holds by itself (`span` 1) or through children of a `fanOut`th of
    /// its span of chunks.
    private static func append(_ reference: BlockReference, _ range: Range<Int>, _ wanted: Range<Int>, span: Int,
                               to bytes: inout [UInt8], in access: BlockAccess) throws(FreeholdError) {
        let view = try checked(reference, range, span: span, in: access)
        if span == 1 {
            let part = wanted.clamped(to: range)
            bytes.append(contentsOf: UnsafeRawBufferPointer(start: view.body + (part.lowerBound - range.lowerBound), count: part.count))
            return
        }
        for index in 0..<view.referenceCount {
            let part = child(index, of: range, span: span)
            if !part.overlaps(wanted) { continue }
            try append(view.reference(index), part, wanted, span: span / fanOut, to: &bytes, in: access)
        }
    }

    /// Whether the blocks that a block refers to are chunks of a value.
    static func hasChunks(_ view: BlockView) -> Bool {
        view.kind == .largeValueIndex && view.body.load(as: UInt64.self) <= UInt64(fanOut * chunkBytes)
    }

    // MARK: shape

    /// Number of chunks for which the top block of a value of `length` bytes has room: 1, or a power of `fanOut`.
    static func span(_ length: Int) -> Int {
        var span = 1
        while span * chunkBytes < length { span *= fanOut }
        return span
    }

    /// Number of children of a block that holds `length` bytes.
    static func childCount(_ length: Int, span: Int) -> Int {
        let step = span / fanOut * chunkBytes
        return max(1, (length + step - 1) / step)
    }

    /// The bytes of a child of the block that holds `range`.
    static func child(_ index: Int, of range: Range<Int>, span: Int) -> Range<Int> {
        let step = span / fanOut * chunkBytes, start = range.lowerBound + index * step
        return start..<min(start + step, range.upperBound)
    }

    /// The block, if it has the shape that the bytes it holds ask for. A value's length decides the shape of its tree: any
    /// other is damage, so blocks that share children cannot make a walk longer than the value.
    static func checked(_ reference: BlockReference, _ range: Range<Int>, span: Int, in access: BlockAccess)
        throws(FreeholdError) -> BlockView {
        let view = try access.view(reference)
        let fits = span == 1 ? view.kind == .largeValue && view.bodyLength == range.count
            : view.kind == .largeValueIndex && view.referenceCount == childCount(range.count, span: span)
        guard fits else { throw damaged(reference) }
        return view
    }

    private static func damaged(_ reference: BlockReference) -> FreeholdError {
        FreeholdError(.corrupt, "the block at byte \(reference.byteOffset) should hold part of a large value")
    }
}
