/// A query as a ranking of FUSE, and what a query reads, its rankings included.
extension PreparedQuery: ObjectRanking {
    func ranked(among found: [ObjectKey]?, _ tally: QueryTally?, isContinued: Bool) throws(FreeholdError) -> [ObjectKey] {
        var query = self
        query.isContinued = isContinued
        if let found { return try query.keys(among: found) }
        return try query.keys(steps, tally)
    }

    /// The condition, and those of the rankings of FUSE.
    var conditions: [BoundCondition] { [condition] + steps.flatMap(\.conditions) }

    /// Every path that a step reads.
    var stepPaths: [BoundPath] {
        steps.flatMap { step -> [BoundPath] in
            switch step {
            case .sort(let keys): return keys.map(\.path)
            case .distinct(let paths): return paths
            case .group(let paths, let figures): return paths + figures.compactMap(\.path)
            case .nearest(let nearest): return [nearest.path]
            case .fuse(let fusion): return fusion.paths
            case .limit, .offset: return []
            }
        }
    }

    /// The full-text searches of the query, but those in NOT: those of its condition, then those of the rankings of FUSE.
    var scoredSearches: [BoundSearch] { (scores?.searches ?? []) + steps.flatMap(\.fusedSearches) }
}
