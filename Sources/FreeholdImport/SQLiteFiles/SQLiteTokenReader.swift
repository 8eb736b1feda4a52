import FreeholdEngine

/// Takes the tokens of a definition one after another.
struct SQLiteTokenReader {
    private let sql: String
    private let tokens: [SQLiteToken]
    private var index = 0

    init(_ sql: String) {
        self.sql = sql
        tokens = SQLiteToken.all(of: sql)
    }

    var isAtEnd: Bool { index >= tokens.count }

    private var current: SQLiteToken? { index < tokens.count ? tokens[index] : nil }

    func isAt(symbol: String) -> Bool { current?.isSymbol(symbol) ?? false }

    /// Whether a constraint of the table begins here.
    var isAtConstraint: Bool {
        guard let current else { return false }
        return ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"].contains { current.isWord($0) }
    }

    /// Takes a keyword, given in upper case; false if something else is here.
    mutating func take(_ word: String) -> Bool {
        guard let current, current.isWord(word) else { return false }
        index += 1
        return true
    }

    mutating func take(symbol: String) -> Bool {
        guard isAt(symbol: symbol) else { return false }
        index += 1
        return true
    }

    /// Takes a token, or all up to the parenthesis that closes the one here.
    mutating func skip() {
        var depth = 0
        repeat {
            if isAt(symbol: "(") { depth += 1 }
            if isAt(symbol: ")") { depth -= 1 }
            index += 1
        } while depth > 0 && !isAtEnd
    }

    /// Takes a name, in quotes or without.
    mutating func name() -> String? {
        guard let current, current.kind == .word || current.kind == .quoted else { return nil }
        index += 1
        return current.text
    }

    /// Takes a name that may have that of a schema before it.
    mutating func qualifiedName() -> String? {
        guard let first = name() else { return nil }
        return take(symbol: ".") ? name() : first
    }

    /// Takes the declared type of a column: words, and arguments in parentheses.
    mutating func typeName() -> String {
        var words: [String] = []
        while let current, current.kind == .word || current.kind == .quoted, !Self.endsType(current) {
            words.append(current.text)
            index += 1
        }
        guard !words.isEmpty, isAt(symbol: "("), let first = current else { return words.joined(separator: " ") }
        skip()
        let last = tokens[index - 1]
        let arguments = sql.utf8.dropFirst(first.range.lowerBound).prefix(last.range.upperBound - first.range.lowerBound)
        return words.joined(separator: " ") + String(decoding: Array(arguments), as: UTF8.self)
    }

    private static func endsType(_ token: SQLiteToken) -> Bool {
        let words = ["CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED", "AS"]
        return words.contains { token.isWord($0) }
    }

    /// Takes columns in parentheses, without their order.
    mutating func terms() -> SQLiteDeclaration.Terms {
        var terms: SQLiteDeclaration.Terms = []
        guard take(symbol: "(") else { return terms }
        while !isAtEnd, !take(symbol: ")") {
            if take("COLLATE") {
                let collation = name()
                if !terms.isEmpty { terms[terms.count - 1].collation = collation }
            } else if let name = name() {
                terms.append((name, nil))
            }
            while !isAtEnd, !isAt(symbol: ","), !isAt(symbol: ")"), !(current?.isWord("COLLATE") ?? false) { skip() }
            _ = take(symbol: ",")
        }
        return terms
    }

    /// Takes an action of a reference: `SET NULL`, `CASCADE`.
    mutating func action() -> String? {
        guard let first = name() else { return nil }
        let word = SQLiteName.uppercased(first)
        guard word.isSame(as: "SET") || word.isSame(as: "NO"), let second = name() else { return word }
        return "\(word) \(SQLiteName.uppercased(second))"
    }

    /// Takes the value after DEFAULT.
    mutating func fallback() -> SQLiteFallback {
        let start = index
        var depth = 0, isNegative = false
        while take(symbol: "(") { depth += 1 }
        if take(symbol: "-") { isNegative = true } else { _ = take(symbol: "+") }
        let value = literal(isNegative: isNegative, isEnclosed: depth > 0)
        var isWhole = value != nil
        for _ in 0..<depth { isWhole = isWhole && take(symbol: ")") }
        if isWhole, let value { return value }
        index = start
        if isAtEnd { return .none }
        skip()
        let first = tokens[start].range.lowerBound, last = tokens[min(index, tokens.count) - 1].range.upperBound
        return .expression(String(decoding: Array(sql.utf8.dropFirst(first).prefix(last - first)), as: UTF8.self))
    }

    var isAtNumber: Bool { current?.kind == .number }

    /// Takes a literal: a number, string, blob, NULL, or truth value.
    mutating func literal(isNegative: Bool, isEnclosed: Bool) -> SQLiteFallback? {
        guard let token = current else { return nil }
        index += 1
        switch token.kind {
        case .number: return .number(token.text, isNegative: isNegative)
        case .blob: return isNegative ? nil : .blob(token.text)
        case .quoted: return isNegative ? nil : .text(token.text)
        case .symbol: return nil
        case .word:
            if isNegative { return nil }
            if token.isWord("NULL") { return SQLiteFallback.none }
            if token.isWord("TRUE") || token.isWord("FALSE") { return .bool(token.isWord("TRUE")) }
            if ["CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP"].contains(where: { token.isWord($0) }) || isEnclosed { return nil }
            return .text(token.text)
        }
    }
}
