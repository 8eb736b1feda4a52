/// A recursive-descent parser of queries, with one method for each level of the grammar in docs/queries.md.
struct QueryParser {
    private let tokens: [QueryToken]
    private(set) var position = 0
    let lexer: QueryLexer
    var arguments: QueryArguments
    /// The variables of the enclosing subqueries.
    var variables: [String] = []
    private var depth = 0

    /// The maximum depth of nested parentheses and the like.
    static let maximumDepth = 64

    init(_ text: String, _ arguments: QueryArguments) throws(FreeholdError) {
        var lexer = try QueryLexer(text)
        tokens = try QueryLexer.tokens(&lexer)
        self.lexer = lexer
        self.arguments = arguments
    }

    /// Parses the whole query.
    mutating func query() throws(FreeholdError) -> ObjectQuery {
        do throws(FreeholdError) {
            let query = next.kind == .end ? ObjectQuery() : try conditionAndSteps()
            if next.kind != .end {
                let conditions = query.steps.isEmpty ? "AND, OR, " : ""
                throw unexpected("\(conditions)SORT(…), DISTINCT(…), LIMIT(…), OFFSET(…), NEAREST(…), FUSE(…) or GROUP(…)")
            }
            try arguments.requireAllTaken(lexer)
            return query
        } catch {
            guard let spelling = spellingOfBeginning, !error.message.hasSuffix(spelling) else { throw error }
            throw FreeholdError(error.code, "\(error.message); \(spelling)")
        }
    }

    /// Parses a condition, if no step is next, and all steps that follow.
    mutating func conditionAndSteps() throws(FreeholdError) -> ObjectQuery {
        var query = ObjectQuery(), last: String?
        if stepKeyword() == nil { query.condition = try condition() }
        while let keyword = stepKeyword() {
            if query.steps.contains(where: \.isGroup) { try requirePart(keyword) }
            query.steps.append(try step(keyword))
            last = keyword
        }
        if let last, let mistake = StepPlacement.after(last, next) { throw error(mistake, at: next) }
        return query
    }

    // MARK: tokens

    var next: QueryToken { tokens[position] }
    var afterNext: QueryToken { token(ahead: 1) }
    func token(ahead distance: Int) -> QueryToken { token(at: position + distance) }
    func token(at position: Int) -> QueryToken { tokens[min(position, tokens.count - 1)] }

    @discardableResult
    mutating func take() -> QueryToken {
        defer { if position < tokens.count - 1 { position += 1 } }
        return tokens[position]
    }

    mutating func skip(_ symbol: String) -> Bool {
        guard next.isSymbol(symbol) else { return false }
        take()
        return true
    }

    mutating func skip(keyword: String) -> Bool {
        guard next.keyword == keyword else { return false }
        take()
        return true
    }

    mutating func require(_ symbol: String, _ what: String) throws(FreeholdError) {
        if !skip(symbol) { throw unexpected("'\(symbol)' \(what)") }
    }

    func error(_ message: String, at token: QueryToken) -> FreeholdError { lexer.error(message, token.column) }

    func unexpected(_ wanted: String) -> FreeholdError {
        error("expected \(wanted), found \(next.text)\(spellingOfSQL.map { "; \($0)" } ?? "")", at: next)
    }

    /// Whether a list of values in parentheses begins here: `(1, 2)`.
    var isListInParentheses: Bool {
        guard next.isSymbol("(") else { return false }
        var depth = 0
        for token in tokens[position...] {
            if token.isSymbol("(") { depth += 1 }
            if token.isSymbol(")") { depth -= 1 }
            if depth == 0 { return false }
            if depth == 1, token.isSymbol(",") { return true }
        }
        return false
    }

    /// Descends one level, and throws if that is too deep.
    mutating func nested<R>(_ body: (inout QueryParser) throws(FreeholdError) -> R) throws(FreeholdError) -> R {
        if depth >= Self.maximumDepth { throw error("this is nested more than \(Self.maximumDepth) levels deep", at: next) }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }
}
