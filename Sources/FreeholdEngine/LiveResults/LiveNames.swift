/// The resolved names of a live query: valid in every version with the same schema.
struct LiveNames {
    fileprivate let schema: StoredSchema
    let query: ObjectQuery
    let condition: BoundCondition
    let steps: [BoundQueryStep]

    /// Nil if the query follows links, or has rankings: their tables are those of one version.
    init?(_ prepared: PreparedQuery, in schema: StoredSchema) {
        if prepared.steps.contains(where: \.isFusion) { return nil }
        guard !prepared.condition.hasTables, !prepared.stepPaths.contains(where: \.hasTables) else { return nil }
        self.schema = schema
        query = prepared.query
        condition = prepared.condition
        steps = prepared.steps
    }

    func areGood(in other: StoredSchema) -> Bool { schema === other }
}

extension PreparedQuery {
    init(_ table: Table, _ names: LiveNames) {
        self.table = table
        query = names.query
        condition = names.condition
        steps = names.steps
        scores = query.condition.hasSearch ? TextScores(condition.scoredSearches, table) : nil
    }
}

extension BoundCondition {
    /// Whether the condition contains tables of one version, which links lead to.
    fileprivate var hasTables: Bool {
        switch self {
        case .constant: false
        case .test(let test): test.comparison.hasTables
        case .not(let part): part.hasTables
        case .all(let parts), .any(let parts): parts.contains(where: \.hasTables)
        case .comparison(let comparison): comparison.hasTables
        case .search(let search): search.paths.contains(where: \.hasTables)
        case .within(let within): within.place.paths.contains(where: \.hasTables)
        }
    }
}

extension BoundComparison {
    fileprivate var hasTables: Bool { left.hasTables || right.contains(where: \.hasTables) }
}

extension BoundExpression {
    fileprivate var hasTables: Bool {
        switch self {
        case .constant: false
        case .path(let path), .figure(_, let path): path.hasTables
        case .subquery: true
        case .arithmetic(_, let left, let right): left.hasTables || right.hasTables
        case .negation(let inner): inner.hasTables
        case .distance(let distance): distance.place.paths.contains(where: \.hasTables)
        }
    }
}

extension BoundPath {
    fileprivate var hasTables: Bool { targets != nil || !isOfOneTable }
}
