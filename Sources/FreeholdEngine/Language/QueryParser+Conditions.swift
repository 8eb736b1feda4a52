/// A condition or an expression; parentheses may contain either.
enum QueryTerm {
    case condition(QueryCondition)
    case expression(QueryExpression)
}

/// Conditions: OR has the lowest precedence, then AND, NOT, and comparisons.
extension QueryParser {
    mutating func condition() throws(FreeholdError) -> QueryCondition { try condition(try either()) }

    /// A term as a condition: a bare property must be true.
    private func condition(_ term: QueryTerm) throws(FreeholdError) -> QueryCondition {
        switch term {
        case .condition(let condition): return condition
        case .expression(.value(.bool(let flag))): return .constant(flag)
        case .expression(.path(let path)): return .comparison(QueryComparison(.path(path), .equal, .value(.bool(true))))
        case .expression: throw unexpected("a comparison like ==, <, IN or CONTAINS")
        }
    }

    mutating func either() throws(FreeholdError) -> QueryTerm {
        let first = try both()
        var parts: [QueryCondition] = []
        while skip(keyword: "or") || skip("||") {
            if parts.isEmpty { parts.append(try condition(first)) }
            parts.append(try condition(try both()))
        }
        return parts.isEmpty ? first : .condition(.any(parts))
    }

    private mutating func both() throws(FreeholdError) -> QueryTerm {
        let first = try opposite()
        var parts: [QueryCondition] = []
        while skip(keyword: "and") || skip("&&") {
            if parts.isEmpty { parts.append(try condition(first)) }
            parts.append(try condition(try opposite()))
        }
        return parts.isEmpty ? first : .condition(.all(parts))
    }

    private mutating func opposite() throws(FreeholdError) -> QueryTerm {
        guard skip(keyword: "not") || skip("!") else { return try comparison() }
        return try nested { parser throws(FreeholdError) in .condition(.not(try parser.condition(try parser.opposite()))) }
    }

    private mutating func comparison() throws(FreeholdError) -> QueryTerm {
        if let step = stepKeyword() { throw error(StepPlacement.inCondition(step), at: next) }
        switch next.keyword {
        case "truepredicate":
            take()
            return .condition(.constant(true))
        case "falsepredicate":
            take()
            return .condition(.constant(false))
        default: break
        }
        let quantifier = takeQuantifier()?.quantifier
        let left = try sum()
        if let search = try search(left, quantifier) { return .condition(search) }
        guard let relation = try takeRelation() else {
            if quantifier == nil { return left }
            throw unexpected("a comparison like ==, <, IN or CONTAINS")
        }
        guard case .expression(let expression) = left else { throw error("a condition in parentheses cannot be compared", at: next) }
        let options = try takeOptions(relation)
        if relation == .isIn, isListInParentheses { throw error("IN takes values in braces, as in age IN {1, 2}", at: next) }
        let begin = next, isInParentheses = isListInParentheses, behind = relation == .between ? nil : takeQuantifier()
        if relation == .between, isInParentheses { throw betweenNeedsBraces(at: begin) }
        guard case .expression(let right) = try sum() else { throw error("a condition in parentheses cannot be compared with", at: next) }
        if relation == .between { try requireEnds(right, at: begin) }
        if let within = PlaceParser.within(expression, relation, right, quantifier) { return .condition(within) }
        let comparison = QueryComparison(expression, relation, right, quantifier: quantifier, options: options)
        guard let behind else { return .condition(quantified(comparison)) }
        return .condition(try quantified(comparison, behind))
    }

