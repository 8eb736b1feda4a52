import CShims

/// The blocks that a write transaction creates or changes, in memory, until its commit gives them a place in the file.
///
/// 1. A committed block is never changed: `edit` copies it here first and records the original as freed.
/// 2. A pending block may be changed in place any number of times; it is written once, by the commit, and only
///    if it can still be reached from the top block.
/// 3. A rollback drops everything here; nothing of it was ever visible to another reader.
/// 4. Code that changes a pending block that it did not create itself calls `edit` for it, again after each new
///    savepoint: then the block's contents are kept for that savepoint first.
///
/// Safe throughout: blocks live in chunks owned by this object and freed with it; a block's memory has its full
/// granule count, and is zeros or a whole committed block before anyone gets it.
final class PendingBlocks {
    /// Resolves both committed and pending references.
    let access: BlockAccess
    // Safe (all exclusivity below): one transaction uses these blocks, on one thread, and nothing here re-enters them.
    @exclusivity(unchecked) var freed: [BlockReference] = []
    /// What a savepoint needs of blocks that were there before it (`PendingBlocks+Savepoints`).
    @exclusivity(unchecked) var undo = UndoLog()

    /// The version being written; 0 where it is not needed.
    @exclusivity(unchecked) var version: UInt64 = 0
    /// Values that were written to the file before this transaction (`PendingBlocks+Attached`).
    @exclusivity(unchecked) var attached: [AttachedValue] = []
    /// Whether the transaction ever had attached values.
    @exclusivity(unchecked) var hasAttached = false
    /// The error that stopped a change half way; nil while every change was made as a whole (`PendingBlocks+Interruption`).
    @exclusivity(unchecked) var interruption: FreeholdError?
    /// Finds the oldest version that is held.
    private let findOldestHeld: () -> UInt64
    @exclusivity(unchecked) private var knownOldestHeld: UInt64?

    let table: UnsafeMutablePointer<PendingTable>
    @exclusivity(unchecked) private(set) var capacity = 64
    @exclusivity(unchecked) var chunks: [UnsafeMutableRawPointer] = []
    @exclusivity(unchecked) var cursor = UnsafeMutableRawPointer(bitPattern: 64)!
    @exclusivity(unchecked) var remaining = 0

    private static let chunkBytes = 1 << 20
    /// A transaction that needs more than a few chunks gets longer ones, in large pages where the system has such: the
    /// first touches of ten thousand small ones are a good part of a bulk load's time in the system.
    private static let shortChunks = 4
    private static let longChunkBytes = 4 << 20
    private static let largePageBytes = 2 << 20

    /// - Parameter findOldestHeld: called once a transaction at most.
    init(reading access: BlockAccess, findOldestHeld: @escaping () -> UInt64 = { 0 }) {
        self.findOldestHeld = findOldestHeld
        table = .allocate(capacity: 1)
        table.initialize(to: PendingTable(blocks: .allocate(capacity: capacity), count: 0))
        self.access = access.with(pending: table)
    }

    deinit {
        for chunk in chunks { chunk.deallocate() }
        table.pointee.blocks.deallocate()
        table.deallocate()
    }

    /// Forgets all blocks, keeping the first chunk of memory for the next transaction.
    func reset() {
        for chunk in chunks.dropFirst() { chunk.deallocate() }
        chunks.removeSubrange(min(1, chunks.count)...)
        if let first = chunks.first {
            cursor = first
            remaining = Self.chunkBytes
        }
        table.pointee.count = 0
        undo.removeAll()
        attached.removeAll()
        hasAttached = false
        version = 0
        interruption = nil
        knownOldestHeld = nil
        freed.removeAll(keepingCapacity: freed.count < 4096)
        assert(checkInvariants(), "the invariants hold")
    }

    /// The oldest held version, determined on first use: a version that is not held then is never held again.
    var oldestHeld: UInt64 {
        let found = knownOldestHeld ?? findOldestHeld()
        knownOldestHeld = found
        return found
    }

    /// Pending blocks made so far, reachable or not.
    var count: Int { Int(table.pointee.count) }

