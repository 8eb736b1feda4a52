import Platform

/// The encrypted runs of a commit, assembled in memory before they are written.
///
/// A block's tag is stored in its parent, so every block is encrypted before its parent; in the file they lie in
/// another order. So all of a commit's ciphertext is produced in memory, each block at its place in its run, and then
/// written.
///
/// Safe throughout: `place` gives each block room of its own in `memory`, which has `capacity` bytes.
final class SealedRuns {
    private let cipher: FileCipher
    // Safe (all exclusivity below): only the commit writer uses it, one call at a time.
    @exclusivity(unchecked) private var memory = UnsafeMutableRawPointer.allocate(byteCount: kept, alignment: BlockLayout.page)
    @exclusivity(unchecked) private var capacity = kept
    /// The offset of each placed block in memory, by pending index.
    @exclusivity(unchecked) private var places: [Int] = []
    @exclusivity(unchecked) private var runs: [(offset: UInt64, start: Int, count: Int)] = []

    /// Bytes of memory kept from one commit to the next.
    private static let kept = 1 << 20
    /// Maximum number of granules of a commit whose blocks stay decrypted.
    static let noted = kept / BlockLayout.granule

    init(_ cipher: FileCipher) { self.cipher = cipher }

    deinit { memory.deallocate() }

    /// Completes every block of the writer, children before parents: final references, zeros, ciphertext, tag.
    func seal(_ writer: CommitWriter, _ blocks: UnsafeMutablePointer<UnsafeMutableRawPointer>, _ access: BlockAccess)
        throws(FreeholdError) {
        place(writer)
        for index in 0..<writer.lasting.count { try seal(writer.lasting[index], writer, blocks, access) }
        for index in 0..<writer.passing.count { try seal(writer.passing[index], writer, blocks, access) }
    }

    private func place(_ writer: CommitWriter) {
        runs.removeAll(keepingCapacity: true)
        var end = 0, next: UInt64 = .max, largest = 0
        for position in 0..<writer.placed.count { largest = max(largest, writer.placed[position]) }
        if places.count <= largest { places = Array(repeating: 0, count: largest + 64) }
        for position in 0..<writer.placed.count {
            let index = writer.placed[position], reference = writer.final[index]
            if reference.byteOffset != next {
                end = finishRun(end)
                runs.append((reference.byteOffset, end, 0))
            }
            places[index] = end
            end += reference.byteLength
            next = reference.byteOffset + UInt64(reference.byteLength)
        }
        end = finishRun(end)
        assert(end % BlockLayout.page == 0 && runs.allSatisfy { $0.offset % UInt64(BlockLayout.page) == 0 }, "runs consist of whole pages (9)")
        makeRoom(end)
        // The bytes after the last block of a run are zeros.
        for run in runs {
            let tail = min(run.count, BlockLayout.page)
            (memory + run.start + run.count - tail).initializeMemory(as: UInt8.self, repeating: 0, count: tail)
        }
    }

    /// Rounds the last run up to whole pages.
    private func finishRun(_ end: Int) -> Int {
        guard let last = runs.last else { return end }
        let rounded = FileLayout.pages(holding: end)
        runs[runs.count - 1].count = rounded - last.start
        return rounded
    }

    private func makeRoom(_ wanted: Int) {
        if wanted <= capacity { return }
        memory.deallocate()
        capacity = wanted
        memory = .allocate(byteCount: wanted, alignment: BlockLayout.page)
    }

    private func seal(
        _ index: Int, _ writer: CommitWriter, _ blocks: UnsafeMutablePointer<UnsafeMutableRawPointer>, _ access: BlockAccess
    ) throws(FreeholdError) {
        let block = MutableBlock(start: blocks[index]), reference = writer.final[index]
        writer.finishReferences(of: block)
        let start = memory + places[index], used = block.view.usedLength
        access.checkBeforeWriting(block.view, byteLength: reference.byteLength - FileCipher.prefixLength)
        precondition(FileCipher.prefixLength + used <= reference.byteLength, "a block outgrew its place")
        (start + FileCipher.prefixLength).copyMemory(from: block.start, byteCount: used)
        (start + FileCipher.prefixLength + used).initializeMemory(
            as: UInt8.self, repeating: 0, count: reference.byteLength - FileCipher.prefixLength - used)
        let sealed = UnsafeMutableRawBufferPointer(start: start, count: reference.byteLength)
        do throws(SystemError) {
            (writer.final[index].check, writer.final[index].tag) = try cipher.seal(
                sealed, location: reference.location, birth: reference.birth)
        } catch { throw FreeholdError(error, "encrypt a block") }
    }

    /// Writes the runs, each with one call.
    func write(into sink: some CommitSink) throws(FreeholdError) -> Int {
        var written = 0
        for run in runs {
            if run.offset > sink.length { try sink.grow(to: run.offset) }
            try sink.write(UnsafeRawBufferPointer(start: memory + run.start, count: run.count), at: run.offset)
            written += run.count
        }
        if capacity > Self.kept {
            memory.deallocate()
            capacity = Self.kept
            memory = .allocate(byteCount: Self.kept, alignment: BlockLayout.page)
        }
        return written
    }
}
