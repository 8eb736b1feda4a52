/// What changed in a list between two versions of it.
///
/// ```swift
/// let changes = try change.listChanges(of: scores)
/// for range in changes.deletions.reversed() { shown.removeSubrange(range) }
/// for range in changes.insertions { shown.insert(contentsOf: try list.values(in: range), at: range.lowerBound) }
/// for part in changes.modifications { shown.replaceSubrange(part.new, with: try list.values(in: part.new)) }
/// ```
/// The three steps in this order turn the old list into the new one. What both versions hold in the same order is not
/// reported, however it was rewritten between them, as far as that can be seen at a cost that follows the change (see
/// the floor's README).
public struct ListChanges {
    /// Neighbouring elements that were replaced by equally many others, or collections that have changed.
    public struct Modification: Hashable, Sendable {
        /// Their positions in the old list.
        public let old: Range<Int>
        /// The positions of the present elements.
        public let new: Range<Int>
    }

    /// An element that moved from one position to another.
    public struct Move: Hashable, Sendable {
        /// The position in the old list, one of `deletions`.
        public let from: Int
        /// The position in the new list, one of `insertions`.
        public let to: Int
    }

    /// Positions of the old list whose elements were deleted, ascending.
    public private(set) var deletions: [Range<Int>] = []
    /// Positions of the new list whose elements were inserted, ascending.
    public private(set) var insertions: [Range<Int>] = []
    /// Replaced elements, ascending.
    public private(set) var modifications: [Modification] = []
    private let before: ElementSource
    private let after: ElementSource

    init(_ before: CollectionReader?, _ after: CollectionReader?, _ shape: CollectionShape, _ access: BlockAccess) throws(FreeholdError) {
        let before = try ElementSource(before, shape, access), after = try ElementSource(after, shape, access)
        self.before = before
        self.after = after
        for hunk in try CollectionComparison(old: before, new: after).hunks() {
            let common = min(hunk.old.count, hunk.new.count)
            try modify(hunk.old.prefix(common), hunk.new.prefix(common))
            if hunk.old.count > common { deletions.append(hunk.old.lowerBound + common..<hunk.old.upperBound) }
            if hunk.new.count > common { insertions.append(hunk.new.lowerBound + common..<hunk.new.upperBound) }
        }
    }

    /// Collections in each other's place may hold the same, though not in the same blocks.
    private mutating func modify(_ old: Range<Int>, _ new: Range<Int>) throws(FreeholdError) {
        if old.isEmpty { return }
        if before.shape.isPlain { return modifications.append(Modification(old: old, new: new)) }
        var start = 0
        for index in 0...old.count {
            if index < old.count {
                let element = try after.element(at: new.lowerBound + index)
                guard try before.isSame(try before.element(at: old.lowerBound + index), after, element) else { continue }
            }
            if index > start { modifications.append(Modification(old: (start..<index).shifted(old.lowerBound), new: (start..<index).shifted(new.lowerBound))) }
            start = index + 1
        }
    }

    /// Whether nothing has changed.
    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// Elements that are among the deletions and, with the same value, among the insertions. Reads each of these
    /// elements. Among equal ones the first deleted is paired with the first inserted.
    public func moves() throws(FreeholdError) -> [Move] {
        if deletions.isEmpty || insertions.isEmpty { return [] }
        var gone: [ElementKey: [Int]] = [:]
        for range in deletions.reversed() {
            for position in range.reversed() { gone[ElementKey(try before.element(at: position)), default: []].append(position) }
        }
        var moves: [Move] = []
        for range in insertions {
            for position in range {
                guard let from = gone[ElementKey(try after.element(at: position))]?.popLast() else { continue }
                moves.append(Move(from: from, to: position))
            }
        }
        return moves
    }
}
