/// A range of keys of a class whose objects cannot be reached from its root, because a block on the path to them is
/// destroyed.
struct Hole {
    enum Part { case table, clusters, tail }

    var part: Part
    /// The first key in the range.
    var low: Int64
    /// The key after the last one; nil if the range has no upper end.
    var high: Int64?
    /// The maximum birth of a block that belongs in the hole.
    var birth: UInt64
    /// The number of objects that belong in the hole, if the blocks around it state it.
    var objects: Int?

    var last: Int64 { high.map { $0 - 1 } ?? .max }

    func contains(_ key: Int64) -> Bool { key >= low && key <= last }
}

/// A set of key ranges that can be tested for a key.
struct KeyRanges {
    private var ranges: [ClosedRange<Int64>] = []

    func contains(_ key: Int64) -> Bool {
        let place = firstEnding(from: key)
        return place < ranges.count && ranges[place].lowerBound <= key
    }

    /// Adds a range, joining those it overlaps.
    mutating func insert(_ range: ClosedRange<Int64>) {
        let start = firstEnding(from: range.lowerBound)
        var end = start, joined = range
        while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
            joined = min(joined.lowerBound, ranges[end].lowerBound)...max(joined.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: CollectionOfOne(joined))
    }

    private func firstEnding(from key: Int64) -> Int {
        var low = 0, high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