    /// A full-text search or a test of places, of which the first path has been taken; nil if it is another comparison.
    private mutating func search(_ first: QueryTerm, _ quantifier: QueryComparison.Quantifier?) throws(FreeholdError) -> QueryCondition? {
        guard case .expression(.path(let path)) = first else { return nil }
        var paths: [QueryExpression] = [.path(path)]
        while skip(",") {
            let begin = next
            guard case .expression(.path(let path)) = try sum() else {
                throw error("expected a property; TEXT and GEOWITHIN take properties", at: begin)
            }
            paths.append(.path(path))
        }
        let word = next
        if word.keyword == "geowithin" {
            return try PlaceParser.parsed(in: &self) { places throws(FreeholdError) in try places.within(paths, quantifier) }
        }
        guard word.keyword == "text" else {
            if paths.count == 1 { return nil }
            throw error("several properties are for TEXT and GEOWITHIN only, as in title, body TEXT 'words'", at: word)
        }
        take()
        if let quantifier { throw error("\(quantifier.rawValue) is not for TEXT, which searches all strings of its properties", at: word) }
        if next.isSymbol("[") { throw error("TEXT has no options: it ignores case and diacritics", at: next) }
        guard case .expression(let right) = try sum() else { throw error("TEXT takes a string", at: next) }
        return .comparison(QueryComparison(paths.count == 1 ? paths[0] : .list(paths), .text, right))
    }

    /// Refuses a BETWEEN whose right side is not a list: for SQL's `BETWEEN 1 AND 5` a later error would be about the
    /// 5.
    private func requireEnds(_ right: QueryExpression, at token: QueryToken) throws(FreeholdError) {
        if case .list = right { return }
        throw betweenNeedsBraces(at: token)
    }

    private func betweenNeedsBraces(at token: QueryToken) -> FreeholdError {
        error("BETWEEN takes two values in braces, as in age BETWEEN {1, 5}", at: token)
    }

    /// Takes the quantifier here, if a path or a list follows it.
    private mutating func takeQuantifier() -> (quantifier: QueryComparison.Quantifier, token: QueryToken)? {
        let quantifier: QueryComparison.Quantifier? = switch next.keyword {
        case "any", "some": .any
        case "all": .all
        case "none": QueryComparison.Quantifier.none
        default: nil
        }
        guard let quantifier, beginsOperand(afterNext), !isStepBehindNext else { return nil }
        return (quantifier, take())
    }

    /// Whether a path or a list begins at the token; if not, the word before it is a property's name and not a
    /// quantifier.
    private func beginsOperand(_ token: QueryToken) -> Bool {
        switch token.kind {
        case .word(let word, let isQuoted): isQuoted || Self.relations[word.lowercased()] == nil && !["and", "or"].contains(word.lowercased())
        case .variable, .nextArgument, .argument, .symbol("("), .symbol("{"): true
        default: false
        }
    }

    static let relations: [String: QueryComparison.Relation] = [
        "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual, "=<": .lessOrEqual, ">": .greater,
        ">=": .greaterOrEqual, "=>": .greaterOrEqual, "in": .isIn, "between": .between, "beginswith": .beginsWith, "contains": .contains,
        "endswith": .endsWith, "like": .like,
    ]

    private mutating func takeRelation() throws(FreeholdError) -> QueryComparison.Relation? {
        let word: String
        switch next.kind {
        case .symbol(let symbol): word = symbol
        case .word(_, isQuoted: false): word = next.keyword ?? ""
        default: return nil
        }
        if word == "matches" { throw error("MATCHES is not supported", at: next) }
        if word == "geowithin" { throw error("GEOWITHIN tests properties", at: next) }
        guard let relation = Self.relations[word] else { return nil }
        take()
        return relation
    }

    private mutating func takeOptions(_ relation: QueryComparison.Relation) throws(FreeholdError) -> TextOptions {
        guard next.isSymbol("["), let word = afterNext.keyword, word.allSatisfy({ "cd".contains($0) }), !word.isEmpty else { return [] }
        let first = take()
        take()
        try require("]", "after the options")
        if relation.isOrdering { throw error("[\(word)] is for ==, !=, IN, BEGINSWITH, CONTAINS, ENDSWITH and LIKE only", at: first) }
        var options: TextOptions = []
        if word.contains("c") { options.insert(.caseInsensitive) }
        if word.contains("d") { options.insert(.diacriticInsensitive) }
        return options
    }
}
