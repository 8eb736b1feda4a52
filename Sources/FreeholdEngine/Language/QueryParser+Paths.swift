/// Paths: names joined by points, elements in brackets, aggregates after an `@`.
extension QueryParser {
    mutating func path() throws(FreeholdError) -> PropertyPath {
        let place = SourcePlace(column: next.column)
        switch next.kind {
        case .nextArgument(isPath: true):
            let token = take()
            return try continued(try path(from: try arguments.takeNext(lexer, token.column), token))
        case .argument(let number, isPath: true):
            let token = take()
            return try continued(try path(from: try arguments.take(number, lexer, token.column), token))
        case .variable(let name) where variables.has(name):
            take()
            return try continued(PropertyPath([], variable: name, at: place))
        case .word(let word, let isQuoted):
            if !isQuoted, word.lowercased() == "self" {
                take()
                return try continued(PropertyPath([], variable: nil, at: place))
            }
            return try continued(PropertyPath(try part(), variable: nil, at: place))
        default: throw unexpected("a property")
        }
    }

    /// The path that an argument for `%K` names.
    private func path(from value: Value, _ token: QueryToken) throws(FreeholdError) -> PropertyPath {
        guard case .string(let text) = value else { throw error("the argument for %K must be the name of a property", at: token) }
        var parser = try QueryParser(text, QueryArguments([], [:]))
        let path = try parser.path()
        if parser.next.kind != .end { throw error("the argument for %K, '\(text)', is not a property name", at: token) }
        return PropertyPath(path.steps, variable: nil, at: SourcePlace(column: token.column))
    }

    private mutating func continued(_ start: PropertyPath) throws(FreeholdError) -> PropertyPath {
        var path = start
        while true {
            if path.steps.count > Self.maximumDepth { throw error("a path has \(Self.maximumDepth) steps at most", at: next) }
            if skip(".") {
                path.steps += try part()
            } else if next.isSymbol("[") {
                path.steps.append(try element())
            } else {
                return path
            }
        }
    }

    private mutating func part() throws(FreeholdError) -> [PathStep] {
        guard case .word(let word, let isQuoted) = next.kind else { throw unexpected("a property name after the dot") }
        let token = take()
        if !isQuoted, word.unicodeScalars.first.map(QueryLexer.isDigit) ?? false { throw error("'\(word)' is neither a number nor a name", at: token) }
        guard !isQuoted, word.hasPrefix("@") else { return [.property(word)] }
        switch word.lowercased() {
        case "@count": return [.aggregate(.count)]
        case "@min": return [.aggregate(.min)]
        case "@max": return [.aggregate(.max)]
        case "@sum": return [.aggregate(.sum)]
        case "@avg", "@average": return [.aggregate(.avg)]
        case "@size", "@length": return [.size]
        case "@type": return [.type]
        case "@score": return [.score]
        case "@keys", "@allkeys": return [.keys]
        case "@values", "@allvalues": return [.values]
        case "@links": return try backlinks()
        case "@distance":
            throw error("@distance stands in conditions and in SORT(…), with a place and a point in parentheses, as in "
                + "SORT(@distance(location, [10.75, 59.91]))", at: token)
        default:
            let known = "@count, @min, @max, @sum, @avg, @size, @type, @keys, @values, @score and @links"
            throw error("unknown '\(word)'; known are \(known)", at: token)
        }
    }

    private mutating func backlinks() throws(FreeholdError) -> [PathStep] {
        try require(".", "and the class that links, as in @links.Person.dogs")
        if skip(keyword: "@count") || skip(keyword: "@size") { return [.links, .aggregate(.count)] }
        guard case .word(let name, _) = next.kind else { throw unexpected("the class that links, as in @links.Person.dogs") }
        take()
        try require(".", "and the property that links, as in @links.Person.dogs")
        guard case .word(let property, _) = next.kind else { throw unexpected("the property that links, as in @links.Person.dogs") }
        take()
        return [.backlinks(class: name, property: property)]
    }

    private mutating func element() throws(FreeholdError) -> PathStep {
        take()
        let token = take()
        let step: PathStep? = switch token.kind {
        case .string(let key): .key(key)
        case .number(let text): Int(text).map { .position($0) }
        case .symbol("*"): .each
        case .word(let word, let isQuoted) where word.lowercased() == "any" && isQuoted: .each
        case .word(let word, isQuoted: false):
            switch word.lowercased() {
            case "first": .first
            case "last": .last
            case "size": .size
            default: nil
            }
        case .nextArgument(isPath: false): try element(try arguments.takeNext(lexer, token.column))
        case .argument(let number, isPath: false): try element(try arguments.take(number, lexer, token.column))
        case .variable(let name) where !variables.has(name): try element(try arguments.take(name, lexer, token.column))
        default: nil
        }
        guard let step else { throw error("an element is selected by a position, a key in quotes, FIRST, LAST or *", at: token) }
        try require("]", "after the element")
        return step
    }

    private func element(_ value: Value) throws(FreeholdError) -> PathStep? {
        switch value {
        case .string(let key): .key(key)
        case .int(let position): Int(exactly: position).map { .position($0) }
        default: nil
        }
    }
}

extension PropertyPath {
    /// Parses a path in query syntax: names joined by points, elements in brackets, `@links.Class.property`.
    ///
    /// ```swift
    /// let path = try PropertyPath(parsing: "owner.dogs.name")
    /// ```
    /// - Throws: `.malformedInput` with the column and what was expected there.
    public init(parsing text: String) throws(FreeholdError) {
        var parser = try QueryParser(text, QueryArguments([], [:]))
        self = try parser.path()
        if parser.next.kind != .end { throw parser.unexpected("the end of the path") }
    }
}
