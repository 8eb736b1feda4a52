import CShims
import Platform
import Synchronization

/// Turns references into views: the one way to read a block.
///
/// A trivial value (no reference counting on the hot path) that holds the mapping's base, the table of blocks
/// already verified by this process, and, inside a write transaction, that transaction's pending blocks.
///
/// 1. A block is verified on first touch per process: checksum against its reference, then lengths and
///    structure. Later touches cost one lookup of 16 bytes.
/// 2. A hit needs the *birth* of the reference, so a page that was reused is verified anew.
/// 3. A page is never reused while a version that can see its old content is held, so two live references
///    never disagree about a page's birth.
///
/// Safe throughout: `base` covers `pageLimit` pages of reserved address space, `touched` one entry for each;
/// every reference is checked against that limit before anything is read. A pending reference has bit 63 set and so
/// lies beyond every limit.
struct BlockAccess: @unchecked Sendable {
    // Safe: the memory behind these pointers is owned by the open file, which outlives every access made from it.
    let base: UnsafeRawPointer
    let touched: UnsafeMutablePointer<TouchedPage>
    let pageLimit: UInt64
    /// The verifier behind the slow path.
    let verifier: Unmanaged<BlockVerifier>
    /// The transaction's blocks, or nil for a snapshot.
    let pending: UnsafeMutablePointer<PendingTable>?

    /// Resolves `reference` to its block, verified.
    @inline(__always)
    func view(_ reference: BlockReference) throws(FreeholdError) -> BlockView {
        let page = reference.location >> 22
        if page < pageLimit {
            let bit: UInt64 = 1 &<< ((reference.location >> 16) & 63)
            if (touched + Int(truncatingIfNeeded: page)).pointee.contains(bit, birth: reference.birth) {
                return BlockView(start: base + Int(truncatingIfNeeded: reference.byteOffset))
            }
        } else if let pending, reference.isPending, reference.granuleIndex < pending.pointee.count {
            return BlockView(start: UnsafeRawPointer(pending.pointee.blocks[Int(reference.granuleIndex)]))
        }
        return try viewSlowly(reference)
    }

    /// The block behind `reference` if this process has verified it already: for looking ahead, when an unverified one
    /// is better left to its reader.
    @inline(__always)
    func verified(_ reference: BlockReference) -> BlockView? {
        let page = reference.location >> 22
        guard page < pageLimit else { return nil }
        let bit: UInt64 = 1 &<< ((reference.location >> 16) & 63)
        guard (touched + Int(truncatingIfNeeded: page)).pointee.contains(bit, birth: reference.birth) else { return nil }
        return BlockView(start: base + Int(truncatingIfNeeded: reference.byteOffset))
    }

    /// Prefetches the first bytes of a block into the cache, unchecked: `lines` cache lines of 64 bytes.
    @inline(__always)
    func prefetch(_ reference: BlockReference, lines: Int) {
        guard reference.location >> 22 < pageLimit else { return }
        let start = base + Int(truncatingIfNeeded: reference.byteOffset)
        for line in 0..<lines { freehold_shim_prefetch(start + line &* 64) }
    }

    /// Prefetches a block that is read out of order, together with its entry in the table of verified blocks.
    @inline(__always)
    func approach(_ reference: BlockReference, lines: Int) {
        let page = reference.location >> 22
        guard page < pageLimit else { return }
        freehold_shim_prefetch(touched + Int(truncatingIfNeeded: page))
        prefetch(reference, lines: lines)
    }

    @inline(never)
    private func viewSlowly(_ reference: BlockReference) throws(FreeholdError) -> BlockView {
        try verifier.takeUnretainedValue().verify(reference, in: self)
    }

    /// Throws if what was read before may have been zeros in the place of the file's bytes (see `Mapping.hasFaulted`).
    /// Called after reads, before their result is used.
    func requireIntactMapping() throws(FreeholdError) { try verifier.takeUnretainedValue().requireIntactMapping() }

    /// The shadow in which an encrypted file's blocks are decrypted; nil without encryption.
    var shadow: Shadow? { verifier.takeUnretainedValue().shadow }

