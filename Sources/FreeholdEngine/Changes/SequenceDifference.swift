/// The common subsequence of two sequences of numbers: a longest one where they differ little; otherwise the part found
/// from numbers that occur once in both.
///
/// 1. The prefix and the suffix that both share are common.
/// 2. Up to `budget` insertions and deletions the answer is a longest common subsequence (Myers' greedy algorithm,
///    whose time depends on the differences, not the lengths).
/// 3. Beyond that, numbers that occur once on both sides are matched, as many as ascend on both (patience), and what
///    lies between them is compared separately; then windows of `window` numbers in the same way; then what is at the
///    same distance from the start.
struct SequenceDifference {
    /// A run of adjacent numbers that are the same on both sides.
    struct Run: Equatable {
        let old: Int
        let new: Int
        var count: Int
    }

    static let budget = 128
    static let window = 16

    private let old: [Int]
    private let new: [Int]
    /// Ascending on both sides, none directly after another on both.
    private(set) var runs: [Run] = []

    init(_ old: [Int], _ new: [Int]) {
        self.old = old
        self.new = new
        compare(0..<old.count, 0..<new.count, width: 1)
    }

    private mutating func append(_ run: Run) {
        if run.count == 0 { return }
        if let last = runs.last, last.old + last.count == run.old, last.new + last.count == run.new {
            runs[runs.count - 1].count += run.count
        } else {
            runs.append(run)
        }
    }

    private mutating func compare(_ left: Range<Int>, _ right: Range<Int>, width: Int) {
        var prefix = 0, suffix = 0
        let most = min(left.count, right.count)
        while prefix < most, old[left.lowerBound + prefix] == new[right.lowerBound + prefix] { prefix += 1 }
        while suffix < most - prefix, old[left.upperBound - suffix - 1] == new[right.upperBound - suffix - 1] { suffix += 1 }
        append(Run(old: left.lowerBound, new: right.lowerBound, count: prefix))
        let a = left.lowerBound + prefix..<left.upperBound - suffix, b = right.lowerBound + prefix..<right.upperBound - suffix
        if !a.isEmpty && !b.isEmpty {
            if let runs = shortest(a, b) {
                for run in runs { append(run) }
            } else if width <= Self.window {
                compareBetweenAnchors(a, b, width)
            } else {
                pairUp(a, b)
            }
        }
        append(Run(old: a.upperBound, new: b.upperBound, count: suffix))
    }

    // MARK: Few differences

    /// The common runs of two parts that differ by at most `budget` insertions and deletions; otherwise nil.
    private func shortest(_ left: Range<Int>, _ right: Range<Int>) -> [Run]? {
        let n = left.count, m = right.count
        if abs(n - m) > Self.budget { return nil }
        let limit = min(Self.budget, n + m), middle = limit + 1
        // The furthest index on the left for each diagonal, -1 for none; a copy is kept of each round.
        var ends = Array(repeating: -1, count: 2 * limit + 3), rounds: [[Int]] = []
        for round in 0...limit {
            rounds.append(ends)
            for diagonal in stride(from: -round, through: round, by: 2) {
                var x = round == 0 ? 0 : Self.step(ends, middle + diagonal, diagonal, n, m).x
                if x >= 0 {
                    while x < n, x - diagonal < m, old[left.lowerBound + x] == new[right.lowerBound + x - diagonal] { x += 1 }
                    if x == n && x - diagonal == m { return back(rounds, middle, left, right) }
                }
                ends[middle + diagonal] = x
            }
        }
        return nil
    }

    /// The index that one more difference reaches on a diagonal: by an insertion from the one above, by a deletion from
    /// the one below; -1 if neither.
    private static func step(_ ends: [Int], _ place: Int, _ diagonal: Int, _ n: Int, _ m: Int) -> (x: Int, isInsertion: Bool) {
        let inserted = ends[place + 1] >= 0 && ends[place + 1] - diagonal <= m ? ends[place + 1] : -1
        let deleted = ends[place - 1] >= 0 && ends[place - 1] < n ? ends[place - 1] + 1 : -1
        return inserted >= deleted ? (inserted, true) : (deleted, false)
    }

    private func back(_ rounds: [[Int]], _ middle: Int, _ left: Range<Int>, _ right: Range<Int>) -> [Run] {
        var runs: [Run] = [], x = left.count, diagonal = left.count - right.count
        for round in stride(from: rounds.count - 1, through: 1, by: -1) {
            let (start, isInsertion) = Self.step(rounds[round], middle + diagonal, diagonal, left.count, right.count)
            runs.append(Run(old: left.lowerBound + start, new: right.lowerBound + start - diagonal, count: x - start))
            x = isInsertion ? start : start - 1
            diagonal += isInsertion ? 1 : -1
        }
        runs.append(Run(old: left.lowerBound, new: right.lowerBound, count: x))
        return runs.reversed()
    }

    // MARK: Many differences

    private mutating func compareBetweenAnchors(_ left: Range<Int>, _ right: Range<Int>, _ width: Int) {
        var (i, j) = (left.lowerBound, right.lowerBound)
        let wider = width == 1 ? Self.window : Self.window + 1
        for anchor in anchors(left, right, width) where anchor.0 >= i && anchor.1 >= j {
            compare(i..<anchor.0, j..<anchor.1, width: wider)
            append(Run(old: anchor.0, new: anchor.1, count: width))
            (i, j) = (anchor.0 + width, anchor.1 + width)
        }
        compare(i..<left.upperBound, j..<right.upperBound, width: wider)
    }

    private mutating func pairUp(_ left: Range<Int>, _ right: Range<Int>) {
        for (i, j) in zip(left, right) where old[i] == new[j] { append(Run(old: i, new: j, count: 1)) }
    }

    /// Windows that occur once in both parts: the most of them that ascend in both.
    private func anchors(_ left: Range<Int>, _ right: Range<Int>, _ width: Int) -> [(Int, Int)] {
        struct Sight {
            var old = -1, new = -1, isRepeated = false
        }
        var sights: [ArraySlice<Int>: Sight] = [:]
        if left.count < width || right.count < width { return [] }
        for i in left.lowerBound...left.upperBound - width {
            var sight = sights[old[i..<i + width]] ?? Sight()
            sight.isRepeated = sight.old >= 0
            sight.old = i
            sights[old[i..<i + width]] = sight
        }
        for j in right.lowerBound...right.upperBound - width {
            guard var sight = sights[new[j..<j + width]] else { continue }
            sight.isRepeated = sight.isRepeated || sight.new >= 0
            sight.new = j
            sights[new[j..<j + width]] = sight
        }
        let pairs = sights.values.filter { !$0.isRepeated && $0.old >= 0 && $0.new >= 0 }.sorted { $0.old < $1.old }.map { ($0.old, $0.new) }
        return Self.ascending(pairs)
    }

    /// A longest subsequence whose second numbers ascend.
    private static func ascending(_ pairs: [(Int, Int)]) -> [(Int, Int)] {
        var piles: [Int] = [], before: [Int] = []
        for (place, pair) in pairs.enumerated() {
            var low = 0, high = piles.count
            while low < high {
                let middle = (low + high) / 2
                if pairs[piles[middle]].1 < pair.1 { low = middle + 1 } else { high = middle }
            }
            before.append(low > 0 ? piles[low - 1] : -1)
            if low < piles.count { piles[low] = place } else { piles.append(place) }
        }
        var found: [(Int, Int)] = [], place = piles.last ?? -1
        while place >= 0 {
            found.append(pairs[place])
            place = before[place]
        }
        return found.reversed()
    }
}
