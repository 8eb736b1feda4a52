/// Parses the step FUSE: `FUSE(title TEXT $0 SORT(@score DESC) LIMIT(100), NEAREST(embedding, $1, 100) WEIGHT 2, 10)`.
struct FusionParser {
    /// The parser of the query, which goes on behind what this one has taken.
    private var parser: QueryParser

    /// Parses the step after its parenthesis.
    static func parsed(in parser: inout QueryParser) throws(FreeholdError) -> QueryStep {
        try parser.nested { parser throws(FreeholdError) in
            var own = FusionParser(parser: parser)
            let step = try own.step()
            parser = own.parser
            return step
        }
    }

    private mutating func step() throws(FreeholdError) -> QueryStep {
        var fusion = QueryFusion([], count: 0)
        while !isCount {
            if fusion.rankings.count == QueryFusion.mostRankings {
                throw parser.error("FUSE takes at most \(QueryFusion.mostRankings) rankings", at: parser.next)
            }
            fusion.rankings.append(try ranking())
            try parser.require(",", "and another ranking or the number of objects, as in \(StepPlacement.fusion)")
        }
        if fusion.rankings.isEmpty { throw parser.unexpected("the rankings, as in \(StepPlacement.fusion)") }
        fusion.count = try parser.number("fuse")
        return .fuse(fusion)
    }

    /// Whether the number of objects is next: the last part of the step, one token by itself.
    private var isCount: Bool {
        let after = parser.next.isSymbol("-") ? parser.token(ahead: 2) : parser.afterNext
        return after.isSymbol(")") || after.kind == .end
    }

    private mutating func ranking() throws(FreeholdError) -> QueryFusion.Ranking {
        let begin = parser.next
        var ranking = QueryFusion.Ranking(try parser.conditionAndSteps())
        if parser.skip(keyword: "weight") {
            let place = parser.next
            guard case .value(let value) = try parser.expression(), let weight = value.double else {
                throw parser.error("the WEIGHT of a ranking is a number, as in NEAREST(embedding, $0, 100) WEIGHT 2", at: place)
            }
            ranking.weight = weight
            if let complaint = QueryFusion.complaint(ofWeight: weight) { throw parser.error(complaint, at: place) }
        }
        if let complaint = QueryFusion.complaint(ranking) { throw parser.error(complaint, at: begin) }
        return ranking
    }
}
