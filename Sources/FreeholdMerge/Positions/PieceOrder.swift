/// Numbers of pieces in the order of a list, in linked chunks of at most 256. A number is found by its chunk, which is kept by number.
///
/// Cost: a search of one chunk for each insertion; a chunk that is full is split in halves.
struct PieceOrder {
    private var chunks: [Chunk] = []
    private var chunkOf: [Int32] = []
    private var firstChunk: Int32 = -1

    private static let limit = 256

    private struct Chunk {
        var pieces: [Int32]
        var next: Int32
        var previous: Int32
    }

    mutating func insertFirst(_ piece: Int32) {
        guard firstChunk >= 0 else {
            chunks.append(Chunk(pieces: [piece], next: -1, previous: -1))
            firstChunk = 0
            return note(piece, 0)
        }
        insert(piece, in: firstChunk, at: 0)
    }

    mutating func insert(_ piece: Int32, after other: Int32) {
        let chunk = chunkOf[Int(other)]
        insert(piece, in: chunk, at: index(of: other, in: chunk) + 1)
    }

    mutating func insert(_ piece: Int32, before other: Int32) {
        let chunk = chunkOf[Int(other)]
        insert(piece, in: chunk, at: index(of: other, in: chunk))
    }

    func forEach<Failure>(_ body: (Int32) throws(Failure) -> Void) throws(Failure) {
        var at = firstChunk
        while at >= 0 {
            for piece in chunks[Int(at)].pieces { try body(piece) }
            at = chunks[Int(at)].next
        }
    }

    /// The last piece from one on, of which all between them fulfil a condition: chunk by chunk, then by bisection within one.
    func last(from piece: Int32, while isIn: (Int32) -> Bool) -> Int32 {
        var chunk = chunkOf[Int(piece)], low = index(of: piece, in: chunk)
        while chunks[Int(chunk)].next >= 0, isIn(chunks[Int(chunks[Int(chunk)].next)].pieces[0]) {
            chunk = chunks[Int(chunk)].next
            low = 0
        }
        let pieces = chunks[Int(chunk)].pieces
        var high = pieces.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if isIn(pieces[middle]) { low = middle } else { high = middle }
        }
        return pieces[low]
    }

    /// The first piece up to one, of which all between them fulfil a condition.
    func first(from piece: Int32, while isIn: (Int32) -> Bool) -> Int32 {
        var chunk = chunkOf[Int(piece)], high = index(of: piece, in: chunk)
        while chunks[Int(chunk)].previous >= 0, isIn(chunks[Int(chunks[Int(chunk)].previous)].pieces.last!) {
            chunk = chunks[Int(chunk)].previous
            high = chunks[Int(chunk)].pieces.count - 1
        }
        let pieces = chunks[Int(chunk)].pieces
        var low = -1
        while high - low > 1 {
            let middle = (low + high) / 2
            if isIn(pieces[middle]) { high = middle } else { low = middle }
        }
        return pieces[high]
    }

    private func index(of piece: Int32, in chunk: Int32) -> Int {
        let pieces = chunks[Int(chunk)].pieces
        // Typing goes on where it was: mostly at the end.
        return pieces.last == piece ? pieces.count - 1 : pieces.firstIndex(of: piece)!
    }

    private mutating func note(_ piece: Int32, _ chunk: Int32) {
        while chunkOf.count <= Int(piece) { chunkOf.append(-1) }
        chunkOf[Int(piece)] = chunk
    }

    private mutating func insert(_ piece: Int32, in chunk: Int32, at index: Int) {
        chunks[Int(chunk)].pieces.insert(piece, at: index)
        note(piece, chunk)
        if chunks[Int(chunk)].pieces.count > Self.limit { split(chunk) }
    }

    private mutating func split(_ chunk: Int32) {
        let made = Int32(chunks.count), next = chunks[Int(chunk)].next
        let moved = Array(chunks[Int(chunk)].pieces[(Self.limit / 2)...])
        chunks[Int(chunk)].pieces.removeSubrange((Self.limit / 2)...)
        chunks[Int(chunk)].next = made
        chunks.append(Chunk(pieces: moved, next: next, previous: chunk))
        if next >= 0 { chunks[Int(next)].previous = made }
        for piece in moved { chunkOf[Int(piece)] = made }
    }
}