    /// A new block with room for so many references (null at first) and body bytes (zero at first).
    func make(_ kind: BlockKind, variant: UInt8 = 0, table number: UInt32 = 0, firstKey: Int64 = 0, count: Int = 0,
              references: Int = 0, body: Int) -> (BlockReference, MutableBlock) {
        let granules = BlockLayout.granules(references: references, body: body)
        precondition(granules <= BlockLayout.maximumGranules, "a block has at most 64 KiB; the caller must split before that")
        let (reference, start) = allocate(granules: granules)
        start.initializeMemory(as: UInt8.self, repeating: 0, count: granules * BlockLayout.granule)
        start.storeBytes(of: kind.rawValue, as: UInt8.self)
        start.storeBytes(of: variant, toByteOffset: BlockLayout.variant, as: UInt8.self)
        start.storeBytes(of: UInt16(references), toByteOffset: BlockLayout.referenceCount, as: UInt16.self)
        start.storeBytes(of: UInt32(count), toByteOffset: BlockLayout.count, as: UInt32.self)
        start.storeBytes(of: UInt32(body), toByteOffset: BlockLayout.bodyLength, as: UInt32.self)
        start.storeBytes(of: number, toByteOffset: BlockLayout.table, as: UInt32.self)
        start.storeBytes(of: firstKey, toByteOffset: BlockLayout.firstKey, as: Int64.self)
        return (reference, MutableBlock(start: start))
    }

    /// The block behind `reference`, to be changed in place: itself if pending, else a copy that replaces it.
    /// The caller stores the new value of `reference` in the parent.
    func edit(_ reference: inout BlockReference) throws(FreeholdError) -> MutableBlock {
        let view = try access.view(reference)
        if reference.isPending {
            if reference.granuleIndex < undo.protected { undo.keep(reference, view) }
            return MutableBlock(start: UnsafeMutableRawPointer(mutating: view.start))
        }
        if reference.birth == version { throw freshlyAttached }
        let (copy, start) = allocate(granules: reference.granuleCount)
        start.copyMemory(from: view.start, byteCount: reference.byteLength)
        free(reference)
        reference = copy
        return MutableBlock(start: start)
    }

    /// Records that `reference` is no longer part of the new version (its children are the caller's business).
    func free(_ reference: BlockReference) {
        // What was written for this very version was never part of another one.
        if !reference.isNull && !reference.isPending && reference.birth != version { freed.append(reference) }
    }

    /// Frees `reference` and everything below it.
    ///
    /// - Parameter skipsDamage: whether what lies below a damaged block stays in use, instead of an error.
    func freeTree(_ reference: BlockReference, skipsDamage: Bool = false) throws(FreeholdError) {
        if reference.isNull { return }
        // Every block has one parent: a walk that meets more blocks than exist follows blocks that share children.
        var left = Int(clamping: access.fileLength) / BlockLayout.granule + count
        var open = [reference]
        while let next = open.popLast() {
            if next.isNull { continue }
            left -= 1
            let view: BlockView
            do throws(FreeholdError) { view = try access.view(next) } catch {
                guard skipsDamage, error.code == .corrupt else { throw error }
                free(next)
                continue
            }
            guard left >= 0 else {
                throw FreeholdError(.corrupt, "the tree of blocks below byte \(reference.byteOffset) has more of them "
                    + "than the file; run `freehold check`", path: access.path)
            }
            for index in 0..<view.referenceCount { open.append(view.reference(index)) }
            free(next)
        }
    }

    private func allocate(granules: Int) -> (BlockReference, UnsafeMutableRawPointer) {
        let bytes = granules * BlockLayout.granule
        if bytes > remaining { addChunk() }
        let start = cursor
        cursor += bytes
        remaining -= bytes
        let index = table.pointee.count
        if index == capacity { growTable() }
        table.pointee.blocks[Int(index)] = start
        table.pointee.count = index + 1
        assert(checkInvariants(), "the invariants hold")
        let location = BlockReference.pendingBit | index << 16 | UInt64(granules)
        return (BlockReference(location: location, birth: 0, check: 0, tag: 0), start)
    }

    /// The bytes in the chunk with this number.
    static func length(ofChunk number: Int) -> Int { number >= shortChunks ? longChunkBytes : chunkBytes }

    private func addChunk() {
        let isLong = chunks.count >= Self.shortChunks, bytes = Self.length(ofChunk: chunks.count)
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: isLong ? Self.largePageBytes : BlockLayout.granule)
        if isLong { freehold_shim_prefer_large_pages(chunk, bytes) }
        chunks.append(chunk)
        cursor = chunk
        remaining = bytes
    }

    private func growTable() {
        let grown = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: capacity * 2)
        grown.update(from: table.pointee.blocks, count: capacity)
        table.pointee.blocks.deallocate()
        table.pointee.blocks = grown
        capacity *= 2
    }
}
