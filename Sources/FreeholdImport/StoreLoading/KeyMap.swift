import FreeholdEngine

/// Where the objects of one class went: from keys of the source to keys of the database.
///
/// Runs of consecutive keys on both sides take one entry, so a class without gaps takes one in all, and no object takes
/// more than 24 bytes.
struct KeyMap {
    private struct Run {
        let source: Int64
        let target: Int64
        var count: Int64
    }

    private var runs: [Run] = []
    /// The number of objects.
    private(set) var count = 0

    /// The last key of the source; nil if there is none.
    var lastKey: Int64? { runs.last.map { $0.source + $0.count - 1 } }

    /// Adds an object whose key of the source is above all before.
    mutating func append(_ source: Int64, _ target: Int64) {
        count += 1
        if let last = runs.last, source.subtractingReportingOverflow(last.source) == (last.count, false),
            target.subtractingReportingOverflow(last.target) == (last.count, false) {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(source: source, target: target, count: 1))
        }
    }

    /// The object that a key of the source became; nil if the source has no object with this key.
    func find(_ source: Int64) -> ObjectKey? {
        var low = 0, high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].source <= source { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let run = runs[low - 1], (distance, isTooFar) = source.subtractingReportingOverflow(run.source)
        return !isTooFar && distance < run.count ? ObjectKey(run.target + distance) : nil
    }
}
