import FreeholdEngine

extension PositionTree {
    /// Calls `body` with each position in order.
    public func forEach<Failure>(_ body: (SyncIdentity) throws(Failure) -> Void) throws(Failure) {
        try order.forEach { (index) throws(Failure) in
            let piece = pieces[Int(index)], run = runs[Int(piece.run)], replica = run.first.replica
            for offset in 0..<UInt64(piece.count) {
                let step = run.isBackward ? UInt64(piece.count) - 1 - offset : offset
                try body(SyncIdentity(replica: replica, count: piece.first + step))
            }
        }
    }

    /// The positions in order.
    public var positions: [SyncIdentity] {
        var found: [SyncIdentity] = []
        forEach { found.append($0) }
        return found
    }
}
