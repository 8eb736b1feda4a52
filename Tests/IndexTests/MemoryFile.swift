import CShims
@testable import FreeholdEngine

/// A file of blocks in memory: enough of one to commit index trees and read them back through checksums and validators.
final class MemoryFile {
    private let memory: UnsafeMutableRawPointer
    private let touched: UnsafeMutablePointer<TouchedPage>
    private let verifier: Unmanaged<BlockVerifier>
    private var end = 4096
    private(set) var version: UInt64 = 0
    /// Blocks that the newest version can reach, by location, to compare with what commits free.
    private(set) var live: Set<UInt64> = []

    private static let pages = 1 << 15

    init() {
        memory = .allocate(byteCount: Self.pages << 12, alignment: 4096)
        let touchedBytes = Self.pages * MemoryLayout<TouchedPage>.stride
        let zeros = UnsafeMutableRawPointer.allocate(byteCount: touchedBytes, alignment: 16)
        zeros.initializeMemory(as: UInt8.self, repeating: 0, count: touchedBytes)
        touched = zeros.assumingMemoryBound(to: TouchedPage.self)
        verifier = .passRetained(BlockVerifier(
            path: "memory", measure: { UInt64(Self.pages << 12) }, validate: { OrderedIndex.complaint(about: $0) }))
    }

    deinit {
        memory.deallocate()
        UnsafeMutableRawPointer(touched).deallocate()
        verifier.release()
    }

    var access: BlockAccess {
        BlockAccess(base: UnsafeRawPointer(memory), touched: touched, pageLimit: UInt64(Self.pages), verifier: verifier, pending: nil)
    }

    /// Gives the pending blocks below `root` their place, as a commit does; returns the root's reference in the file.
    func commit(_ root: BlockReference, _ pending: PendingBlocks) throws -> BlockReference {
        version += 1
        for freed in pending.freed { live.remove(freed.location) }
        return try place(root, pending)
    }

    private func place(_ reference: BlockReference, _ pending: PendingBlocks) throws -> BlockReference {
        if reference.isNull || !reference.isPending { return reference }
        let view = try pending.access.view(reference)
        let block = MutableBlock(start: memory + end)
        end += reference.byteLength
        precondition(end <= Self.pages << 12, "the memory file is full")
        block.start.copyMemory(from: view.start, byteCount: reference.byteLength)
        for index in 0..<view.referenceCount { block.setReference(index, try place(view.reference(index), pending)) }
        let granule = UInt64(block.start - memory) >> 6
        let location = granule << 16 | UInt64(reference.granuleCount)
        live.insert(location)
        return BlockReference(location: location, birth: version,
                              check: freehold_shim_checksum(block.start, reference.byteLength), tag: 0)
    }

    /// The locations of all blocks below `root`.
    func reachable(_ root: BlockReference) throws -> Set<UInt64> {
        if root.isNull { return [] }
        let view = try access.view(root)
        var found: Set<UInt64> = [root.location]
        for index in 0..<view.referenceCount { found.formUnion(try reachable(view.reference(index))) }
        return found
    }
}
