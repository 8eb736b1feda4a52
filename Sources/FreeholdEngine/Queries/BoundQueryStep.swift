/// A step of a query with resolved names.
enum BoundQueryStep {
    case sort([(path: BoundPath, isAscending: Bool)])
    case distinct([BoundPath])
    case limit(Int)
    case offset(Int)
    case group([BoundPath], [(kind: AggregateKind, path: BoundPath?)])

    var isGroup: Bool { if case .group = self { true } else { false } }
    var isSort: Bool { if case .sort = self { true } else { false } }

    /// Whether the number of objects left depends on their values.
    var looksAtValues: Bool { if case .distinct = self { true } else { false } }
}

extension QueryBinder {
    mutating func step(_ step: QueryStep) throws(FreeholdError) -> BoundQueryStep {
        switch step {
        case .limit(let count): return .limit(count)
        case .offset(let count): return .offset(count)
        case .sort(let keys):
            var bound: [(path: BoundPath, isAscending: Bool)] = []
            isInSort = true
            defer { isInSort = false }
            for key in keys { bound.append((try sortable(key.path), key.isAscending)) }
            return .sort(bound)
        case .distinct(let paths): return .distinct(try single(paths, "DISTINCT"))
        case .group(let paths, let figures):
            var bound: [(kind: AggregateKind, path: BoundPath?)] = []
            for figure in figures { bound.append((figure.kind, try figure.path.map { path throws(FreeholdError) in try measurable(path, figure) })) }
            return .group(try single(paths, "GROUP"), bound)
        }
    }

    private func single(_ paths: [PropertyPath], _ word: String) throws(FreeholdError) -> [BoundPath] {
        var bound: [BoundPath] = []
        for path in paths { bound.append(try single(path, word)) }
        return bound
    }

    /// A path to one value.
    private func single(_ path: PropertyPath, _ word: String) throws(FreeholdError) -> BoundPath {
        if path.steps.contains(where: { if case .aggregate = $0 { true } else { false } }) {
            throw error(.typeMismatch, "\(word) takes properties; '\(path.written)' is an aggregate", at: path.place)
        }
        let bound = try boundPath(path, path.steps[...])
        guard !bound.isToMany, !bound.isCollection else {
            throw error(.typeMismatch, "\(word) takes single values; '\(path.written)' has several", at: path.place)
        }
        return bound
    }

    private func sortable(_ path: PropertyPath) throws(FreeholdError) -> BoundPath {
        if case .distance(let point, let longitude) = path.steps.last { return try distance(path, longitude, from: point) }
        let bound = try single(path, "SORT")
        if bound.type == .data || bound.type == .link {
            throw error(.typeMismatch, "'\(path.written)' is of type \(bound.type.name), which cannot be sorted", at: path.place)
        }
        return bound
    }

    /// A path to values that can be aggregated.
    private func measurable(_ path: PropertyPath, _ figure: QueryAggregate) throws(FreeholdError) -> BoundPath {
        let bound = try boundPath(path, path.steps[...])
        if figure.kind == .sum || figure.kind == .avg, !bound.type.isNumber, bound.type != .mixed {
            throw error(.typeMismatch, "@\(figure.kind.rawValue) needs numbers; '\(path.written)' is of type \(bound.type.name)", at: path.place)
        }
        return bound
    }
}
