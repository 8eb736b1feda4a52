/// Compares two versions of a collection.
///
/// Blocks that both versions share are not read (`ListAlignment`). Of the rest, the elements at the beginning and end
/// that both have are set aside, and what remains is compared as sequences (`SequenceDifference`).
struct CollectionComparison {
    /// Elements of the old version that elements of the new one replace; one of the two ranges may be empty.
    struct Hunk: Equatable {
        let old: Range<Int>
        let new: Range<Int>
    }

    let old: ElementSource
    let new: ElementSource

    /// The differences, ascending; between two hunks, and around them, both versions hold the same elements.
    func hunks() throws(FreeholdError) -> [Hunk] {
        var hunks: [Hunk] = []
        for gap in try ListAlignment(old, new).gaps {
            if gap.old.positions.isEmpty || gap.new.positions.isEmpty {
                hunks.append(Hunk(old: gap.old.positions, new: gap.new.positions))
            } else {
                hunks += try self.hunks(ElementRun(gap.old, of: old), ElementRun(gap.new, of: new))
            }
        }
        return hunks
    }

    private func hunks(_ before: ElementRun, _ after: ElementRun) throws(FreeholdError) -> [Hunk] {
        let prefix = try before.commonPrefix(after), most = min(before.count, after.count) - prefix
        let suffix = try before.commonSuffix(after, atMost: most)
        let left = prefix..<before.count - suffix, right = prefix..<after.count - suffix
        if left.isEmpty && right.isEmpty { return [] }
        let from = (before.positions.lowerBound, after.positions.lowerBound)
        if left.isEmpty || right.isEmpty || left.count == 1 && right.count == 1 {
            return [Hunk(old: left.shifted(from.0), new: right.shifted(from.1))]
        }
        var numbers: [ElementKey: Int] = [:]
        func number(_ keys: [ElementKey]) -> [Int] {
            keys.map { key in
                if let number = numbers[key] { return number }
                numbers[key] = numbers.count
                return numbers.count - 1
            }
        }
        var keys = (try before.keys(left), try after.keys(right))
        if old.shape.isPlain { try spellOut(&keys, before, left.lowerBound, after, right.lowerBound) }
        let difference = SequenceDifference(number(keys.0), number(keys.1))
        var hunks: [Hunk] = [], (i, j) = (0, 0)
        for run in difference.runs + [SequenceDifference.Run(old: left.count, new: right.count, count: 0)] {
            if run.old > i || run.new > j {
                hunks.append(Hunk(old: (i..<run.old).shifted(from.0 + prefix), new: (j..<run.new).shifted(from.1 + prefix)))
            }
            (i, j) = (run.old + run.count, run.new + run.count)
        }
        return hunks
    }

    /// Reads long values whose block only one side has: a value written again may be the same.
    private func spellOut(_ keys: inout ([ElementKey], [ElementKey]), _ before: ElementRun, _ from: Int, _ after: ElementRun, _ other: Int) throws(FreeholdError) {
        let left = Set(keys.0.filter(\.isBlock)), right = Set(keys.1.filter(\.isBlock))
        if left.isSubset(of: right) || right.isSubset(of: left) { return }
        for (index, key) in keys.0.enumerated() where key.isBlock && !right.contains(key) { keys.0[index] = try before.wholeKey(from + index) }
        for (index, key) in keys.1.enumerated() where key.isBlock && !left.contains(key) { keys.1[index] = try after.wholeKey(other + index) }
    }

    // MARK: Whether there is a difference at all

    /// Whether two collections of one shape hold the same elements in the same order.
    static func areEqual(_ one: CollectionReader, _ other: CollectionReader) throws(FreeholdError) -> Bool {
        guard one.count == other.count else { return false }
        if one.shape.kind == .map {
            let keys = CollectionComparison(old: try ElementSource(keysOf: one), new: try ElementSource(keysOf: other))
            guard try keys.isSame() else { return false }
        }
        return try CollectionComparison(old: try ElementSource(one), new: try ElementSource(other)).isSame()
    }

    /// Whether both hold the same elements; they have the same number of elements.
    private func isSame() throws(FreeholdError) -> Bool {
        for gap in try ListAlignment(old, new).gaps {
            // Everything before is the same. An element in another position may still be the same, if elements repeat.
            guard gap.old.positions == gap.new.positions else { return try isSame(from: min(gap.old.positions.lowerBound, gap.new.positions.lowerBound)) }
            let run = try ElementRun(gap.old, of: old)
            guard try run.commonPrefix(ElementRun(gap.new, of: new)) == run.count else { return false }
        }
        return true
    }

    private func isSame(from start: Int) throws(FreeholdError) -> Bool {
        for position in start..<old.count {
            guard try old.isSame(try old.element(at: position), new, try new.element(at: position)) else { return false }
        }
        return true
    }
}

/// Comparison of maps, whose elements are identified by their keys.
extension CollectionComparison {
    /// The positions of keys that both versions of a map have with different values.
    ///
    /// Shared blocks of the trees of values were not touched, nor were their keys: only the gaps are read.
    ///
    /// - Parameter keys: the differences of the keys.
    func changedValues(_ keys: [Hunk]) throws(FreeholdError) -> [(old: Int, new: Int)] {
        var changed: [(old: Int, new: Int)] = []
        var next = 0, behind = (old: 0, new: 0)
        for gap in try ListAlignment(old, new).gaps {
            for position in gap.new.positions {
                while next < keys.count, keys[next].new.upperBound <= position {
                    behind = (keys[next].old.upperBound, keys[next].new.upperBound)
                    next += 1
                }
                if next < keys.count, keys[next].new.contains(position) { continue }
                let before = behind.old + position - behind.new
                if try !old.isSame(try old.element(at: before), new, try new.element(at: position)) { changed.append((before, position)) }
            }
        }
        return changed
    }
}

extension Range<Int> {
    func shifted(_ distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}
