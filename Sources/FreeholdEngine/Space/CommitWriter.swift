/// The result of a commit: the parts of its root that the space floor decides.
struct CommitOutcome: Equatable {
    /// The top block's final reference.
    var top: BlockReference
    /// The length of the file at the new version.
    var length: UInt64
    var bytesWritten: Int
    /// Blocks moved out of sparse pages on the way.
    var evacuatedBlocks: Int
}

/// Gives a transaction's pending blocks their place in the file and writes them.
///
/// The steps of a commit: **walk** the pending blocks that can be reached from the top block, children first →
/// **evacuate** blocks of sparse pages into what the last page has left → write the **space root**, which records what
/// is taken and freed, its own blocks included → **place** all blocks in page-aligned runs, long-lived ones first →
/// **seal** them from the leaves up (references, zeros after them, checksum) → **write** each run.
///
/// 1. The caller writes the version's record and then calls `map.apply()`; if anything fails, `map.discard()`.
/// 2. A block never crosses the end of a run, and every page written belongs to this commit alone.
/// 3. Blocks that can't be reached from the top are not written.
/// 4. Reference 1 of the top block is the space root; no other code sets or frees it.
/// 5. After a commit, reached pending blocks hold final references; the transaction must not go on with them.
///
/// Safe throughout: `lengths` and `final` have an entry for each pending block of the transaction at hand; block addresses come from
/// `PendingBlocks`, which keeps them valid.
final class CommitWriter {
    /// The place of the space root among the top block's references.
    static let spaceRootSlot = 1

    let map: SpaceMap
    // Safe (all exclusivity below): one commit at a time uses the writer, and nothing here re-enters it.
    /// The length of each block in granules, by pending index; 0 for blocks that the walk has not reached.
    @exclusivity(unchecked) var lengths: UnsafeMutablePointer<Int> = .allocate(capacity: 256)
    /// The final reference of each placed block, by pending index; without a check and tag until the block is sealed.
    @exclusivity(unchecked) var final: UnsafeMutablePointer<BlockReference> = .allocate(capacity: 256)
    @exclusivity(unchecked) private var capacity = 256
    /// Reached blocks, children first: those that stay, and those the next commits will replace.
    @exclusivity(unchecked) var lasting = NumberList()
    @exclusivity(unchecked) var passing = NumberList()
    /// The blocks in the order of the file.
    @exclusivity(unchecked) var placed = NumberList()
    @exclusivity(unchecked) var waitingForPlace = NumberList()
    @exclusivity(unchecked) var totalGranules = 0
    /// The sources of the values that this commit takes over (`CommitWriter+Attached`); `attachedRuns` is the number of
    /// runs in which they lie.
    @exclusivity(unchecked) var attachedSources: [AnyObject] = []
    @exclusivity(unchecked) var attachedRuns = 0
    let staging = StagingBuffer()
    /// The encrypted runs of the commit; nil without encryption.
    let sealed: SealedRuns?

    init(map: SpaceMap, cipher: FileCipher? = nil) {
        self.map = map
        sealed = cipher.map { SealedRuns($0) }
    }

    /// Bytes that each block needs in the file besides its own.
    var prefix: Int { sealed == nil ? 0 : FileCipher.prefixLength }

    deinit {
        lengths.deallocate()
        final.deallocate()
        lasting.deallocate()
        passing.deallocate()
        placed.deallocate()
        waitingForPlace.deallocate()
    }

    /// Writes the blocks reached from `top` as `version`; `held` is ascending. With `trimming`, the version may be
    /// shorter than the one before.
    func write(_ pending: PendingBlocks, top: BlockReference, version: UInt64, held: [UInt64], trimming: Bool = true,
               into sink: some CommitSink) throws(FreeholdError) -> CommitOutcome {
        guard top.isPending else { throw map.damaged("a commit without a new top block") }
        map.begin(version: version, held: held)
        let topIndex = Int(top.granuleIndex)
        try walk(pending, from: topIndex)
        let evacuated = try evacuate(pending, top: topIndex)
        if evacuated > 0 { try walk(pending, from: topIndex) }
        takeAttached(pending)
        let root = try makeSpaceRoot(pending, top: topIndex)
        try place(pending, root)
        if trimming { map.trim(to: map.trimmableLength(held: held)) }
        finish(root)
        if let sealed {
            try sealed.seal(self, try blocks(pending), pending.access)
        } else {
            try seal(pending)
        }
        map.stagedLog.copy(BlockView(start: UnsafeRawPointer(root.block.start)), as: final[root.index])
        let written: Int
        if let sealed { written = try sealed.write(into: sink) } else { written = try writeRuns(pending, into: sink) }
        if sink.length < map.length { try sink.grow(to: map.length) }
        assert(written % BlockLayout.page == 0, "a commit writes whole pages")
        assert(!final[topIndex].isPending && final[topIndex].birth == version, "the top block of version \(version) has no place")
        return CommitOutcome(top: final[topIndex], length: map.length, bytesWritten: written,
                             evacuatedBlocks: evacuated)
    }

    func blocks(_ pending: PendingBlocks) throws(FreeholdError) -> UnsafeMutablePointer<UnsafeMutableRawPointer> {
        guard let table = pending.access.pending else { throw map.damaged("pending blocks without their table") }
        return table.pointee.blocks
    }

    /// Makes room for `count` pending blocks. It is called before any of them is placed, so only lengths are kept.
    func reserve(_ count: Int) {
        if count <= capacity { return }
        let larger = max(count, capacity * 2), longer = UnsafeMutablePointer<Int>.allocate(capacity: larger)
        longer.update(from: lengths, count: capacity)
        lengths.deallocate()
        final.deallocate()
        lengths = longer
        final = .allocate(capacity: larger)
        capacity = larger
    }
}
