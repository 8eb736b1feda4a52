/// Remarks on queries that are allowed but seldom intended.
extension PreparedQuery {
    /// Remarks on probable mistakes in the query, a sentence each: a pattern of `LIKE` with the wildcards of SQL.
    ///
    /// Empty for most queries; the command line and `explanation` print them.
    public var notes: [String] { query.condition.notes }
}

extension QueryCondition {
    fileprivate var notes: [String] {
        switch self {
        case .constant: []
        case .all(let parts), .any(let parts): parts.flatMap(\.notes)
        case .not(let part): part.notes
        case .comparison(let comparison): comparison.left.notes + comparison.right.notes + comparison.notes
        }
    }
}

extension QueryExpression {
    fileprivate var notes: [String] {
        switch self {
        case .value, .path, .shape, .distance: []
        case .list(let elements): elements.flatMap(\.notes)
        case .subquery(_, _, let condition): condition.notes
        case .arithmetic(_, let left, let right): left.notes + right.notes
        case .negation(let inner): inner.notes
        }
    }
}

extension QueryComparison {
    fileprivate var notes: [String] {
        guard relation == .like, case .value(.string(let pattern)) = right, pattern.contains(where: { "%_".contains($0) }),
              !pattern.contains(where: { "*?".contains($0) }) else { return [] }
        return ["LIKE \(QueryText.quoted(pattern)) matches exactly this string: * stands for any characters and ? for one, % and _ for themselves"]
    }
}
