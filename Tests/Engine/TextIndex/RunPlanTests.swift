import TestKit
import Testing
@testable import FreeholdEngine

/// Histories of commits of which only sizes are simulated.
private struct SimulatedIndex {
    struct Merge {
        var inputs: Range<Int>
        var total: Int
        var read = 0
    }

    /// The newest first.
    private(set) var sizes: [Int] = []
    private(set) var merges: [Merge] = []
    private(set) var longestStep = 0
    private(set) var written = 0

    var trees: Int { sizes.count + merges.count { $0.read > 0 } }

    /// Adds a run, and merges as `TextIndexWriter` does.
    mutating func commit(_ added: Int) {
        sizes.insert(added, at: 0)
        for place in merges.indices { merges[place].inputs = merges[place].inputs.lowerBound + 1..<merges[place].inputs.upperBound + 1 }
        var left = RunPlan.budget(added: added), step = 0
        while true {
            while merges.count < TextIndexRoot.maximumMerges, let window = RunPlan.next(sizes, busy: merges.map(\.inputs)) { begin(window) }
            let isForced = trees > TextIndexRoot.manyTrees
            guard left > 0 || isForced else { break }
            guard let number = merges.indices.min(by: { merges[$0].total - merges[$0].read < merges[$1].total - merges[$1].read }) else {
                guard isForced, let window = RunPlan.forced(sizes, busy: []) else { break }
                begin(window)
                continue
            }
            let read = min(merges[number].total - merges[number].read, max(left, isForced ? 1_024 : 1))
            merges[number].read += read
            left -= read
            step += read
            if merges[number].read == merges[number].total { finish(number) }
        }
        written += step
        longestStep = max(longestStep, step)
    }

    private mutating func begin(_ window: Range<Int>) {
        merges.append(Merge(inputs: window, total: sizes[window].reduce(0, +)))
        merges.sort { $0.inputs.lowerBound < $1.inputs.lowerBound }
    }

    private mutating func finish(_ number: Int) {
        let merge = merges.remove(at: number)
        sizes.replaceSubrange(merge.inputs, with: [merge.total])
        for place in number..<merges.count {
            let inputs = merges[place].inputs, shift = merge.inputs.count - 1
            merges[place].inputs = inputs.lowerBound - shift..<inputs.upperBound - shift
        }
    }
}

@Suite("The plan of merges")
struct RunPlanTests {
    enum History: String, CaseIterable {
        case seals, documents, mixed, bulk, slices, any

        /// The number of postings of a commit.
        func size(_ random: inout SeededRandom) -> Int {
            switch self {
            case .seals: 2_600 + random.below(760)
            case .documents: 30 + random.below(35)
            case .mixed: [2_600 + random.below(760), 30 + random.below(35), 2 + random.below(10)][random.below(3)]
            case .bulk: random.oneIn(100) ? 2_000_000 : History.mixed.size(&random)
            case .slices: 2_000_000
            case .any:
                // Evenly by logarithm from 1 to a million.
                (1 << random.below(20)) + random.below(1 << 18) % (1 << random.below(19))
            }
        }

        var commits: Int { self == .slices ? 60 : TestScale.count(3_000) }
        /// The mean number of runs and the maximum of runs and outputs that may not be exceeded.
        var bounds: (mean: Double, most: Int) {
            switch self {
            case .seals: (11, 25)
            case .documents: (9.5, 23)
            case .mixed: (12, 28)
            case .bulk: (24, 40)
            case .slices: (7, 12)
            case .any: (30, 58)
            }
        }
    }

    @Test("runs stay few, and steps short, in each kind of history", arguments: History.allCases)
    func histories(history: History) {
        var random = SeededRandom(seed: 1), index = SimulatedIndex(), runs = 0, most = 0, added = 0
        for _ in 0..<history.commits {
            let size = history.size(&random)
            index.commit(size)
            added += size
            runs += index.sizes.count
            most = max(most, index.trees)
        }
        let mean = Double(runs) / Double(history.commits), found = "\(history): \(added) postings, \(mean) runs, at most \(most) trees, "
            + "longest step \(index.longestStep), \(Double(index.written) / Double(added)) times merged"
        #expect(mean <= history.bounds.mean && most <= history.bounds.most, "\(found)")
        // No commit needed more than its budget, so none was forced to merge on.
        #expect(index.longestStep <= RunPlan.budget(added: 2_000_000), "\(found)")
        #expect(Double(index.written) <= 12 * Double(added), "\(found)")
    }

    @Test("a commit merges twelve times what it added, within bounds")
    func budgets() {
        #expect(RunPlan.budget(added: 0) == 768 && RunPlan.budget(added: 64) == 768 && RunPlan.budget(added: 65) == 780)
        #expect(RunPlan.budget(added: 21_846) == 262_144 && RunPlan.budget(added: 65_536) == 262_144)
        #expect(RunPlan.budget(added: 65_537) == 262_148 && RunPlan.budget(added: 2_000_000) == 8_000_000)
    }

    @Test("four to eight even neighbours are merged, the smallest first, of these the most, of these the newest")
    func windows() {
        #expect(RunPlan.next([], busy: []) == nil && RunPlan.next([5, 5, 5], busy: []) == nil)
        #expect(RunPlan.next([5, 5, 5, 5], busy: []) == 0..<4)
        #expect(RunPlan.next([5, 5, 5, 30], busy: []) == 0..<4 && RunPlan.next([5, 5, 5, 31], busy: []) == nil)
        #expect(RunPlan.next([Int](repeating: 5, count: 12), busy: []) == 0..<8)
        #expect(RunPlan.next([Int](repeating: 5, count: 12), busy: [0..<8]) == 8..<12)
        #expect(RunPlan.next([Int](repeating: 5, count: 12), busy: [3..<9]) == nil)
        // The lowest level is that of four small ones, although eight neighbours are even.
        #expect(RunPlan.next([9_000, 9_000, 9_000, 9_000, 100, 100, 100, 100], busy: []) == 4..<8)
        #expect(RunPlan.level(0) == 0 && RunPlan.level(1_023) == 0 && RunPlan.level(1_024) == 1 && RunPlan.level(4_096) == 2)
    }

    @Test("too many uneven runs are merged by fours, and all of them in the end")
    func others() {
        let sizes = [1, 10, 100, 1_000, 10_000, 100_000]
        #expect(RunPlan.next(sizes, busy: []) == nil)
        #expect(RunPlan.forced(sizes, busy: []) == 0..<4 && RunPlan.forced(sizes, busy: [0..<2]) == 2..<6)
        #expect(RunPlan.forced(sizes, busy: [0..<3]) == 3..<6 && RunPlan.forced([3], busy: []) == nil)
        #expect(RunPlan.compacting(6, busy: []) == 0..<6 && RunPlan.compacting(6, busy: [1..<3]) == 3..<6)
        #expect(RunPlan.compacting(1, busy: []) == nil)
    }
}
