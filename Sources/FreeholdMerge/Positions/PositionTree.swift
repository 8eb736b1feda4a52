import FreeholdEngine

/// The positions of one list: a Fugue tree (Weidner, Kleppmann, arXiv 2305.00583). Deleted elements keep their positions.
///
/// A position is placed between the two that its writer saw beside it: as a left child of the right one if that stands below the left
/// one, or if it alone is of the same replica; else as a right child of the left one. (A device keeps no deleted elements. If one was
/// between the two, the right one can be elsewhere in the tree, and what others put there would part the two of one replica.)
///
/// Siblings are ordered by replica; those of one replica so that the later one is nearer to its parent.
///
///     tree:   a ─► b ─► c         a run: consecutive identities, each the right child of the one before (or each the left child)
///                  └─► x ─► y     another run, attached to b
///     order:  a b │ x y │ c       pieces: parts of runs, in the order of the list
///
/// 1. A run is never split; a piece is, when another stands between its positions.
/// 2. Every position of a run is in exactly one piece. `piecesByReplica` finds it by identity, in ascending order.
/// 3. What is below a position is contiguous in the order.
///
/// Cost: O(log n) to place a position without siblings, a piece of 20 bytes and a run of 40 for what is not typed on; typing on
/// costs no memory.
public struct PositionTree: Sendable {
    var runs: [Run] = []
    var pieces: [Piece] = []
    var order = PieceOrder()
    var piecesByReplica: [Int: [Int32]] = [:]
    private var leftChildren: [SyncIdentity: [Int32]] = [:]
    private var rightChildren: [SyncIdentity: [Int32]] = [:]

    /// Consecutive identities of one replica, each a child of the one before on the same side.
    struct Run {
        let first: SyncIdentity
        var count: UInt32 = 1
        /// Whether each is the left child of the one before; of one alone it is not decided.
        var isBackward = false
        let isLeftChild: Bool
        let parent: SyncIdentity
        /// The parent's run, or -1 at the root; the depth in runs; an ancestor farther up.
        let up: Int32
        let depth: Int32
        let jump: Int32
    }

    /// Positions of a run that are neighbours in the order: `first` and `count` by identity, whatever their direction.
    struct Piece {
        let run: Int32
        var first: UInt64
        var count: UInt32
    }

    /// The piece that holds a position.
    struct Place {
        let piece: Int32
        let run: Int32
    }

    public init() {}

    /// How many pieces the order has; for measurements.
    public var pieceCount: Int { pieces.count }

    /// Whether a position is there.
    public func contains(_ position: SyncIdentity) -> Bool { place(of: position) != nil }

    /// Places a position between two that are there, `.none` at the ends; one that is there already stays.
    public mutating func insert(_ position: SyncIdentity, left: SyncIdentity, right: SyncIdentity) {
        insert(position, left: left, right: right, isTree: true, prefersOwn: true)
    }

    /// Without a tree, for the test that shows why there is one, a position stands behind the left one.
    mutating func insert(_ position: SyncIdentity, left: SyncIdentity, right: SyncIdentity, isTree: Bool, prefersOwn: Bool) {
        guard position != .none, !contains(position) else { return }
        let left = contains(left) ? left : .none, right = contains(right) ? right : .none
        let isOwnOnRight = prefersOwn && right.replica == position.replica && left.replica != position.replica
        if isTree, right != .none, left == .none || isOwnOnRight || isBelow(right, left) {
            attach(position, to: right, isLeft: true, isTree: true)
        } else {
            attach(position, to: left, isLeft: false, isTree: isTree)
        }
    }

    // MARK: Finding

    /// The piece of a position, by binary search among those of its replica; the last one is tried first.
    func place(of position: SyncIdentity) -> Place? {
        guard position != .none, let list = piecesByReplica[position.replica] else { return nil }
        let count = position.count
        var low = 0, high = list.count
        if let last = list.last, pieces[Int(last)].first <= count { low = list.count - 1 }
        while high - low > 1 {
            let middle = (low + high) / 2
            if pieces[Int(list[middle])].first <= count { low = middle } else { high = middle }
        }
        let piece = pieces[Int(list[low])]
        guard count >= piece.first, count - piece.first < UInt64(piece.count) else { return nil }
        return Place(piece: list[low], run: piece.run)
    }

    /// Whether a position is another one, or in its subtree.
    func isBelow(_ position: SyncIdentity, _ above: SyncIdentity) -> Bool {
        guard let place = place(of: position), let top = self.place(of: above) else { return false }
        return isBelow(run: place.run, count: position.count, top.run, above.count)
    }

