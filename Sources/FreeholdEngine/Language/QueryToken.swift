/// A token of a query's text, and its column.
struct QueryToken: Equatable {
    enum Kind: Equatable {
        /// A name or keyword; quoted ones are names only.
        case word(String, isQuoted: Bool)
        /// A number as written.
        case number(String)
        case string(String)
        case date(Timestamp)
        case symbol(String)
        /// `%@` and similar placeholders, or `%K`.
        case nextArgument(isPath: Bool)
        /// `$0`, or `$K0`.
        case argument(Int, isPath: Bool)
        /// `$name`
        case variable(String)
        case end
    }

    let kind: Kind
    /// Counted from 1.
    let column: Int
    /// The word in lower case if it may be a keyword.
    let keyword: String?

    init(kind: Kind, column: Int) {
        (self.kind, self.column) = (kind, column)
        if case .word(let word, isQuoted: false) = kind { keyword = word.lowercased() } else { keyword = nil }
    }

    func isSymbol(_ symbol: String) -> Bool { if case .symbol(let own) = kind { own == symbol } else { false } }

    /// The token as messages quote it.
    var text: String {
        switch kind {
        case .word(let word, _), .number(let word), .symbol(let word): "'\(word)'"
        case .string(let text): "the string '\(text.count > 20 ? text.prefix(20) + "…" : text[...])'"
        case .date: "a date"
        case .nextArgument(let isPath): isPath ? "'%K'" : "'%@'"
        case .argument(let number, let isPath): isPath ? "'$K\(number)'" : "'$\(number)'"
        case .variable(let name): "'$\(name)'"
        case .end: "the end"
        }
    }
}
