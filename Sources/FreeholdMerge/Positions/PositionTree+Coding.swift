import FreeholdEngine

/// The tree as bytes: its runs in the order in which they began, then the pieces in the order of the list.
///
///     count · (first · count · flags · parent)… · count · (run · first · count)…
extension PositionTree {
    func encode(to encoder: SyncEncoder) {
        encoder.write(runs) { run in
            encoder.write(run.first)
            encoder.write(run.count)
            encoder.write(run.isBackward)
            encoder.write(run.isLeftChild)
            encoder.write(run.parent)
        }
        encoder.write(UInt64(pieces.count))
        order.forEach { index in
            let piece = pieces[Int(index)]
            encoder.write(piece.run)
            encoder.write(piece.first)
            encoder.write(piece.count)
        }
    }

    /// - Throws: `.corrupt` for bytes that no tree gives.
    init(from decoder: inout SyncDecoder) throws(FreeholdError) {
        let start = decoder.offset
        let read = try decoder.list("runs of a list") { inner throws(FreeholdError) in
            let first = try inner.identity(), count = UInt32(try inner.number(below: 1 << 32, "the length of a run"))
            let isBackward = try inner.truth("a direction"), isLeft = try inner.truth("a side")
            return StoredRun(first: first, count: count, isBackward: isBackward, isLeftChild: isLeft, parent: try inner.identity())
        }
        try readPieces(&decoder, read)
        guard hasWholeRuns(read) else { throw decoder.damaged("pieces of its runs", at: start) }
        for run in read {
            guard add(run) else { throw decoder.damaged("a run below one before it", at: start) }
        }
        fileChildren()
    }

    struct StoredRun {
        let first: SyncIdentity
        let count: UInt32
        let isBackward: Bool
        let isLeftChild: Bool
        let parent: SyncIdentity
    }

    private mutating func readPieces(_ decoder: inout SyncDecoder, _ read: [StoredRun]) throws(FreeholdError) {
        let place = decoder.offset, read = read.map(\.first)
        pieces = try decoder.list("pieces of a list") { inner throws(FreeholdError) in
            let run = Int32(try inner.number(below: UInt64(read.count), "the number of a run"))
            let first = try inner.number(below: SyncIdentity.maximumCount + 1, "the start of a piece")
            return Piece(run: run, first: first, count: UInt32(try inner.number(below: 1 << 32, "the length of a piece")))
        }
        guard pieces.count <= Int(Int32.max) else { throw decoder.damaged("fewer pieces", at: place) }
        for index in pieces.indices {
            let number = Int32(index)
            if index == 0 { order.insertFirst(0) } else { order.insert(number, after: number - 1) }
            piecesByReplica[read[Int(pieces[index].run)].replica, default: []].append(number)
        }
        for replica in Array(piecesByReplica.keys) {
            piecesByReplica[replica]!.sort { pieces[Int($0)].first < pieces[Int($1)].first }
        }
    }

    /// Whether each position of a run is in one piece (2), and no position in two runs.
    private func hasWholeRuns(_ read: [StoredRun]) -> Bool {
        var counts = [UInt64](repeating: 0, count: read.count)
        for list in piecesByReplica.values {
            var end: UInt64 = 1
            for index in list {
                let piece = pieces[Int(index)], run = read[Int(piece.run)]
                guard piece.count > 0, piece.first >= end, piece.first >= run.first.count,
                      piece.first + UInt64(piece.count) <= run.first.count + UInt64(run.count) else { return false }
                end = piece.first + UInt64(piece.count)
                counts[Int(piece.run)] += UInt64(piece.count)
            }
            guard end - 1 <= SyncIdentity.maximumCount else { return false }
        }
        return zip(counts, read).allSatisfy { $0 == UInt64($1.count) && $0 > 0 }
    }

    /// A run is attached to one before it, or to the root.
    private mutating func add(_ run: StoredRun) -> Bool {
        let place = place(of: run.parent)
        guard run.parent == .none || place.map({ $0.run < Int32(runs.count) }) == true else { return false }
        let index = addRun(run.first, parent: run.parent, place, isLeft: run.isLeftChild)
        runs[Int(index)].count = run.count
        runs[Int(index)].isBackward = run.isBackward
        return true
    }
}
