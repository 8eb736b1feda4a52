import CShims
@testable import FreeholdEngine

/// A file in memory to which index trees are committed, and from which they are read back through checksums and validators.
final class IndexFile {
    private let file: MemoryFile
    private(set) var version: UInt64 = 0
    /// Blocks that the newest version can reach, by location, to compare with what commits free.
    private(set) var live: Set<UInt64> = []

    /// `validate` says what is wrong with a block when it is first touched.
    init(validate: @escaping @Sendable (BlockView) -> String? = { OrderedIndex.complaint(about: $0) }) {
        file = MemoryFile(pageLimit: 1 << 15, validate: validate)
    }

    var access: BlockAccess { file.access() }

    /// Gives the pending blocks below `root` their place, as a commit does; returns the root's reference in the file.
    func commit(_ root: BlockReference, _ pending: PendingBlocks) throws -> BlockReference {
        version += 1
        for freed in pending.freed { live.remove(freed.location) }
        return try place(root, pending)
    }

    private func place(_ reference: BlockReference, _ pending: PendingBlocks) throws -> BlockReference {
        if reference.isNull || !reference.isPending { return reference }
        let view = try pending.access.view(reference)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: reference.byteLength, alignment: 64)
        defer { bytes.deallocate() }
        let block = MutableBlock(start: bytes.baseAddress!)
        block.start.copyMemory(from: view.start, byteCount: reference.byteLength)
        for index in 0..<view.referenceCount { block.setReference(index, try place(view.reference(index), pending)) }
        let offset = file.length
        try file.write(UnsafeRawBufferPointer(bytes), at: offset)
        let location = (offset >> 6) << 16 | UInt64(reference.granuleCount)
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
