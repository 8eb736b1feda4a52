/// Steps after the condition: SORT, DISTINCT, LIMIT, OFFSET, NEAREST, FUSE, GROUP.
extension QueryParser {
    /// The step that begins here, or nil.
    func stepKeyword() -> String? {
        guard let keyword = next.keyword, Self.steps.contains(keyword), afterNext.isSymbol("(") else { return nil }
        return keyword
    }

    static let steps: Set<String> = ["sort", "distinct", "limit", "offset", "nearest", "fuse", "group"]

    /// Whether a step begins at the token after the next.
    var isStepBehindNext: Bool {
        guard let keyword = afterNext.keyword, Self.steps.contains(keyword) else { return false }
        return token(ahead: 2).isSymbol("(")
    }

    mutating func step(_ keyword: String) throws(FreeholdError) -> QueryStep {
        take()
        take()
        let step: QueryStep
        switch keyword {
        case "sort": step = .sort(try parts { parser throws(FreeholdError) in try parser.sortKey() })
        case "distinct": step = .distinct(try parts { parser throws(FreeholdError) in try parser.path() })
        case "limit": step = .limit(try number(keyword))
        case "offset": step = .offset(try number(keyword))
        case "nearest": step = try NearestParser.parsed(in: &self)
        case "fuse": step = try FusionParser.parsed(in: &self)
        default: return try group()
        }
        try require(")", "that closes \(keyword.uppercased())")
        return step
    }

    private mutating func parts<Part>(_ part: (inout QueryParser) throws(FreeholdError) -> Part) throws(FreeholdError) -> [Part] {
        var parts = [try part(&self)]
        while skip(",") { parts.append(try part(&self)) }
        return parts
    }

    private mutating func sortKey() throws(FreeholdError) -> QuerySort {
        let isDistance = next.keyword == "@distance" && afterNext.isSymbol("(")
        let path = isDistance ? try PlaceParser.parsed(in: &self) { places throws(FreeholdError) in try places.sortKey() } : try path()
        var key = QuerySort(path)
        try key.readCollation(in: &self)
        key.isAscending = !(skip(keyword: "desc") || skip(keyword: "descending"))
        if key.isAscending { _ = skip(keyword: "asc") || skip(keyword: "ascending") }
        if key.collation == nil { try key.readCollation(in: &self) }
        return key
    }

    mutating func number(_ keyword: String) throws(FreeholdError) -> Int {
        let token = next
        if case .value(.int(let number)) = try expression(), number >= 0, let number = Int(exactly: number) { return number }
        throw error("\(keyword.uppercased()) takes a whole number that is not negative", at: token)
    }

    private mutating func group() throws(FreeholdError) -> QueryStep {
        let paths = next.isSymbol(")") ? [] : try parts { parser throws(FreeholdError) in try parser.path() }
        try require(")", "that closes GROUP")
        guard skip(keyword: "select") else { throw unexpected("SELECT(…) with the aggregates of a group, as in GROUP(city) SELECT(@count, age.@avg)") }
        try require("(", "after SELECT")
        let aggregates = try parts { parser throws(FreeholdError) in try parser.aggregate() }
        try require(")", "that closes SELECT")
        return .group(by: paths, select: aggregates)
    }

    private mutating func aggregate() throws(FreeholdError) -> QueryAggregate {
        let token = next
        let path = try path()
        guard case .aggregate(let kind) = path.steps.last else { throw error("an aggregate of a group ends with @count, @sum, @min, @max or @avg", at: token) }
        if path.steps.count == 1 {
            guard kind == .count else { throw error("@\(kind.rawValue) must follow a property, as in age.@\(kind.rawValue)", at: token) }
            return QueryAggregate(.count)
        }
        return QueryAggregate(kind, PropertyPath(Array(path.steps.dropLast()), variable: path.variable, at: path.place))
    }

    /// Requires a step after groups to take a part of them: others would apply to rows that are not objects.
    func requirePart(_ keyword: String) throws(FreeholdError) {
        if keyword != "limit", keyword != "offset" { throw error("only LIMIT(…) and OFFSET(…) may follow GROUP(…) SELECT(…)", at: next) }
    }
}

extension QueryStep {
    var isGroup: Bool { if case .group = self { true } else { false } }
}

extension QuerySort {
    /// Reads `COLLATE "de"`, which is before or after the direction, if it is next.
    fileprivate mutating func readCollation(in parser: inout QueryParser) throws(FreeholdError) {
        guard parser.skip(keyword: "collate") else { return }
        let token = parser.next
        guard case .value(.string(let tag)) = try parser.expression() else {
            throw parser.error("COLLATE takes a language tag in quotes, as in COLLATE \"de\"", at: token)
        }
        collation = tag
        collationPlace.column = token.column
    }
}
