/// The changes in a sequence of objects, by position.
///
/// ```swift
/// for position in changes.deletions.reversed() { shown.remove(at: position) }
/// for position in changes.insertions { shown.insert(query[position], at: position) }
/// for position in changes.modificationsAfter { redraw(shown[position]) }
/// ```
/// An object that moved among the others is deleted and inserted.
public struct PositionChanges: Hashable, Sendable {
    /// Positions of deleted objects in the old sequence, ascending.
    public var deletions: [Int] = []
    /// Positions of inserted objects in the new sequence, ascending.
    public var insertions: [Int] = []
    /// Positions in the old sequence of objects that stayed and were modified, ascending.
    public var modifications: [Int] = []

    public init(deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = []) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
    }

    /// Whether there are no changes.
    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// The positions of the modified objects in the new sequence, ascending.
    public var modificationsAfter: [Int] {
        var gone = deletions[...], made = insertions[...]
        return modifications.map { old in
            while let first = gone.first, first < old { gone = gone.dropFirst() }
            var position = old - (deletions.count - gone.count) + (insertions.count - made.count)
            while let first = made.first, first <= position {
                made = made.dropFirst()
                position += 1
            }
            return position
        }
    }
}

extension PositionChanges {
    /// The changes between two sequences of keys.
    ///
    /// - Parameters:
    ///   - replaced: keys that belong to another object now.
    ///   - modified: the keys of the objects that changed, if they stayed.
    public init(from old: [ObjectKey], to new: [ObjectKey], replaced: Set<ObjectKey>, modified: Set<ObjectKey>) {
        self.init()
        var start = 0
        while start < min(old.count, new.count), old[start] == new[start], !replaced.contains(old[start]) { start += 1 }
        var end = 0
        while end < min(old.count, new.count) - start, old[old.count - 1 - end] == new[new.count - 1 - end],
              !replaced.contains(old[old.count - 1 - end]) { end += 1 }
        var places: [ObjectKey: Int] = [:]
        for place in start..<new.count - end where !replaced.contains(new[place]) { places[new[place]] = place }
        var common: [(old: Int, new: Int)] = []
        for place in start..<old.count - end {
            if let now = places[old[place]] { common.append((place, now)) } else { deletions.append(place) }
        }
        let kept = longestAscending(common.map(\.new))
        var stays = Set<Int>()
        for (place, pair) in common.enumerated() {
            if kept[place] { stays.insert(pair.new) } else { deletions.append(pair.old) }
        }
        deletions.sort()
        for place in start..<new.count - end where !stays.contains(place) { insertions.append(place) }
        if modified.isEmpty { return }
        let gone = Set(deletions)
        for place in old.indices where modified.contains(old[place]) && !gone.contains(place) { modifications.append(place) }
    }
}

/// Marks a longest ascending subsequence of distinct numbers.
func longestAscending(_ numbers: [Int]) -> [Bool] {
    if zip(numbers, numbers.dropFirst()).allSatisfy(<) { return Array(repeating: true, count: numbers.count) }
    // By position, the minimum number that a run of each length ends with; and the predecessor of each number in its
    // run.
    var ends: [Int] = [], before = Array(repeating: -1, count: numbers.count)
    for (place, number) in numbers.enumerated() {
        var low = 0, high = ends.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
        }
        if low > 0 { before[place] = ends[low - 1] }
        if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var kept = Array(repeating: false, count: numbers.count), place = ends.last ?? -1
    while place >= 0 {
        kept[place] = true
        place = before[place]
    }
    return kept
}
