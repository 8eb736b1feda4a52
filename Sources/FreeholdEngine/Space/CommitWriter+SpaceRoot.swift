/// The space root under construction: complete except for the runs of its record, which are known only once the blocks
/// are placed.
struct SpaceRootDraft {
    var index: Int
    var block: MutableBlock
    /// The position of the record's runs.
    var record: NumberWriter
    /// Bytes of the body before them.
    var bodyLength: Int
    /// Bytes before the block in the file.
    var prefix: Int

    /// Granules that the block takes if the record names `runs` runs.
    func granules(runs: Int) -> Int {
        let body = bodyLength + 2 + runs * SpaceRecord.maximumEntry
        return BlockLayout.granules(references: block.view.referenceCount, body: body, prefix: prefix)
    }
}

extension CommitWriter {
    /// Number of chunks at which the next commit folds.
    private static let chunksBeforeFold = 16
    /// Number of chunks that a fold leaves in the log, so that writers a few versions behind need not load the map
    /// again.
    private static let chunksKept = 4
    /// Maximum length of the space root in bytes: with a top block, a table root and a tail it fills one page.
    private static let rootBytes = 1536
    /// Maximum number of freed ranges in the space root. A commit that frees more records them in chunks of their own,
    /// `rangesInChunk` in each.
    private static let rangesInRoot = 40
    private static let rangesInChunk = 2700

    /// Creates the new space root and adds it, with the chunks and fold it needs, to the blocks to write. From here on
    /// the set of blocks that the commit frees is final.
    func makeSpaceRoot(_ pending: PendingBlocks, top: Int) throws(FreeholdError) -> SpaceRootDraft {
        let log = map.log, shrinkLine = map.shrinkLine
        let folds = log.chunkCount >= Self.chunksBeforeFold || log.isTrimmed || log.fold.lastPage >= shrinkLine
        let dropped = folds ? max(0, log.chunkCount - Self.chunksKept) : 0
        pending.free(log.reference)
        for chunk in 0..<dropped { pending.free(log.chunk(chunk)) }
        let base = dropped == 0 ? log.base : try base(dropping: dropped, pending)
        let fold = folds ? try makeFold(pending, shrinkLine) : log.fold
        var kept: [BlockReference] = []
        for chunk in dropped..<log.chunkCount { kept.append(try moved(log.chunk(chunk), shrinkLine, pending)) }
        try map.recordFreed(pending.freed)

        let overflows = map.freed.count > Self.rangesInRoot
        let closes = log.openRecords.count > 0 && (overflows || isFull(chunks: log.chunkCount - dropped))
        var chunks: [BlockReference] = []
        if closes { chunks.append(makeChunk(log.openRecords, first: log.openFirstVersion, pending)) }
        if overflows { makeRangeChunks(&chunks, pending) }
        for chunk in chunks { try enroll(chunk, pending) }

        let open = closes ? UnsafeRawBufferPointer(start: nil, count: 0) : log.openRecords
        let (reference, block) = pending.make(
            .spaceRoot, references: 1 + kept.count + chunks.count,
            body: SpaceLog.recordsOffset + open.count
                + SpaceRecord.bound(runs: SpaceMap.maximumRuns + 2 + attachedRuns, ranges: min(map.freed.count, Self.rangesInRoot)))
        block.setReference(0, fold)
        for (slot, chunk) in (kept + chunks).enumerated() { block.setReference(1 + slot, chunk) }
        let draft = fill(block, Int(reference.granuleIndex), open, foldVersion: folds ? map.version : log.foldVersion,
                         base: base, withRanges: !overflows)
        try enrollRoot(draft, reference, pending, top: top)
        return draft
    }

    /// Stores the body: versions, the open chunk's records, and the new record up to its runs.
    private func fill(_ block: MutableBlock, _ index: Int, _ open: UnsafeRawBufferPointer, foldVersion: UInt64,
                      base: UInt64, withRanges: Bool) -> SpaceRootDraft {
        // Safe: the block was made with room for all of this.
        let body = block.body, version = map.nextVersion
        body.storeBytes(of: foldVersion, toByteOffset: SpaceLog.foldVersionOffset, as: UInt64.self)
        body.storeBytes(of: base, toByteOffset: SpaceLog.baseOffset, as: UInt64.self)
        body.storeBytes(of: version, toByteOffset: SpaceLog.lastVersionOffset, as: UInt64.self)
        let first = open.count > 0 ? map.log.openFirstVersion : version
        block.setFirstKey(Int64(bitPattern: first))
        if let records = open.baseAddress {
            (body + SpaceLog.recordsOffset).copyMemory(from: records, byteCount: open.count)
        }
        var record = NumberWriter(at: body + SpaceLog.recordsOffset + open.count)
        record.append(version - (open.count > 0 ? map.log.lastVersion : first))
        record.append(ranges: withRanges ? map.freed.all : UnsafeBufferPointer(start: nil, count: 0))
        return SpaceRootDraft(index: index, block: block, record: record, bodyLength: record.next - body, prefix: prefix)
    }

