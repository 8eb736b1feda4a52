/// Canonical text of a query: parsing it gives the same query.
extension ObjectQuery: CustomStringConvertible {
    /// `age > 18 AND name BEGINSWITH "A" SORT(age DESC) LIMIT(10)`
    public var description: String { text(\.description) }

    /// - Parameter step: the text of a step.
    fileprivate func text(_ step: (QueryStep) -> String) -> String {
        if steps.isEmpty { return condition.description }
        let suffixes = steps.map(step).joined(separator: " ")
        return condition == .constant(true) ? suffixes : "\(condition) \(suffixes)"
    }
}

extension QueryStep: CustomStringConvertible {
    /// `SORT(age DESC)`
    public var description: String {
        switch self {
        case .sort(let keys): "SORT(" + keys.map(\.description).joined(separator: ", ") + ")"
        case .distinct(let paths): "DISTINCT(" + paths.map(\.description).joined(separator: ", ") + ")"
        case .limit(let count): "LIMIT(\(count))"
        case .offset(let count): "OFFSET(\(count))"
        case .nearest(let nearest): nearest.description
        case .fuse(let fusion): fusion.description
        case .group(let paths, let figures):
            "GROUP(" + paths.map(\.description).joined(separator: ", ") + ") SELECT(" + figures.map(\.description).joined(separator: ", ") + ")"
        }
    }
}

extension QuerySort: CustomStringConvertible {
    /// `name ASC COLLATE "de"`
    public var description: String {
        "\(path) \(isAscending ? "ASC" : "DESC")" + (collation.map { " COLLATE \(QueryText.literal(.string($0)))" } ?? "")
    }
}

extension QueryStep {
    /// The step as text, without the numbers of vectors.
    var shortText: String {
        switch self {
        case .nearest(let nearest): nearest.shortText
        case .fuse(let fusion): fusion.text(\.shortText)
        case .sort, .distinct, .limit, .offset, .group: description
        }
    }
}

extension QueryFusion: CustomStringConvertible {
    /// `FUSE(title TEXT "tea" SORT(@score DESC), NEAREST(embedding, [0.25, -1.0], 100) WEIGHT 2.0, 10)`
    public var description: String { text(\.description) }

    /// - Parameter step: the text of a step.
    func text(_ step: (QueryStep) -> String) -> String {
        let parts = rankings.map { $0.query.text(step) + ($0.weight == 1 ? "" : " WEIGHT \(QueryText.literal(.double($0.weight)))") }
        return "FUSE(\(parts.joined(separator: ", ")), \(count))"
    }
}

extension QueryNearest: CustomStringConvertible {
    /// `NEAREST(embedding, [0.25, -1.0], 10)`
    public var description: String { text("[" + vector.map(Self.literal).joined(separator: ", ") + "]") }

    /// The step as text, with the given text for the vector.
    func text(_ vector: String) -> String {
        let options = (metric == .cosine ? "" : ", \(metric.rawValue)") + (elements == .float32 ? "" : ", \(elements.rawValue)")
        return "NEAREST(\(path), \(vector), \(count)\(options))"
    }

    /// The step as text with the number of dimensions for the vector.
    var shortText: String { text("a vector of \(vector.count)") }

    private static func literal(_ number: Float) -> String {
        if number.isNaN { return "nan" }
        return number.isInfinite ? number < 0 ? "-infinity" : "infinity" : "\(number)"
    }
}

extension QueryAggregate: CustomStringConvertible {
    /// `age.@avg`
    public var description: String { (path.map { "\($0)." } ?? "") + "@\(kind.rawValue)" }
}

extension QueryCondition: CustomStringConvertible {
    /// `age > 18 AND NOT (city == "Oslo")`
    public var description: String {
        switch self {
        case .constant(let flag): flag ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .all(let parts): Self.joined(parts, " AND ", empty: true)
        case .any(let parts): Self.joined(parts, " OR ", empty: false)
        case .not(let condition): "NOT (\(condition))"
        case .comparison(let comparison): comparison.description
        }
    }

    private static func joined(_ parts: [QueryCondition], _ word: String, empty: Bool) -> String {
        if parts.isEmpty { return QueryCondition.constant(empty).description }
        return parts.map { part in
            switch part {
            case .all, .any: parts.count > 1 ? "(\(part))" : "\(part)"
            default: "\(part)"
            }
        }.joined(separator: word)
    }
}

extension QueryComparison: CustomStringConvertible {
    /// `ANY tags ==[c] "new"`
    public var description: String {
        var options = ""
        if self.options.contains(.caseInsensitive) { options += "c" }
        if self.options.contains(.diacriticInsensitive) { options += "d" }
        var left = "\(left)"
        if [.text, .within].contains(relation), case .list(let paths) = self.left { left = paths.map { "\($0)" }.joined(separator: ", ") }
        let quantifier = quantifier.map { $0.rawValue + " " } ?? ""
        return "\(quantifier)\(left) \(relation.rawValue)" + (options.isEmpty ? "" : "[\(options)]") + " \(right)"
    }
}

extension QueryExpression: CustomStringConvertible {
    /// `(price - discount) * 2`
    public var description: String {
        switch self {
        case .value(let value): QueryText.literal(value)
        case .list(let elements): "{" + elements.map(\.description).joined(separator: ", ") + "}"
        case .path(let path): path.description
        case .subquery(let path, let variable, let condition): "SUBQUERY(\(path), $\(variable), \(condition)).@count"
        case .arithmetic(let sign, let left, let right): "\(Self.operand(left)) \(sign.rawValue) \(Self.operand(right))"
        case .negation(let expression): "-(\(expression))"
        case .shape(let shape): shape.description
        case .distance(let paths, let point): "@distance(\(paths.map(\.description).joined(separator: ", ")), \(point))"
        }
    }

    private static func operand(_ expression: QueryExpression) -> String {
        if case .arithmetic = expression { return "(\(expression))" }
        return "\(expression)"
    }
}

extension PropertyPath: CustomStringConvertible {
    /// `owner.address.city`
    public var description: String {
        if case .distance(let point, let longitude) = steps.last {
            let paths = [Array(steps.dropLast()), longitude].prefix(longitude.isEmpty ? 1 : 2).map { PropertyPath($0, variable: variable) }
            return QueryExpression.distance(paths, from: point).description
        }
        var text = variable.map { "$\($0)" } ?? ""
        for step in steps {
            let part = step.description
            text += text.isEmpty || part.hasPrefix("[") ? part : ".\(part)"
        }
        return steps.isEmpty && variable == nil ? "SELF" : text.hasPrefix("[") ? "SELF\(text)" : text
    }
}

extension PathStep: CustomStringConvertible {
    /// `name`, `['key']`, `@count`
    public var description: String {
        switch self {
        case .property(let name): QueryText.name(name)
        case .key(let key): "[\(QueryText.quoted(key))]"
        case .position(let position): "[\(position)]"
        case .first: "[FIRST]"
        case .last: "[LAST]"
        case .each: "[*]"
        case .keys: "@keys"
        case .values: "@values"
        case .backlinks(let name, let property): "@links.\(QueryText.name(name)).\(QueryText.name(property))"
        case .links: "@links"
        case .size: "@size"
        case .type: "@type"
        case .score: "@score"
        case .distance(let point, _): "@distance(\(point))"
        case .aggregate(let kind): "@\(kind.rawValue)"
        }
    }
}
