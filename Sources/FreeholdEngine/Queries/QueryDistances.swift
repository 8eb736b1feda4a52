/// Distances as values of an answer.
extension PreparedQuery {
    /// The distances of objects, in metres along the surface: those that the last `SORT(@distance(…))` orders by, or without one
    /// those of the first `@distance(…)` in the condition; nil for an object without a place, and for keys without an object. Of
    /// several rankings of FUSE with such a SORT the first counts.
    ///
    /// ```swift
    /// let query = try cafes.prepare(ObjectQuery("SORT(@distance(location, [10.75, 59.91])) LIMIT(10)"))
    /// let keys = try query.keys(), meters = try query.distances(of: keys)
    /// ```
    /// - Throws: `.malformedInput` if the query has no such `@distance`.
    public func distances(of keys: [ObjectKey]) throws(FreeholdError) -> [Double?] {
        let distance = try distance(), context = QueryContext()
        return try keys.map { key throws(FreeholdError) in
            guard let row = try table.row(key) else { return nil }
            context.look(at: row)
            return try distance.value(context).double
        }
    }

    private func distance() throws(FreeholdError) -> BoundDistance {
        for step in steps.reversed() {
            let paths: [BoundPath] = switch step {
            case .sort(let keys): keys.map(\.path)
            case .fuse(let fusion): fusion.paths
            case .distinct, .limit, .offset, .nearest, .group: []
            }
            if let distance = paths.lazy.compactMap(\.distance).first { return distance }
        }
        guard let (paths, point) = query.condition.firstDistance else {
            throw FreeholdError(.malformedInput, "the query has no @distance outside of subqueries and of the conditions of FUSE's "
                + "rankings, so its objects have no distances; add SORT(@distance(place, [longitude, latitude]))")
        }
        return try QueryBinder(table).distance(paths, from: point)
    }
}

extension QueryCondition {
    /// The first distance of the tested objects, as it is written.
    fileprivate var firstDistance: ([PropertyPath], GeoPoint)? {
        switch self {
        case .constant: nil
        case .not(let inner): inner.firstDistance
        case .all(let parts), .any(let parts): parts.lazy.compactMap(\.firstDistance).first
        case .comparison(let comparison): comparison.left.firstDistance ?? comparison.right.firstDistance
        }
    }
}

extension QueryExpression {
    fileprivate var firstDistance: ([PropertyPath], GeoPoint)? {
        switch self {
        case .distance(let paths, let point): (paths, point)
        case .arithmetic(_, let left, let right): left.firstDistance ?? right.firstDistance
        case .negation(let inner): inner.firstDistance
        case .list(let parts): parts.lazy.compactMap(\.firstDistance).first
        case .path, .value, .shape, .subquery: nil
        }
    }
}