    /// Calls `body`, which keeps pointers to blocks while others read: no memory of a window is released meanwhile.
    @inline(__always)
    func keepingBlocks<R, Failure: Error>(_ body: () throws(Failure) -> R) throws(Failure) -> R {
        let window = verifier.takeUnretainedValue().window
        window?.enter()
        defer { window?.leave() }
        return try body()
    }

    /// Whether the file has a committed block's bytes, which were verified before, as they were written.
    ///
    /// Safe: as before.
    func isStillIntact(_ reference: BlockReference) -> Bool {
        if let shadow { return shadow.isIntact(reference) }
        return freehold_shim_checksum(base + Int(reference.byteOffset), reference.byteLength) == reference.check
    }

    /// The file's present length in bytes: no walk over committed blocks may exceed it, because each has one parent.
    var fileLength: UInt64 { verifier.takeUnretainedValue().fileLength }

    /// The system of the process, for libraries that are loaded on demand.
    var system: any System { verifier.takeUnretainedValue().system }

    /// The stemmings of that system.
    var stemmings: TextStemmings { verifier.takeUnretainedValue().stemmings }

    /// The file's path, for errors.
    var path: String { verifier.takeUnretainedValue().path }

    /// Notes a committed block, whose bytes are those at `block`, as verified.
    func noteVerified(_ reference: BlockReference, _ block: UnsafeRawPointer) {
        let page = reference.location >> 22
        assert(!reference.isNull && !reference.isPending && reference.birth > 0, "a block without a place is noted as verified")
        guard page < pageLimit else { return }
        if let shadow { return shadow.adopt(block, reference) }
        let bit: UInt64 = 1 &<< ((reference.location >> 16) & 63)
        (touched + Int(truncatingIfNeeded: page)).pointee.insert(bit, birth: reference.birth)
    }

    /// Returns this access extended by a transaction's pending blocks.
    func with(pending: UnsafeMutablePointer<PendingTable>) -> BlockAccess {
        BlockAccess(base: base, touched: touched, pageLimit: pageLimit, verifier: verifier, pending: pending)
    }
}

/// The verified blocks of one page in this process: their birth, and a bit for each granule at which a verified block
/// starts.
///
/// Used only in place, through a pointer into the touched table, whose fresh memory is all zeros.
struct TouchedPage: ~Copyable {
    private let birth: Atomic<UInt64>
    private let granules: Atomic<UInt64>

    @inline(__always) func contains(_ bit: UInt64, birth wanted: UInt64) -> Bool {
        birth.load(ordering: .acquiring) == wanted && granules.load(ordering: .acquiring) & bit != 0
    }

    /// The order of the three stores makes a concurrent `contains` see a miss or a true hit, never a false one.
    func insert(_ bit: UInt64, birth wanted: UInt64) {
        assert(bit != 0 && bit & (bit - 1) == 0, "a block starts at one granule")
        if birth.load(ordering: .acquiring) != wanted {
            granules.store(0, ordering: .releasing)
            birth.store(wanted, ordering: .releasing)
        }
        granules.bitwiseOr(bit, ordering: .releasing)
    }

    // What follows is for shadows, and happens under the lock of the page's stripe or while no snapshot or transaction
    // uses blocks.

    /// Marks a birth whose blocks were not looked up since. No version reaches that bit.
    private static let coolBit: UInt64 = 1 << 63

    /// Makes the next lookup of each block go to the shadow.
    func cool() {
        let known = birth.load(ordering: .relaxed)
        if known != 0 { birth.store(known | Self.coolBit, ordering: .relaxed) }
    }

    /// Undoes `cool`; true if the page was cool, with blocks of birth `wanted`.
    func warm(_ wanted: UInt64) -> Bool {
        guard birth.load(ordering: .relaxed) == wanted | Self.coolBit else { return false }
        birth.store(wanted, ordering: .releasing)
        return true
    }

    /// Forgets everything.
    func clear() {
        granules.store(0, ordering: .relaxed)
        birth.store(0, ordering: .releasing)
    }
}

/// The addresses of a transaction's pending blocks, by index.
struct PendingTable {
    var blocks: UnsafeMutablePointer<UnsafeMutableRawPointer>
    var count: UInt64
}