    private func isBelow(run: Int32, count: UInt64, _ top: Int32, _ topCount: UInt64) -> Bool {
        if run == top { return count >= topCount }
        let depth = runs[Int(top)].depth
        guard runs[Int(run)].depth > depth else { return false }
        var at = run
        while runs[Int(at)].depth > depth + 1 {
            let jump = runs[Int(at)].jump
            at = jump >= 0 && runs[Int(jump)].depth > depth ? jump : runs[Int(at)].up
        }
        return runs[Int(at)].up == top && runs[Int(at)].parent.count >= topCount
    }

    // MARK: Attaching

    private mutating func attach(_ position: SyncIdentity, to parent: SyncIdentity, isLeft: Bool, isTree: Bool) {
        let place = place(of: parent)
        if let place, isTree, extend(place, by: position, from: parent, isLeft: isLeft) { return }
        let siblings = siblings(of: parent, place, isLeft: isLeft)
        let at = isTree ? siblings.firstIndex { isOrdered(position, $0, isLeft: isLeft) } ?? siblings.count : 0
        let run = addRun(position, parent: parent, place, isLeft: isLeft)
        switch (isLeft, at) {
        case (false, 0): putPiece(run, position, after: parent)
        case (false, _): putPiece(run, position, after: lastBelow(siblings[at - 1]))
        case (true, siblings.count): putPiece(run, position, before: parent)
        case (true, _): putPiece(run, position, before: firstBelow(siblings[at]))
        }
        // The run's own continuation is a sibling without an entry.
        let own = place.flatMap { continuation(of: parent, $0, isLeft: isLeft) }
        let index = siblings[..<at].count { $0 != own }
        if isLeft {
            leftChildren[parent, default: []].insert(run, at: index)
        } else {
            rightChildren[parent, default: []].insert(run, at: index)
        }
    }

    /// Whether one child stands before another.
    private func isOrdered(_ one: SyncIdentity, _ other: SyncIdentity, isLeft: Bool) -> Bool {
        if one.replica != other.replica { return one.replica < other.replica }
        return isLeft ? one.count < other.count : one.count > other.count
    }

    /// Notes the runs below each position, in their order.
    mutating func fileChildren() {
        for index in runs.indices {
            let run = runs[index]
            if run.isLeftChild { leftChildren[run.parent, default: []].append(Int32(index)) }
            if !run.isLeftChild { rightChildren[run.parent, default: []].append(Int32(index)) }
        }
        leftChildren = leftChildren.mapValues { $0.sorted { isOrdered(runs[Int($0)].first, runs[Int($1)].first, isLeft: true) } }
        rightChildren = rightChildren.mapValues { $0.sorted { isOrdered(runs[Int($0)].first, runs[Int($1)].first, isLeft: false) } }
    }

    private func siblings(of parent: SyncIdentity, _ place: Place?, isLeft: Bool) -> [SyncIdentity] {
        var found = ((isLeft ? leftChildren : rightChildren)[parent] ?? []).map { runs[Int($0)].first }
        if let place, let own = continuation(of: parent, place, isLeft: isLeft) {
            found.insert(own, at: found.firstIndex { isOrdered(own, $0, isLeft: isLeft) } ?? found.count)
        }
        return found
    }

    private func continuation(of position: SyncIdentity, _ place: Place, isLeft: Bool) -> SyncIdentity? {
        let run = runs[Int(place.run)], offset = position.count - run.first.count
        guard offset + 1 < UInt64(run.count), run.isBackward == isLeft else { return nil }
        return SyncIdentity(rawValue: position.rawValue + 1)
    }

    /// Typing on: the position is the next one of the run that ends with its parent.
    private mutating func extend(_ place: Place, by position: SyncIdentity, from parent: SyncIdentity, isLeft: Bool) -> Bool {
        let run = runs[Int(place.run)]
        guard position.replica == parent.replica, position.count == parent.count + 1, run.count < .max,
              parent.count - run.first.count + 1 == UInt64(run.count), run.count == 1 || run.isBackward == isLeft,
              (isLeft ? leftChildren : rightChildren)[parent] == nil
        else { return false }
        runs[Int(place.run)].count += 1
        runs[Int(place.run)].isBackward = isLeft
        pieces[Int(place.piece)].count += 1
        return true
    }

    mutating func addRun(_ position: SyncIdentity, parent: SyncIdentity, _ place: Place?, isLeft: Bool) -> Int32 {
        let up = place?.run ?? -1
        var depth: Int32 = 0, jump: Int32 = -1
        if up >= 0 {
            // Myers' skew-binary ancestors: any ancestor is found in O(log depth) steps.
            let above = runs[Int(up)], far = above.jump
            depth = above.depth + 1
            let farDepth = far >= 0 ? runs[Int(far)].depth : -1, farther = far >= 0 ? runs[Int(far)].jump : -1
            let fartherDepth = farther >= 0 ? runs[Int(farther)].depth : -1
            jump = far >= 0 && above.depth - farDepth == farDepth - fartherDepth ? farther : up
        }
        runs.append(Run(first: position, isLeftChild: isLeft, parent: parent, up: up, depth: depth, jump: jump))
        return Int32(runs.count - 1)
    }

