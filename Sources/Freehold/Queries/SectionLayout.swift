/// Which positions of a sequence belong to which section, stored as runs of neighbouring positions.
///
/// ```
/// places    0 1 2 3 4 5 6      runs       3 a, 2 b, 2 a
/// keys      a a a b b a a      sections   a: 0..<3 and 5..<7, b: 3..<5
/// ```
/// 1. Neighbouring runs are of different sections, and none is empty.
/// 2. Sections are in the order in which their keys first occur.
/// 3. A key keeps its number as long as some position has it, also from one layout to the next if all of these
///    positions were replaced.
struct SectionLayout<Key: Hashable> {
    private struct Run {
        let number: Int
        var count: Int
    }

    private var runs: [Run] = []
    private var numbers: [Key: Int] = [:]
    private var keys: [Int: Key] = [:]
    private var last = 0
    /// The numbers of the sections, in order.
    private(set) var order: [Int] = []

    /// A position in a section, which is identified by its number.
    struct Place {
        let number: Int
        let item: Int
    }

    func key(_ number: Int) -> Key? { keys[number] }
    func number(of key: Key) -> Int? { numbers[key] }

    /// Appends a position with a key.
    mutating func append(_ key: Key) {
        if numbers[key] == nil { order.append(last + 1) }
        Self.append(number(for: key), 1, to: &runs)
    }

    /// Removes positions, and inserts keys at the positions they then have; both lists ascend.
    ///
    /// The time is proportional to the number of runs and changes, not to that of positions.
    mutating func replace(_ deletions: [Int], with insertions: [(position: Int, key: Key)]) {
        let kept = runs(without: deletions)
        var rest = insertions[...], position = 0, made: [Run] = []
        for run in kept {
            var left = run.count
            while left > 0 {
                while let next = rest.first, next.position == position {
                    Self.append(number(for: next.key), 1, to: &made)
                    position += 1
                    rest = rest.dropFirst()
                }
                let count = min(left, (rest.first?.position ?? .max) - position)
                Self.append(run.number, count, to: &made)
                position += count
                left -= count
            }
        }
        for next in rest { Self.append(number(for: next.key), 1, to: &made) }
        runs = made
        findOrder()
    }

    /// The places of positions, which ascend.
    func locate(_ positions: [Int]) -> [Place] {
        var found: [Place] = [], before: [Int: Int] = [:], start = 0, rest = positions[...]
        for run in runs {
            if rest.isEmpty { break }
            let first = before[run.number, default: 0]
            while let position = rest.first, position < start + run.count {
                found.append(Place(number: run.number, item: first + position - start))
                rest = rest.dropFirst()
            }
            before[run.number] = first + run.count
            start += run.count
        }
        return found
    }

    /// The positions of each section, by its number.
    var positions: [Int: SectionPositions] {
        var found: [Int: SectionPositions] = [:], start = 0
        for run in runs {
            found[run.number, default: SectionPositions()].append(start..<start + run.count)
            start += run.count
        }
        return found
    }

    private mutating func number(for key: Key) -> Int {
        if let known = numbers[key] { return known }
        last += 1
        (numbers[key], keys[last]) = (last, key)
        return last
    }

    private static func append(_ number: Int, _ count: Int, to runs: inout [Run]) {
        if runs.last?.number == number { runs[runs.count - 1].count += count } else { runs.append(Run(number: number, count: count)) }
    }

    private func runs(without positions: [Int]) -> [Run] {
        var kept: [Run] = [], start = 0, rest = positions[...]
        for run in runs {
            let end = start + run.count
            var count = run.count
            while let position = rest.first, position < end {
                count -= 1
                rest = rest.dropFirst()
            }
            if count > 0 { Self.append(run.number, count, to: &kept) }
            start = end
        }
        return kept
    }

    /// Puts the sections in order, and removes the empty ones.
    private mutating func findOrder() {
        var seen: Set<Int> = []
        order = runs.compactMap { seen.insert($0.number).inserted ? $0.number : nil }
        if seen.count == keys.count { return }
        for (number, key) in keys where !seen.contains(number) { (keys[number], numbers[key]) = (nil, nil) }
    }
}

/// The positions of one section, ascending.
struct SectionPositions: RandomAccessCollection {
    private var ranges: [Range<Int>] = []
    /// For each range, the number of positions in the ranges before it.
    private var starts: [Int] = []
    private(set) var count = 0

    var startIndex: Int { 0 }
    var endIndex: Int { count }

    mutating func append(_ range: Range<Int>) {
        ranges.append(range)
        starts.append(count)
        count += range.count
    }

    subscript(item: Int) -> Int {
        var low = 0, high = ranges.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= item { low = middle } else { high = middle }
        }
        return ranges[low].lowerBound + item - starts[low]
    }
}
