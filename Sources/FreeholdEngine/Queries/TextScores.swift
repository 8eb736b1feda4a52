/// The scores of a query's objects: the sum over its full-text searches, but those in NOT and in subqueries.
final class TextScores: ObjectScores {
    let searches: [BoundSearch]
    let table: Table
    // Safe: a query is answered on one thread, and nothing here re-enters it.
    @exclusivity(unchecked) private var known: [TextRanking]?

    init(_ searches: [BoundSearch], _ table: Table) {
        self.searches = searches
        self.table = table
    }

    private func rankings() throws(FreeholdError) -> [TextRanking] {
        if let known { return known }
        let rankings = try searches.map { search throws(FreeholdError) in try TextRanking(search, table) }
        known = rankings
        return rankings
    }

    func scores(of keys: [ObjectKey]) throws(FreeholdError) -> [Double] {
        try ascending(keys) { keys, ranking throws(FreeholdError) in try ranking.scores(of: keys) } ?? []
    }

    func bounds(of keys: [ObjectKey]) throws(FreeholdError) -> [Double]? {
        try ascending(keys) { keys, ranking throws(FreeholdError) in try ranking.bounds(of: keys) }
    }

    func best(_ limit: Int) throws(FreeholdError) -> [ObjectKey]? {
        let rankings = try rankings()
        return rankings.count == 1 ? try rankings[0].best(limit)?.keys : nil
    }

    func areBoundsScores() throws(FreeholdError) -> Bool { try rankings().allSatisfy(\.boundsAreScores) }

    /// Adds up what each search gives for the keys in ascending order.
    private func ascending(
        _ keys: [ObjectKey], _ scores: ([ObjectKey], TextRanking) throws(FreeholdError) -> [Double]?
    ) throws(FreeholdError) -> [Double]? {
        let isAscending = zip(keys, keys.dropFirst()).allSatisfy { $0.rawValue < $1.rawValue }
        let ordered = isAscending ? keys : keys.united()
        var sums = [Double](repeating: 0, count: ordered.count)
        for ranking in try rankings() {
            guard let scores = try scores(ordered, ranking) else { return nil }
            for (place, score) in scores.enumerated() { sums[place] += score }
        }
        if isAscending { return sums }
        let places = Dictionary(uniqueKeysWithValues: zip(ordered, sums))
        return keys.map { places[$0] ?? 0 }
    }
}

extension BoundCondition {
    /// The full-text searches that a score adds up, in the order of the query.
    var scoredSearches: [BoundSearch] {
        switch self {
        case .constant, .test, .comparison, .not, .within: []
        case .all(let parts), .any(let parts): parts.flatMap(\.scoredSearches)
        case .search(let search): [search]
        }
    }
}

extension QueryCondition {
    /// Whether the condition has a full-text search outside of NOT, so that its objects have scores.
    var hasSearch: Bool {
        switch self {
        case .constant, .not: false
        case .all(let parts), .any(let parts): parts.contains(where: \.hasSearch)
        case .comparison(let comparison): comparison.relation == .text
        }
    }
}

extension PreparedQuery {
    /// The scores of objects: those of the last NEAREST or FUSE of the query.
    ///
    /// After NEAREST they are the cosine, the product, or the distance with a minus, so that a higher number is nearer; NaN for an
    /// object without a vector and for keys without an object. After FUSE they are the sums that it orders by, of the query's last
    /// answer; NaN for an object that no ranking has.
    ///
    /// Without either they are those of the query's full-text searches, as `SORT(@score DESC)` orders by them; 0 for an object
    /// in which nothing is found, and for keys without an object. Such a score has no unit: it orders the objects of one query in
    /// one version, and changes with other objects, since a word that few objects have counts more.
    ///
    /// ```swift
    /// let query = try articles.prepare(ObjectQuery("title, body TEXT $0 SORT(@score DESC) LIMIT(10)", [.string("green tea")]))
    /// let keys = try query.keys(), scores = try query.scores(of: keys)
    /// ```
    /// - Throws: `.malformedInput` if the query has neither NEAREST nor FUSE nor `TEXT` outside of `NOT`.
    public func scores(of keys: [ObjectKey]) throws(FreeholdError) -> [Double] {
        for (place, step) in steps.enumerated().reversed() {
            if case .nearest(let nearest) = step { return try VectorScores(nearest, table).scores(of: keys) }
            guard case .fuse(let fusion) = step else { continue }
            if let scores = fusion.scores(of: keys) { return scores }
            _ = try self.keys(Array(steps[...place]), nil)
            return fusion.scores(of: keys) ?? keys.map { _ in .nan }
        }
        guard let scores else {
            throw FreeholdError(.malformedInput, "the query has no NEAREST, no FUSE and no TEXT condition outside of NOT, so its objects "
                + "have no scores")
        }
        return try scores.scores(of: keys)
    }
}
