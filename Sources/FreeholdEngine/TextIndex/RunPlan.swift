/// Which runs are merged, and how much of it at a commit: functions of the numbers of postings alone.
///
/// Sizes are those of the runs in their order, the newest first; `busy` are the inputs of merges under way.
enum RunPlan {
    private static let inputs = 4...8
    /// A commit merges so many postings for each that it added.
    private static let mergedPerPosting = 12
    private static let leastMerged = 768
    private static let mostMerged = 262_144
    /// A commit of very many postings merges at least so many for each of them.
    private static let mergedOfMany = 4

    /// The number of postings that a commit merges which added `added`.
    static func budget(added: Int) -> Int {
        min(max(mergedPerPosting * added, leastMerged), max(mostMerged, mergedOfMany * added))
    }

    /// The runs to begin a merge of: four to eight neighbours of which the largest is at most twice as large as the others
    /// together. Of several such windows one of the lowest level is chosen, of these the longest, of these the newest.
    static func next(_ sizes: [Int], busy: [Range<Int>]) -> Range<Int>? {
        var best: Range<Int>?, bestLevel = 0
        for run in free(sizes.count, busy) {
            for start in run {
                var total = 0, largest = 0
                for end in start..<min(run.upperBound, start + inputs.upperBound) {
                    total += sizes[end]
                    largest = max(largest, sizes[end])
                    let window = start..<end + 1, level = level(total)
                    guard inputs.contains(window.count), largest <= 2 * (total - largest) else { continue }
                    if let found = best, (bestLevel, -found.count) <= (level, -window.count) { continue }
                    (best, bestLevel) = (window, level)
                }
            }
        }
        return best
    }

    /// The runs to merge although no window is even, because there are too many: of four free neighbours those with the
    /// fewest postings; fewer if no four are free.
    static func forced(_ sizes: [Int], busy: [Range<Int>]) -> Range<Int>? {
        let few = inputs.lowerBound
        let windows = free(sizes.count, busy).flatMap { run in
            run.count < few ? [run] : (run.lowerBound...run.upperBound - few).map { $0..<$0 + few }
        }.filter { $0.count > 1 }
        return windows.min { (-$0.count, sizes[$0].reduce(0, +)) < (-$1.count, sizes[$1].reduce(0, +)) }
    }

    /// The runs to merge so that one run is left in the end: the longest row of free neighbours.
    static func compacting(_ count: Int, busy: [Range<Int>]) -> Range<Int>? {
        free(count, busy).filter { $0.count > 1 }.max { $0.count < $1.count }
    }

    /// The whole part of log₄ of a number of postings divided by 256; 0 for less.
    static func level(_ postings: Int) -> Int {
        let blocks = max(1, postings / 256)
        return (Int.bitWidth - 1 - blocks.leadingZeroBitCount) / 2
    }

    /// The rows of neighbouring runs between the merges.
    private static func free(_ count: Int, _ busy: [Range<Int>]) -> [Range<Int>] {
        var rows: [Range<Int>] = [], start = 0
        for inputs in busy.sorted(by: { $0.lowerBound < $1.lowerBound }) + [count..<count] {
            if start < inputs.lowerBound { rows.append(start..<inputs.lowerBound) }
            start = inputs.upperBound
        }
        return rows
    }
}
