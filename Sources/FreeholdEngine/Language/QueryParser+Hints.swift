/// Hints for users of SQL: how this language writes what they meant.
extension QueryParser {
    /// A hint for what begins at the next token; nil if it is not SQL.
    var spellingOfSQL: String? {
        switch next.keyword {
        case "not": Self.spellingOfNot[afterNext.keyword ?? ""]
        case let keyword?: stepKeyword() == nil ? Self.spellings[keyword] : nil
        default: nil
        }
    }

    /// A hint for the whole query, if it begins as SQL does and as no condition can; nil otherwise.
    var spellingOfBeginning: String? {
        let first = token(at: 0), second = token(at: 1)
        guard let keyword = first.keyword, let spelling = Self.spellings[keyword] ?? Self.spellingsOfBeginnings[keyword] else { return nil }
        switch second.kind {
        case .word(let word, isQuoted: false):
            // A property may have such a name: then a relation follows.
            let word = word.lowercased(), isNegated = word == "not" && Self.spellingOfNot[token(at: 2).keyword ?? ""] != nil
            return Self.relations[word] != nil || ["and", "or", "is"].contains(word) || isNegated ? nil : spelling
        case .word, .number, .string, .nextArgument, .argument, .variable: return spelling
        case .symbol("*"), .symbol("("): return keyword == "select" || keyword == "where" ? spelling : nil
        default: return nil
        }
    }

    private static let spellings = [
        "order": "ORDER BY name DESC is written SORT(name DESC)", "sort": "SORT BY name is written SORT(name)",
        "limit": "LIMIT 10 is written LIMIT(10), and OFFSET 10 OFFSET(10)", "offset": "LIMIT 10 is written LIMIT(10), and OFFSET 10 OFFSET(10)",
        "group": "GROUP BY city is written GROUP(city) SELECT(@count)", "distinct": "DISTINCT name is written DISTINCT(name)",
        "is": "IS NULL is written == nil, and IS NOT NULL != nil", "where": "WHERE age > 3 is written age > 3",
    ]

    private static let spellingsOfBeginnings = [
        "select": "SELECT * FROM Person WHERE age > 3 is written age > 3", "between": "BETWEEN follows a property, as in age BETWEEN {1, 5}",
    ]

    private static let spellingOfNot = [
        "in": "age NOT IN (1, 2) is written NOT age IN {1, 2}", "like": "name NOT LIKE 'x' is written NOT name LIKE 'x'",
        "between": "age NOT BETWEEN 1 AND 5 is written NOT age BETWEEN {1, 5}", "contains": "name NOT CONTAINS 'x' is written NOT name CONTAINS 'x'",
        "beginswith": "name NOT BEGINSWITH 'x' is written NOT name BEGINSWITH 'x'",
        "endswith": "name NOT ENDSWITH 'x' is written NOT name ENDSWITH 'x'",
    ]
}