    /// Completes the record, once the runs are known.
    func finish(_ draft: SpaceRootDraft) {
        var record = draft.record
        if map.taken.count > 1 { map.taken.sort { $0.page < $1.page } }
        assert(zip(map.taken.all, map.taken.all.dropFirst()).allSatisfy { $0.page + $0.pageCount <= $1.page }, "runs of one commit overlap")
        record.append(runs: map.taken.all)
        draft.block.setBodyLength(record.next - draft.block.body)
        assert(draft.block.view.usedLength + draft.prefix <= final[draft.index].byteLength, "the space root outgrew its place")
        if map.isTrimming { draft.block.setVariant(1) }
    }

    /// Whether the open chunk and one more record would make the space root too long.
    private func isFull(chunks: Int) -> Bool {
        BlockLayout.references + (1 + chunks) * BlockReference.byteCount + SpaceLog.recordsOffset
            + map.log.openRecords.count + 24 + 8 * map.freed.count > Self.rootBytes
    }

    // MARK: chunks and fold

    private func makeChunk(_ records: UnsafeRawBufferPointer, first: UInt64, _ pending: PendingBlocks) -> BlockReference {
        let (reference, block) = pending.make(.spaceChunk, firstKey: Int64(bitPattern: first), body: records.count)
        if let start = records.baseAddress { block.body.copyMemory(from: start, byteCount: records.count) }
        return reference
    }

    /// Creates chunks with this commit's freed ranges, as records without runs.
    private func makeRangeChunks(_ chunks: inout [BlockReference], _ pending: PendingBlocks) {
        for start in stride(from: 0, to: map.freed.count, by: Self.rangesInChunk) {
            let end = min(start + Self.rangesInChunk, map.freed.count)
            let bound = SpaceRecord.bound(runs: 0, ranges: end - start)
            let (reference, block) = pending.make(.spaceChunk, firstKey: Int64(bitPattern: map.nextVersion), body: bound)
            var record = NumberWriter(at: block.body)
            record.append(0)
            record.append(ranges: UnsafeBufferPointer(rebasing: map.freed.all[start..<end]))
            record.append(0)
            block.setBodyLength(record.next - block.body)
            chunks.append(reference)
        }
    }

    /// A chunk for the new version: itself, or a copy if it lies where the file is to be cut off.
    private func moved(_ chunk: BlockReference, _ shrinkLine: Int, _ pending: PendingBlocks) throws(FreeholdError)
        -> BlockReference {
        if chunk.lastPage < shrinkLine { return chunk }
        var copy = chunk
        _ = try pending.edit(&copy)
        try enroll(copy, pending)
        return copy
    }

    private func makeFold(_ pending: PendingBlocks, _ shrinkLine: Int) throws(FreeholdError) -> BlockReference {
        if map.log.isTrimmed { map.table.touch(map.table.count - 1) }
        var fold = SpaceFold(map: map, pending: pending, shrinkLine: shrinkLine)
        let root = try fold.make(pageCount: map.table.count)
        for block in fold.made { try enroll(block, pending) }
        map.folded = true
        return root
    }

    /// The version from which on the log is complete without its first `count` chunks.
    ///
    /// A version that freed much has chunks of its own before the one with its runs. If some of its chunks are dropped, a map
    /// that lacks the version can no longer catch up: it would miss what was freed.
    private func base(dropping count: Int, _ pending: PendingBlocks) throws(FreeholdError) -> UInt64 {
        let next = UInt64(bitPattern: try pending.access.view(map.log.chunk(count)).firstKey)
        let last = UInt64(bitPattern: try pending.access.view(map.log.chunk(count - 1)).firstKey)
        guard last <= next, next <= map.version else { throw map.damaged("the chunks of its log are in no order") }
        return max(last, next > 0 ? next - 1 : 0)
    }

    // MARK: order

    /// Adds a newly created block to the lasting ones.
    private func enroll(_ reference: BlockReference, _ pending: PendingBlocks) throws(FreeholdError) {
        let index = Int(reference.granuleIndex)
        reserve(index + 1)
        let view = BlockView(start: UnsafeRawPointer(try blocks(pending)[index]))
        lengths[index] = BlockLayout.granules(references: view.referenceCount, body: view.bodyLength, prefix: prefix)
        add(index, passes: false)
    }

    /// Puts the space root before the top block, which comes last, and stores its reference there.
    private func enrollRoot(_ draft: SpaceRootDraft, _ reference: BlockReference, _ pending: PendingBlocks, top: Int)
        throws(FreeholdError) {
        reserve(draft.index + 1)
        passing.removeLast()
        passing.append(draft.index)
        passing.append(top)
        MutableBlock(start: try blocks(pending)[top]).setReference(Self.spaceRootSlot, reference)
    }
}
