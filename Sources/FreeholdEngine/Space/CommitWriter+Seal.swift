import CShims

extension CommitWriter {
    /// Completes every block, children before parents: final references, zeros up to the granule, checksum.
    func seal(_ pending: PendingBlocks) throws(FreeholdError) {
        let blocks = try blocks(pending)
        for index in 0..<lasting.count { seal(lasting[index], blocks, pending.access) }
        for index in 0..<passing.count { seal(passing[index], blocks, pending.access) }
    }

    private func seal(_ index: Int, _ blocks: UnsafeMutablePointer<UnsafeMutableRawPointer>, _ access: BlockAccess) {
        let block = MutableBlock(start: blocks[index])
        finishReferences(of: block)
        let used = block.view.usedLength
        let length = final[index].byteLength
        precondition(used <= length, "a block outgrew its place")
        access.checkBeforeWriting(block.view, byteLength: length)
        (block.start + used).initializeMemory(as: UInt8.self, repeating: 0, count: length - used)
        final[index].check = freehold_shim_checksum(block.start, length)
    }

    /// Writes the final references to its children into a block.
    func finishReferences(of block: MutableBlock) {
        for slot in 0..<block.view.referenceCount {
            let child = block.view.reference(slot)
            if child.isPending {
                let own = final[Int(child.granuleIndex)]
                assert(lengths[Int(child.granuleIndex)] > 0 && own.birth == map.nextVersion, "a child of a written block is not written")
                assert(own.check != 0 || own.tag != 0, "a parent is sealed before its child")
                block.setReference(slot, own)
            }
        }
    }

    /// Notes the blocks just committed as verified: this process created them, and need not check them when it reads
    /// them. Call it only once they are committed: until then their places, under the same birth, may get other blocks.
    /// - Parameter pending: the transaction's blocks, still in memory.
    func noteVerified(_ pending: PendingBlocks, in access: BlockAccess) {
        guard let blocks = try? blocks(pending), sealed == nil || totalGranules <= SealedRuns.noted else { return }
        for position in 0..<placed.count { access.noteVerified(final[placed[position]], UnsafeRawPointer(blocks[placed[position]])) }
    }

    /// Writes the runs, each with one call (long ones in pieces), with zeros after the last block.
    func writeRuns(_ pending: PendingBlocks, into sink: some CommitSink) throws(FreeholdError) -> Int {
        let blocks = try blocks(pending)
        var next = 0, written = 0
        while next < placed.count {
            // A run's first block starts a page, and no block of another run follows it without a gap of its own.
            var offset = final[placed[next]].byteOffset
            assert(offset % UInt64(BlockLayout.page) == 0, "a run starts within a page (9)")
            if offset > sink.length { try sink.grow(to: offset) }
            staging.restart()
            repeat {
                let block = placed[next], length = final[block].byteLength
                if !staging.hasRoom(length) {
                    try sink.write(staging.bytes, at: offset)
                    offset += UInt64(staging.count)
                    written += staging.count
                    staging.restart()
                }
                staging.append(blocks[block], length)
                next += 1
            } while next < placed.count && final[placed[next]].byteOffset == offset + UInt64(staging.count)
            staging.fillPage(from: offset)
            try sink.write(staging.bytes, at: offset)
            written += staging.count
        }
        return written
    }
}

/// Memory in which a run is assembled before it is written.
///
/// Safe throughout: `count` never exceeds `capacity`; `append` follows a `hasRoom` that said so.
final class StagingBuffer {
    private static let capacity = 1 << 20
    private let start = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: BlockLayout.page)
    // Safe: only the commit writer uses it, one call at a time.
    @exclusivity(unchecked) private(set) var count = 0

    deinit { start.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    func restart() { count = 0 }

    /// Whether `length` more bytes fit, and after them the zeros that end a page.
    @inline(__always) func hasRoom(_ length: Int) -> Bool { count + length <= Self.capacity - BlockLayout.page }

    @inline(__always) func append(_ block: UnsafeMutableRawPointer, _ length: Int) {
        assert(hasRoom(length), "a block that does not fit the buffer")
        (start + count).copyMemory(from: block, byteCount: length)
        count += length
    }

    /// Adds zeros up to the end of the page in the file, if the buffer's first byte goes to `offset`.
    func fillPage(from offset: UInt64) {
        let over = Int(truncatingIfNeeded: offset) + count
        let zeros = (BlockLayout.page - over % BlockLayout.page) % BlockLayout.page
        (start + count).initializeMemory(as: UInt8.self, repeating: 0, count: zeros)
        count += zeros
        assert((Int(truncatingIfNeeded: offset) + count) % BlockLayout.page == 0 && count <= Self.capacity, "a run ends within a page (9)")
    }
}
