/// The best objects by score.
extension Selection {
    /// The best objects by score, without finding out about all; nil if there is no cheaper way than that.
    ///
    /// Candidates of an index are tested, and their strings read, in the order of the scores that they have at most.
    func best(_ limit: Int, by scores: any ObjectScores) throws(FreeholdError) -> [ObjectKey]? {
        guard limit > 0, limit <= Self.mostByScore, case .index(let plan, let rest) = path else { return nil }
        if rest == nil, plan.isSearch, let best = try scores.best(limit) { return best }
        let candidates = try plan.keys()
        tally?.indexed += candidates.count
        var best = BestObjects(limit: limit)
        if rest == nil, try scores.areBoundsScores() {
            // Some thousands at a time, whose numbers stay in the processor's cache.
            for start in stride(from: 0, to: candidates.count, by: Self.atATime) {
                let keys = Array(candidates[start..<min(start + Self.atATime, candidates.count)])
                guard let bounds = try scores.bounds(of: keys) else { return nil }
                for (key, score) in zip(keys, bounds) where score >= best.least { best.add(key, score) }
            }
            return best.keys
        }
        guard let bounds = try scores.bounds(of: candidates) else { return nil }
        try forEachRound(bounds) { places throws(FreeholdError) in
            if bounds[places[0]] < best.least { return false }
            var keys = places.sorted().map { candidates[$0] }
            if let rest { keys = try table.sifted(keys, rest, tally) }
            for (key, score) in zip(keys, try scores.scores(of: keys)) { best.add(key, score) }
            return true
        }
        return best.keys
    }

    /// How the best objects by score are found, as text; nil if all are scored.
    func bestExplained(_ limit: Int, by scores: any ObjectScores) throws(FreeholdError) -> String? {
        guard limit > 0, limit <= Self.mostByScore, case .index(_, let rest) = path, try scores.bounds(of: []) != nil else { return nil }
        if rest == nil, try scores.areBoundsScores() { return "the best \(limit), by the scores of the index" }
        return "the best \(limit), starting with the objects that may have the best scores"
    }

    private static let atATime = 8192

    /// The maximum number of objects that are found by score without sorting all.
    private static let mostByScore = 10_000

    /// Calls `body` with the places of the largest numbers, then of the next ones, each time of more, until it returns false.
    private func forEachRound(_ numbers: [Double], _ body: ([Int]) throws(FreeholdError) -> Bool) throws(FreeholdError) {
        var rest = numbers.indices.sorted { numbers[$0] != numbers[$1] ? numbers[$0] > numbers[$1] : $0 < $1 }[...]
        var count = 32
        while !rest.isEmpty {
            guard try body(Array(rest.prefix(count))) else { return }
            rest = rest.dropFirst(count)
            count = min(2 * count, 4096)
        }
    }
}
