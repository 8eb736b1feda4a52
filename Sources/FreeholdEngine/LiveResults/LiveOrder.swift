/// Keys in an order that changes incrementally. They are stored in pieces, so that an insertion or removal does not
/// move all keys after it.
struct LiveOrder {
    /// The number of keys of a piece; a piece of more than twice as many is split.
    private static let pieceLength = 512
    /// No piece is empty, unless it is the only one.
    private var pieces: [[ObjectKey]]
    /// The position of each piece's first key. Shifting the later ones is a sequential pass over memory, which a walk
    /// over the pieces would not be.
    private var starts: [Int]
    private(set) var count: Int

    init(_ keys: [ObjectKey]) {
        count = keys.count
        starts = Array(stride(from: 0, to: max(1, keys.count), by: Self.pieceLength))
        pieces = starts.map { Array(keys[$0..<min($0 + Self.pieceLength, keys.count)]) }
    }

    var keys: [ObjectKey] { keys(in: 0..<count) }

    subscript(position: Int) -> ObjectKey {
        let piece = piece(of: position)
        return pieces[piece][position - starts[piece]]
    }

    func keys(in range: Range<Int>) -> [ObjectKey] {
        if range.isEmpty { return [] }
        var piece = piece(of: range.lowerBound), offset = range.lowerBound - starts[piece]
        var keys: [ObjectKey] = []
        keys.reserveCapacity(range.count)
        while keys.count < range.count {
            keys += pieces[piece][offset...].prefix(range.count - keys.count)
            piece += 1
            offset = 0
        }
        return keys
    }

    /// The position of a key, or the position where it would be inserted.
    ///
    /// - Parameter order: negative if the wanted key comes before the given one, 0 if it is that one, positive if it
    ///   comes after.
    func find(_ order: (ObjectKey) throws(FreeholdError) -> Int) throws(FreeholdError) -> (position: Int, isFound: Bool) {
        // The last piece that does not begin after the wanted key.
        var low = 0, high = pieces.count
        while high - low > 1 {
            let middle = (low + high) / 2
            let side = try order(pieces[middle][0])
            if side == 0 { return (starts[middle], true) }
            if side < 0 { high = middle } else { low = middle }
        }
        let piece = pieces[low], start = starts[low]
        var first = 0, last = piece.count
        while first < last {
            let middle = (first + last) / 2
            let side = try order(piece[middle])
            if side == 0 { return (start + middle, true) }
            if side < 0 { last = middle } else { first = middle + 1 }
        }
        return (start + first, false)
    }

    mutating func remove(at position: Int) {
        let piece = piece(of: position)
        pieces[piece].remove(at: position - starts[piece])
        move(behind: piece, by: -1)
        guard pieces[piece].isEmpty, pieces.count > 1 else { return }
        pieces.remove(at: piece)
        starts.remove(at: piece)
    }

    mutating func insert(_ key: ObjectKey, at position: Int) {
        let piece = piece(of: position)
        pieces[piece].insert(key, at: position - starts[piece])
        move(behind: piece, by: 1)
        guard pieces[piece].count > 2 * Self.pieceLength else { return }
        let rest = Array(pieces[piece][Self.pieceLength...])
        pieces[piece].removeSubrange(Self.pieceLength...)
        pieces.insert(rest, at: piece + 1)
        starts.insert(starts[piece] + Self.pieceLength, at: piece + 1)
    }

    private mutating func move(behind piece: Int, by distance: Int) {
        count += distance
        for place in starts[(piece + 1)...].indices { starts[place] += distance }
    }

    /// The last piece that does not begin after a position; the end position is in the last piece.
    private func piece(of position: Int) -> Int {
        var low = 0, high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= position { low = middle } else { high = middle }
        }
        return low
    }
}
