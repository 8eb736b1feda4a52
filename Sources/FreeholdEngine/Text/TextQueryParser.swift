/// A recursive-descent parser of searches.
///
///     query   = clause { "OR" clause }
///     clause  = { [ "AND" ] ( near | exclusion ) }     at least one `near`
///     exclusion = ( "-" | "NOT" ) operand
///     near    = operand { "NEAR" [ "/" number ] operand }   operands that are no groups
///     operand = words | "(" query ")"
///     words   = ( word | '"' … '"' ) [ "*" | "~" [ "1" | "2" ] ]
///
/// Keywords are upper-case. A word ends at whitespace, a quotation mark or a parenthesis; what has no letter and no number
/// is skipped. `-` excludes only directly before a word, a phrase or a group, and not after another `-`. Within quotation
/// marks a backslash makes the next character literal.
struct TextQueryParser {
    private var lexer: TextQueryLexer
    private var depth = 0
    private var termCount = 0

    /// The maximum number of terms of all words together.
    private static let maximumTerms = 1000

    init(_ text: String) throws(FreeholdError) {
        lexer = try TextQueryLexer(text)
    }

    /// Whether the text is a word that needs no quotation marks.
    static func isBareWord(_ text: String) -> Bool {
        guard var lexer = try? TextQueryLexer(text), let token = try? lexer.take(), let end = try? lexer.take() else { return false }
        return token.kind == .words(text, .exact) && end.kind == .end
    }

    /// Parses the whole search.
    mutating func query() throws(FreeholdError) -> TextQuery.Node {
        let node = try disjunction()
        if try lexer.next().kind == .close { throw try lexer.error("this ')' closes nothing", lexer.next()) }
        return node
    }

    private mutating func disjunction() throws(FreeholdError) -> TextQuery.Node {
        var clauses = [try clause()]
        while try lexer.skip(.or) { clauses.append(try clause()) }
        return .disjunction(clauses)
    }

    private mutating func clause() throws(FreeholdError) -> TextQuery.Node {
        let start = try lexer.next()
        var wanted: [TextQuery.Node] = [], excluded: [TextQuery.Node] = []
        while true {
            let token = try lexer.next()
            if token.kind == .end || token.kind == .close || token.kind == .or { break }
            if token.kind == .and {
                try lexer.take()
                guard !wanted.isEmpty || !excluded.isEmpty, try lexer.next().beginsOperand else {
                    throw lexer.error("AND stands between two words or groups; to search for the word, write \"AND\"", token)
                }
            } else if token.kind == .not {
                try lexer.take()
                if let operand = try operand() { excluded.append(operand) }
            } else if let node = try near() {
                wanted.append(node)
            }
        }
        if wanted.isEmpty { throw try missing(start, isOnlyExcluding: !excluded.isEmpty) }
        return .conjunction(wanted, excluding: excluded)
    }

    private mutating func missing(_ start: TextQueryLexer.Token, isOnlyExcluding: Bool) throws(FreeholdError) -> FreeholdError {
        if isOnlyExcluding { return lexer.error("this only excludes; add a word to search for", start) }
        let next = try lexer.next()
        if next.kind == .or || start.column > 1 { return lexer.error("expected a word or phrase, found \(next.name)", next) }
        return lexer.error("there is no word to search for", start)
    }

    /// An operand or several joined by NEAR; nil if there was nothing but punctuation.
    private mutating func near() throws(FreeholdError) -> TextQuery.Node? {
        let first = try lexer.next(), node = try operand()
        var parts: [TextQuery.Words] = [], distance: Int?
        while case .near(let number) = try lexer.next().kind {
            let keyword = try lexer.take()
            if let distance, distance != number { throw lexer.error("all NEAR of a chain have the same number", keyword) }
            distance = number
            if parts.isEmpty { parts = [try words(node, first)] }
            let second = try lexer.next()
            parts.append(try words(try operand(), second))
        }
        return distance.map { .near(parts, distance: $0) } ?? node
    }

    private func words(_ node: TextQuery.Node?, _ token: TextQueryLexer.Token) throws(FreeholdError) -> TextQuery.Words {
        if case .words(let words)? = node { return words }
        throw lexer.error("NEAR stands between two words or phrases, not groups", token)
    }

    private mutating func operand() throws(FreeholdError) -> TextQuery.Node? {
        let token = try lexer.take()
        switch token.kind {
        case .words(let text, let match): return try words(text, match, token).map { .words($0) }
        case .open: return try group(token)
        case .near: throw lexer.error("NEAR stands between two words or phrases; to search for the word, write \"NEAR\"", token)
        default: throw lexer.error("expected a word or phrase, found \(token.name)", token)
        }
    }

    private mutating func group(_ open: TextQueryLexer.Token) throws(FreeholdError) -> TextQuery.Node {
        if depth >= TextQuery.maximumDepth { throw lexer.error("groups are nested more than \(TextQuery.maximumDepth) levels deep", open) }
        depth += 1
        defer { depth -= 1 }
        let node = try disjunction()
        guard try lexer.skip(.close) else { throw lexer.error("this '(' is not closed", open) }
        return node
    }

    /// The words of a text; nil if it has none.
    private mutating func words(
        _ text: String, _ match: TextQuery.Match, _ token: TextQueryLexer.Token
    ) throws(FreeholdError) -> TextQuery.Words? {
        let shape = TextQueryShape(text)
        if shape.termCount == 0 { return nil }
        termCount += shape.termCount
        if termCount > Self.maximumTerms { throw lexer.error("a search has at most \(Self.maximumTerms) words", token) }
        if case .fuzzy(let distance) = match {
            if shape.hasCharacters { throw lexer.error("'~' cannot follow '\(text)': its script is searched by parts anyway", token) }
            if shape.termCount > 1 { throw lexer.error("'~' follows a single word; '\(text)' is \(shape.termCount) words", token) }
            if shape.scalarCount <= distance {
                throw lexer.error("'\(text)~\(distance)' would match every short word; a fuzzy word is longer than its number", token)
            }
        }
        return TextQuery.Words(text: text, match: match)
    }
}

/// What a query's words are made of.
private struct TextQueryShape {
    private(set) var termCount = 0
    private(set) var hasCharacters = false
    /// The length of the first term in scalars.
    private(set) var scalarCount = 0

    init(_ text: String) {
        var text = text
        // Safe: the bytes are used within the call.
        text.withUTF8 { bytes in
            TextAnalyzer().forEachTerm(in: UnsafeRawBufferPointer(bytes)) { term in
                if termCount == 0 { scalarCount = term.bytes.count { $0 & 0xC0 != 0x80 } }
                termCount += 1
                if term.kind != .word { hasCharacters = true }
            }
        }
    }
}
