/// An arena for what a merge gathers before it writes nodes: memory is allocated in order and freed all at once.
///
/// Safe throughout: pieces lie in chunks owned by this object; a chunk stays where it is until `deinit`.
final class IndexArena {
    private var chunks: [UnsafeMutableRawBufferPointer] = []
    private var current = -1
    private var cursor = UnsafeMutableRawPointer(bitPattern: 64)!
    private var remaining = 0

    private static let chunkBytes = 1 << 16

    deinit { for chunk in chunks { chunk.deallocate() } }

    /// Frees everything; memory allocated before must not be used any more.
    func reset() {
        current = -1
        remaining = 0
    }

    /// Frees everything, and the memory but for the first chunks.
    func reset(keepingChunks kept: Int) {
        reset()
        while chunks.count > kept { chunks.removeLast().deallocate() }
    }

    /// Allocates that many bytes, unaligned.
    @inline(__always) func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        if byteCount > remaining { nextChunk(byteCount) }
        assert(byteCount >= 0 && byteCount <= remaining, "\(byteCount) of \(remaining) bytes are taken")
        let piece = cursor
        cursor += byteCount
        remaining &-= byteCount
        return piece
    }

    /// Returns the unused end of the most recent allocation.
    @inline(__always) func giveBack(_ byteCount: Int) {
        assert(byteCount >= 0 && current >= 0 && remaining + byteCount <= chunks[current].count, "more is given back than was taken")
        cursor -= byteCount
        remaining &+= byteCount
    }

    @inline(never) private func nextChunk(_ byteCount: Int) {
        current += 1
        if current == chunks.count {
            chunks.append(.allocate(byteCount: max(Self.chunkBytes, byteCount), alignment: 8))
        } else if chunks[current].count < byteCount {
            // A chunk that is too small is not in use: `reset` came before it was reached again.
            chunks[current].deallocate()
            chunks[current] = .allocate(byteCount: byteCount, alignment: 8)
        }
        cursor = chunks[current].baseAddress!
        remaining = chunks[current].count
    }
}
