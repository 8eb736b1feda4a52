/// The memory that merges of one thread use, one after the other: what takes its operations to many small trees allocates it once.
///
/// Safe: `page` is owned by this object and freed with it.
final class IndexWorkspace {
    /// Keys and postings of a leaf's new contents, and of those before the last flush.
    let arena = IndexArena(), otherArena = IndexArena()
    /// Keys of separators, until a merge ends.
    let separatorKeys = IndexArena()
    /// The memory in which nodes are laid out before they become blocks.
    let page = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 64)

    deinit { page.deallocate() }

    /// Prepares for the next merge; what a large one has allocated is freed.
    func reset() {
        arena.reset(keepingChunks: 1)
        otherArena.reset(keepingChunks: 1)
        separatorKeys.reset(keepingChunks: 1)
    }
}
