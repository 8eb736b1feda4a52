/// Paths as the caller wrote them, for messages, after their names were replaced by those in the file.
extension PropertyPath {
    /// The path with other names. Messages keep using the present ones.
    public func renamed(_ steps: [PathStep]) -> PropertyPath {
        var path = self
        path.steps = steps
        if steps != self.steps { path.place.written = place.written ?? self.steps }
        return path
    }

    /// The path as it was written.
    var written: PropertyPath { place.written.map { PropertyPath($0, variable: variable) } ?? self }
}

extension QueryExpression {
    /// The expression as it was written.
    var written: QueryExpression {
        switch self {
        case .value, .shape: self
        case .list(let elements): .list(elements.map(\.written))
        case .path(let path): .path(path.written)
        case .subquery(let path, let variable, let condition): .subquery(path.written, variable: variable, condition.written)
        case .arithmetic(let sign, let left, let right): .arithmetic(sign, left.written, right.written)
        case .negation(let inner): .negation(inner.written)
        case .distance(let paths, let point): .distance(paths.map(\.written), from: point)
        }
    }
}

extension QueryCondition {
    fileprivate var written: QueryCondition {
        switch self {
        case .constant: return self
        case .all(let parts): return .all(parts.map(\.written))
        case .any(let parts): return .any(parts.map(\.written))
        case .not(let part): return .not(part.written)
        case .comparison(var comparison):
            (comparison.left, comparison.right) = (comparison.left.written, comparison.right.written)
            return .comparison(comparison)
        }
    }
}
