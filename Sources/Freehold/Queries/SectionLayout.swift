/// Which places of a sequence belong to which section, as runs of places that stand beside each other.
///
/// ```
/// places    0 1 2 3 4 5 6      runs       3 a, 2 b, 2 a
/// keys      a a a b b a a      sections   a: 0..<3 and 5..<7, b: 3..<5
/// ```
/// 1. Neighbouring runs are of different sections, and none is empty.
/// 2. Sections stand in the order in which the places first have their keys.
/// 3. A key keeps its number as long as some place has it; from one layout to the next also if all that have it are others.
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

    /// A place in a section, which is told by its number.
    struct Place {
        let number: Int
        let item: Int
    }

    func key(_ number: Int) -> Key? { keys[number] }
    func number(of key: Key) -> Int? { numbers[key] }

    /// Puts a key behind all others.
    mutating func append(_ key: Key) {
        if numbers[key] == nil { order.append(last + 1) }
        Self.append(number(for: key), 1, to: &runs)
    }

    /// Takes places out, and puts keys where they then stand; both ascend.
    ///
    /// The time it takes follows the runs and what changes, not the places.
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

    /// Where some places are, which ascend.
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

    /// The places of each section, by its number.
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

    /// Puts the sections in order, and forgets those that are gone.
    private mutating func findOrder() {
        var seen: Set<Int> = []
        order = runs.compactMap { seen.insert($0.number).inserted ? $0.number : nil }
        if seen.count == keys.count { return }
        for (number, key) in keys where !seen.contains(number) { (keys[number], numbers[key]) = (nil, nil) }
    }
}

/// The places that belong to a section, ascending.
struct SectionPositions: RandomAccessCollection {
    private var ranges: [Range<Int>] = []
    /// How many places stand in the ranges before each.
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
