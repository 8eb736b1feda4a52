/// Elements that stand one behind the other in a list, with consecutive identities at consecutive positions.
///
/// A run has one replica, so adding an offset to an identity only changes its count.
struct IdentityRun: Equatable {
    /// The identity of the first element.
    var first: SyncIdentity
    /// The identity of its position: the same, unless it was moved.
    var position: SyncIdentity
    var count: Int

    init(first: SyncIdentity, position: SyncIdentity, count: Int) {
        (self.first, self.position, self.count) = (first, position, count)
    }

    /// Elements at the positions that they were inserted at.
    init(_ first: SyncIdentity, count: Int) { self.init(first: first, position: first, count: count) }

    var last: SyncIdentity { first.advanced(by: count - 1) }
    var lastPosition: SyncIdentity { position.advanced(by: count - 1) }
    var identities: ClosedRange<UInt64> { first.rawValue...last.rawValue }
    var positions: ClosedRange<UInt64> { position.rawValue...lastPosition.rawValue }

    /// Some of its elements.
    func part(_ range: Range<Int>) -> IdentityRun {
        IdentityRun(first: first.advanced(by: range.lowerBound), position: position.advanced(by: range.lowerBound), count: range.count)
    }

    /// Adds the elements of a run that goes on with these; false if it does not.
    mutating func extend(by next: IdentityRun) -> Bool {
        guard next.first.follows(last), next.position.follows(lastPosition) else { return false }
        count += next.count
        return true
    }

    /// Whether all of its identities and positions are ones that a replica can give.
    var isPossible: Bool { count > 0 && first.hasRoom(for: count) && position.hasRoom(for: count) }
}

extension SyncIdentity {
    func advanced(by offset: Int) -> SyncIdentity { SyncIdentity(rawValue: rawValue + UInt64(offset)) }

    /// Whether it is the next one of the same replica.
    func follows(_ other: SyncIdentity) -> Bool { replica == other.replica && count == other.count + 1 }

    /// Whether this and those after it are identities of one replica.
    func hasRoom(for others: Int) -> Bool {
        count > 0 && replica > 0 && others > 0 && UInt64(others) <= Self.maximumCount - count + 1
    }
}

extension [IdentityRun] {
    /// Adds elements behind the others.
    mutating func append(joining next: IdentityRun) {
        if isEmpty || !self[count - 1].extend(by: next) { append(next) }
    }

    /// How many elements they are.
    var elements: Int { reduce(0) { $0 + $1.count } }
}