    // MARK: The order

    /// The last position below another one. What is below is contiguous, and a piece is below as a whole, but for the position's own.
    private func lastBelow(_ position: SyncIdentity) -> SyncIdentity {
        let start = place(of: position)!
        let last = order.last(from: start.piece) { isBelow(piece: $0, start.run, position) }
        return edge(of: last, lastShown(pieces[Int(last)]), below: position, start.run)
    }

    private func firstBelow(_ position: SyncIdentity) -> SyncIdentity {
        let start = place(of: position)!
        let first = order.first(from: start.piece) { isBelow(piece: $0, start.run, position) }
        return edge(of: first, firstShown(pieces[Int(first)]), below: position, start.run)
    }

    private func isBelow(piece: Int32, _ top: Int32, _ position: SyncIdentity) -> Bool {
        isBelow(run: pieces[Int(piece)].run, count: pieces[Int(piece)].first, top, position.count)
    }

    /// The position at one end of a piece; of the position's own piece, that end may be above it.
    private func edge(of piece: Int32, _ count: UInt64, below position: SyncIdentity, _ top: Int32) -> SyncIdentity {
        let run = pieces[Int(piece)].run
        guard isBelow(run: run, count: count, top, position.count) else { return position }
        return SyncIdentity(replica: runs[Int(run)].first.replica, count: count)
    }

    private func firstShown(_ piece: Piece) -> UInt64 {
        runs[Int(piece.run)].isBackward ? piece.first + UInt64(piece.count) - 1 : piece.first
    }

    private func lastShown(_ piece: Piece) -> UInt64 {
        runs[Int(piece.run)].isBackward ? piece.first : piece.first + UInt64(piece.count) - 1
    }

    private mutating func putPiece(_ run: Int32, _ position: SyncIdentity, after neighbour: SyncIdentity) {
        guard let place = place(of: neighbour) else { return order.insertFirst(addPiece(run, position)) }
        let piece = pieces[Int(place.piece)]
        if lastShown(piece) != neighbour.count {
            // Cut behind the neighbour in the order.
            splitPiece(place.piece, at: runs[Int(place.run)].isBackward ? neighbour.count : neighbour.count + 1)
        }
        let made = addPiece(run, position)
        order.insert(made, after: self.place(of: neighbour)!.piece)
    }

    private mutating func putPiece(_ run: Int32, _ position: SyncIdentity, before neighbour: SyncIdentity) {
        guard let place = place(of: neighbour) else { return }
        let piece = pieces[Int(place.piece)]
        if firstShown(piece) != neighbour.count {
            splitPiece(place.piece, at: runs[Int(place.run)].isBackward ? neighbour.count + 1 : neighbour.count)
        }
        let made = addPiece(run, position)
        order.insert(made, before: self.place(of: neighbour)!.piece)
    }

    /// Cuts a piece in two by identity: `count` begins the second one.
    private mutating func splitPiece(_ index: Int32, at count: UInt64) {
        let piece = pieces[Int(index)], kept = UInt32(count - piece.first)
        pieces[Int(index)].count = kept
        pieces.append(Piece(run: piece.run, first: count, count: piece.count - kept))
        let made = Int32(pieces.count - 1)
        fileByReplica(made)
        if runs[Int(piece.run)].isBackward { order.insert(made, before: index) } else { order.insert(made, after: index) }
    }

    private mutating func addPiece(_ run: Int32, _ position: SyncIdentity) -> Int32 {
        pieces.append(Piece(run: run, first: position.count, count: 1))
        let made = Int32(pieces.count - 1)
        fileByReplica(made)
        return made
    }

    private mutating func fileByReplica(_ piece: Int32) {
        let first = pieces[Int(piece)].first, replica = runs[Int(pieces[Int(piece)].run)].first.replica
        var low = 0, high = piecesByReplica[replica]?.count ?? 0
        if let list = piecesByReplica[replica], let last = list.last, pieces[Int(last)].first < first { low = high }
        while low < high {
            let middle = (low + high) / 2
            if pieces[Int(piecesByReplica[replica]![middle])].first < first { low = middle + 1 } else { high = middle }
        }
        piecesByReplica[replica, default: []].insert(piece, at: low)
    }
}
