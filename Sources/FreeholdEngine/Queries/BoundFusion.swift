/// A ranking of FUSE with resolved names.
protocol ObjectRanking {
    /// The objects in the order of the ranking.
    ///
    /// - Parameters:
    ///   - found: the objects to rank; nil for all.
    ///   - isContinued: as `PreparedQuery.isContinued`.
    func ranked(among found: [ObjectKey]?, _ tally: QueryTally?, isContinued: Bool) throws(FreeholdError) -> [ObjectKey]
    /// How the ranking is made, as lines of text.
    func explanation(running: Bool) throws(FreeholdError) -> String

    /// The conditions that the ranking tests.
    var conditions: [BoundCondition] { get }
    /// The paths that its steps read.
    var stepPaths: [BoundPath] { get }
    /// Its full-text searches, but those in NOT.
    var scoredSearches: [BoundSearch] { get }
}

/// The step FUSE with resolved names.
final class BoundFusion {
    private let rankings: [(ranking: any ObjectRanking, weight: Double)]
    private let count: Int
    /// The scores of the objects that a ranking of the last answer has; nil before there is an answer.
    // Safe: a query is answered on one thread, and nothing here re-enters it.
    @exclusivity(unchecked) private var scores: [ObjectKey: Double]?

    private init(_ rankings: [(any ObjectRanking, Double)], count: Int) {
        self.rankings = rankings
        self.count = count
    }

    /// The objects with the highest scores, the highest first; of equal ones those with the lower keys.
    ///
    /// - Parameters:
    ///   - found: the objects to rank, in order; nil for all that meet the query's condition.
    ///   - isContinued: as `PreparedQuery.isContinued`.
    func best(of found: [ObjectKey]?, _ tally: QueryTally? = nil, isContinued: Bool) throws(FreeholdError) -> [ObjectKey] {
        var scores: [ObjectKey: Double] = [:]
        for (ranking, weight) in rankings {
            // A list may have an object twice: its first position counts.
            var seen: Set<ObjectKey> = []
            for key in try ranking.ranked(among: found, tally, isContinued: isContinued) where seen.insert(key).inserted {
                scores[key, default: 0] += weight / (QueryFusion.offset + Double(seen.count))
            }
        }
        self.scores = scores
        if count == 0 { return [] }
        var best = BestObjects(limit: count)
        for (key, score) in scores { best.add(key, score) }
        return best.keys
    }

    /// The scores of objects in the last answer, NaN for those that no ranking has; nil before there is an answer.
    func scores(of keys: [ObjectKey]) -> [Double]? {
        guard let scores else { return nil }
        return keys.map { scores[$0] ?? .nan }
    }

    /// How each ranking is made, as lines of text.
    func explanation() throws(FreeholdError) -> [String] {
        var lines: [String] = []
        for (number, part) in rankings.enumerated() {
            lines.append("ranking \(number + 1)\(part.weight == 1 ? "" : ", weight \(part.weight)"):")
            lines += try part.ranking.explanation(running: false).split(separator: "\n").map { "  \($0)" }
        }
        return lines
    }

    /// The conditions that the rankings test.
    var conditions: [BoundCondition] { rankings.flatMap(\.ranking.conditions) }

    /// Every path that a step of a ranking reads.
    var paths: [BoundPath] { rankings.flatMap(\.ranking.stepPaths) }

    /// The full-text searches of the rankings, but those in NOT.
    var searches: [BoundSearch] { rankings.flatMap(\.ranking.scoredSearches) }
}

extension BoundFusion {
    /// - Parameter ranking: resolves the names of a ranking.
    convenience init(
        _ fusion: QueryFusion, _ ranking: (ObjectQuery) throws(FreeholdError) -> any ObjectRanking
    ) throws(FreeholdError) {
        if fusion.count < 0 { throw FreeholdError(.malformedInput, "FUSE takes a number of objects that is not negative") }
        if !(1...QueryFusion.mostRankings).contains(fusion.rankings.count) {
            throw FreeholdError(.malformedInput, "FUSE takes 1 to \(QueryFusion.mostRankings) rankings, not \(fusion.rankings.count)")
        }
        var rankings: [(any ObjectRanking, Double)] = []
        for part in fusion.rankings {
            if let complaint = QueryFusion.complaint(part) { throw FreeholdError(.malformedInput, complaint) }
            rankings.append((try ranking(part.query), part.weight))
        }
        self.init(rankings, count: fusion.count)
    }
}
