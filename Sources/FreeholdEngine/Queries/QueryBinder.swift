/// Resolves the names of a query in a table's schema, and checks that the compared values are comparable.
struct QueryBinder {
    let table: Table
    /// The objects that paths begin at: the tested one, then those of the variables of subqueries.
    private var origins: [(variable: String?, table: Table)]
    /// The classes of these objects.
    var tables: [Table] { origins.map(\.table) }
    /// The scores of the query's objects, once the condition is resolved; nil if it has no full-text search.
    var scores: (any ObjectScores)?
    /// Whether the names of SORT are resolved.
    var isInSort = false

    init(_ table: Table) {
        self.table = table
        origins = [(nil, table)]
    }

    func error(_ code: FreeholdError.Code, _ message: String, at place: SourcePlace) -> FreeholdError {
        Self.error(code, message, at: place)
    }

    static func error(_ code: FreeholdError.Code, _ message: String, at place: SourcePlace) -> FreeholdError {
        FreeholdError(code, place.column == 0 ? message : "query, column \(place.column): \(message)")
    }

    // MARK: conditions

    mutating func condition(_ condition: QueryCondition) throws(FreeholdError) -> BoundCondition {
        switch condition {
        case .constant(let flag): return .constant(flag)
        case .all(let parts): return .all(try conditions(parts))
        case .any(let parts): return .any(try conditions(parts))
        case .not(let part): return .not(try self.condition(part))
        case .comparison(let comparison): return try self.comparison(comparison)
        }
    }

    private mutating func conditions(_ parts: [QueryCondition]) throws(FreeholdError) -> [BoundCondition] {
        var bound: [BoundCondition] = []
        for part in parts { bound.append(try condition(part)) }
        return bound
    }

    // MARK: expressions

    mutating func expression(_ expression: QueryExpression) throws(FreeholdError) -> BoundExpression {
        switch expression {
        case .value(let value): return .constant(value)
        case .list: throw FreeholdError(.malformedInput, "query: a list in braces is allowed after IN or BETWEEN only")
        case .shape: throw FreeholdError(.malformedInput, "query: a shape is allowed after GEOWITHIN only")
        case .distance(let paths, let point): return .distance(try distance(paths, from: point))
        case .path(let path): return try self.path(path)
        case .subquery(let path, let variable, let condition): return try subquery(path, variable, condition)
        case .arithmetic(let sign, let left, let right):
            let one = try self.expression(left), other = try self.expression(right)
            try requireNumber(one, left)
            try requireNumber(other, right)
            if let first = one.constant, let second = other.constant { return .constant(Arithmetic.result(sign, first, second)) }
            return .arithmetic(sign, one, other)
        case .negation(let inner):
            let bound = try self.expression(inner)
            try requireNumber(bound, inner)
            return .negation(bound)
        }
    }

    private func requireNumber(_ expression: BoundExpression, _ source: QueryExpression) throws(FreeholdError) {
        let isNumber = switch expression {
        case .constant(let value): value.isNumber || value == .null
        case .path(let path): !path.isToMany && [.int, .float, .double, .decimal, .mixed].contains(path.type)
        case .figure, .subquery, .arithmetic, .negation, .distance: true
        }
        if !isNumber { throw error(.typeMismatch, "'\(source.written)' is not numeric; arithmetic needs numbers", at: source.place) }
    }

    private mutating func subquery(_ path: PropertyPath, _ variable: String, _ condition: QueryCondition) throws(FreeholdError) -> BoundExpression {
        let collection = try boundPath(path, path.steps[...])
        guard let targets = collection.targets, collection.isToMany else {
            throw error(.typeMismatch, "SUBQUERY needs a collection of objects; '\(path.written)' is not one", at: path.place)
        }
        origins.append((variable, targets))
        defer { origins.removeLast() }
        let bound = try self.condition(condition)
        return .subquery(collection, bound.ordered(), slot: origins.count - 1)
    }

    // MARK: paths

    /// A path, or an aggregate over it.
    private func path(_ path: PropertyPath) throws(FreeholdError) -> BoundExpression {
        guard let place = path.steps.firstIndex(where: { if case .aggregate = $0 { true } else { false } }),
              case .aggregate(let kind) = path.steps[place] else { return .path(try boundPath(path, path.steps[...])) }
        let rest = path.steps[(place + 1)...]
        let hasMore = rest.contains { if case .aggregate = $0 { true } else { false } }
        if hasMore { throw error(.malformedInput, "'\(path.written)' has more than one aggregate; a path may have one", at: path.place) }
        if kind == .count, !rest.isEmpty { throw error(.malformedInput, "nothing may follow @count in '\(path.written)'", at: path.place) }
        let bound = try boundPath(path, path.steps[..<place] + rest)
        guard bound.isToMany else { throw error(.typeMismatch, "@\(kind.rawValue) needs a collection; '\(path.written)' is a single value", at: path.place) }
        if kind == .count, bound.origin == 0, bound.steps.count == 1, case .elements(let column) = bound.steps[0] {
            return .path(BoundPath(origin: 0, [.size(column)], type: .int, targets: nil, isToMany: false, source: bound.source))
        }
        let types: [PropertyType] = kind == .sum || kind == .avg ? [.int, .float, .double, .decimal, .mixed] : [.int, .float, .double, .decimal, .mixed, .date]
        guard kind == .count || types.contains(bound.type) else {
            throw error(.typeMismatch, "@\(kind.rawValue) needs numbers\(kind == .min || kind == .max ? " or dates" : ""); the values of '\(path.written)' are of type "
                + "\(bound.type.name)", at: path.place)
        }
        return .figure(kind, bound)
    }

    /// The path to one value or many, without an aggregate.
    func boundPath(_ path: PropertyPath, _ steps: ArraySlice<PathStep>) throws(FreeholdError) -> BoundPath {
        let origin: Int
        if let variable = path.variable {
            guard let found = origins.lastIndex(where: { $0.variable == variable }) else {
                throw error(.malformedInput, "$\(variable) is not a variable of an enclosing SUBQUERY", at: path.place)
            }
            origin = found
        } else {
            origin = 0
        }
        var walk = PathBinder(origins[origin].table, path)
        for step in steps { try walk.add(step, self) }
        return try walk.finish(origin: origin)
    }
}

extension QueryExpression {
    /// The place in the query's text, if known.
    package var place: SourcePlace {
        switch self {
        case .path(let path), .subquery(let path, _, _): path.place
        case .arithmetic(_, let left, _): left.place
        case .negation(let inner): inner.place
        case .distance(let paths, _): paths.first?.place ?? SourcePlace()
        case .value, .list, .shape: SourcePlace()
        }
    }
}
