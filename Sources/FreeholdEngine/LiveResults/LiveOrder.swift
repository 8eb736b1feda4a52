/// Keys in an order that changes bit by bit, in pieces, so that a key is put in or taken out without moving all that follow.
struct LiveOrder {
    /// Keys of a piece; one of more than twice as many is cut in two.
    private static let pieceLength = 512
    /// None is empty, unless it is the only one.
    private var pieces: [[ObjectKey]]
    private(set) var count: Int

    init(_ keys: [ObjectKey]) {
        count = keys.count
        pieces = stride(from: 0, to: keys.count, by: Self.pieceLength).map { Array(keys[$0..<min($0 + Self.pieceLength, keys.count)]) }
        if pieces.isEmpty { pieces = [[]] }
    }

    var keys: [ObjectKey] { keys(in: 0..<count) }

    subscript(position: Int) -> ObjectKey {
        let (piece, offset) = place(position)
        return pieces[piece][offset]
    }

    func keys(in range: Range<Int>) -> [ObjectKey] {
        if range.isEmpty { return [] }
        var (piece, offset) = place(range.lowerBound)
        var keys: [ObjectKey] = []
        keys.reserveCapacity(range.count)
        while keys.count < range.count {
            keys += pieces[piece][offset...].prefix(range.count - keys.count)
            piece += 1
            offset = 0
        }
        return keys
    }

    /// Where a key stands or would stand.
    ///
    /// - Parameter order: below 0 if what is looked for stands before the given key, 0 if it is that one, above 0 if behind.
    func find(_ order: (ObjectKey) throws(FreeholdError) -> Int) throws(FreeholdError) -> (position: Int, isFound: Bool) {
        // The last piece that does not begin behind it.
        var low = 0, high = pieces.count
        while high - low > 1 {
            let middle = (low + high) / 2
            let side = try order(pieces[middle][0])
            if side == 0 { return (start(of: middle), true) }
            if side < 0 { high = middle } else { low = middle }
        }
        let piece = pieces[low], start = start(of: low)
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
        let (piece, offset) = place(position)
        pieces[piece].remove(at: offset)
        count -= 1
        if pieces[piece].isEmpty, pieces.count > 1 { pieces.remove(at: piece) }
    }

    mutating func insert(_ key: ObjectKey, at position: Int) {
        let (piece, offset) = place(position)
        pieces[piece].insert(key, at: offset)
        count += 1
        guard pieces[piece].count > 2 * Self.pieceLength else { return }
        let rest = Array(pieces[piece][Self.pieceLength...])
        pieces[piece].removeSubrange(Self.pieceLength...)
        pieces.insert(rest, at: piece + 1)
    }

    private func start(of piece: Int) -> Int { pieces[..<piece].reduce(0) { $0 + $1.count } }

    /// The piece of a position, and where in it; the end is in the last piece.
    private func place(_ position: Int) -> (piece: Int, offset: Int) {
        var left = position
        for piece in pieces.indices {
            if left < pieces[piece].count || piece == pieces.count - 1 { return (piece, left) }
            left -= pieces[piece].count
        }
        return (0, 0)
    }
}
