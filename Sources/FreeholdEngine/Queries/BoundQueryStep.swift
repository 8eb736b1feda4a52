/// A step of a query with resolved names.
enum BoundQueryStep {
    case sort([BoundSort])
    case distinct([BoundPath])
    case limit(Int)
    case offset(Int)
    case nearest(BoundNearest)
    case fuse(BoundFusion)
    case group([BoundPath], [(kind: AggregateKind, path: BoundPath?)])

    var isGroup: Bool { if case .group = self { true } else { false } }
    var isSort: Bool { if case .sort = self { true } else { false } }

    /// Whether the number of objects left depends on their values.
    var looksAtValues: Bool {
        switch self {
        case .distinct, .nearest, .fuse: true
        case .sort, .limit, .offset, .group: false
        }
    }
}

extension BoundQueryStep {
    /// The conditions that the rankings of the step test.
    var conditions: [BoundCondition] { if case .fuse(let fusion) = self { fusion.conditions } else { [] } }

    /// The full-text searches of the rankings of the step.
    var fusedSearches: [BoundSearch] { if case .fuse(let fusion) = self { fusion.searches } else { [] } }

    var isFusion: Bool { if case .fuse = self { true } else { false } }
}

extension QueryBinder {
    /// Resolves the names of a step other than FUSE.
    mutating func step(_ step: QueryStep) throws(FreeholdError) -> BoundQueryStep {
        switch step {
        case .limit(let count): return .limit(count)
        case .offset(let count): return .offset(count)
        case .nearest(let nearest): return .nearest(try self.nearest(nearest))
        case .fuse: preconditionFailure("the rankings of FUSE are queries of their own")
        case .sort(let keys):
            var bound: [BoundSort] = []
            isInSort = true
            defer { isInSort = false }
            for key in keys { bound.append(try sort(key)) }
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

    private func sort(_ key: QuerySort) throws(FreeholdError) -> BoundSort {
        let path = try sortable(key.path)
        guard let tag = key.collation else { return BoundSort(path: path, isAscending: key.isAscending, collation: nil) }
        if path.type != .string && path.type != .mixed {
            throw error(.typeMismatch, "COLLATE orders strings; '\(key.path.written)' is of type \(path.type.name)", at: key.path.place)
        }
        return BoundSort(path: path, isAscending: key.isAscending, collation: try languageOrder(tag, at: key.collationPlace))
    }

    private func languageOrder(_ tag: String, at place: SourcePlace) throws(FreeholdError) -> LanguageOrder {
        do { return try LanguageOrder(tag, table.state.access.system) } catch { throw self.error(error.code, error.message, at: place) }
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
