import FreeholdEngine

/// Comparisons with values that are stored as embedded objects. No link leads to such a value, so it is compared
/// property by property.
extension Query {
    /// The condition for `==`, `!=` and `in` with such values; nil for all other comparisons. Of a collection at least
    /// one element has to meet it.
    func memberwise(_ relation: QueryComparison.Relation, _ value: Any) -> Query<Bool>? {
        guard case .path(let path) = node, let objects = EmbeddedOperand.objects(in: value, relation) else { return nil }
        let options = objects.map { EmbeddedOperand.element($0, path, asking, isOther: relation == .notEqual) }
        return Query<Bool>(.condition(options.count == 1 ? options[0] : .any(options), EmbeddedElement.paths(of: path)), asking)
    }
}

/// A condition that at least one element of a collection has to meet, written as a subquery.
struct EmbeddedElement {
    /// The subquery's variable; it differs from those of users' subqueries.
    static let variable = "embedded"

    let path: PropertyPath
    let condition: QueryCondition

    init(path: PropertyPath, condition: QueryCondition) { (self.path, self.condition) = (path, condition) }

    /// The condition that a comparison was built from; nil if `found` did not build it.
    init?(_ comparison: QueryComparison) {
        guard case .subquery(let path, variable: Self.variable, let condition) = comparison.left else { return nil }
        self.init(path: path, condition: condition)
    }

    /// The condition on the object that has the collection.
    var found: QueryCondition { .comparison(QueryComparison(.subquery(path, variable: Self.variable, condition), .greater, .value(.int(0)))) }

    /// What an enclosing subquery needs to know about a path.
    static func paths(of path: QueryPath) -> [PropertyPath: [Int]] { path.collections.isEmpty ? [:] : [path.path: path.collections] }

    /// The condition with another variable.
    func condition(of variable: String) -> QueryCondition { Self.renamed(condition, variable) }

    private static func renamed(_ condition: QueryCondition, _ variable: String) -> QueryCondition {
        switch condition {
        case .constant: return condition
        case .all(let parts): return .all(parts.map { renamed($0, variable) })
        case .any(let parts): return .any(parts.map { renamed($0, variable) })
        case .not(let part): return .not(renamed(part, variable))
        case .comparison(var comparison):
            if case .path(let path) = comparison.left { comparison.left = .path(PropertyPath(path.steps, variable: variable)) }
            return .comparison(comparison)
        }
    }
}

private enum EmbeddedOperand {
    /// The unmanaged embedded objects that a value, or each of several values, is stored as; nil if one is not.
    static func objects(in value: Any, _ relation: QueryComparison.Relation) -> [ObjectBase]? {
        switch relation {
        case .equal, .notEqual: return object(value).map { [$0] }
        case .isIn:
            guard let values = value as? [Any], !values.isEmpty else { return nil }
            let objects = values.compactMap(object)
            return objects.count == values.count ? objects : nil
        default: return nil
        }
    }

    private static func object(_ value: Any) -> ObjectBase? {
        guard !(value is ObjectBase), let storable = value as? any _Storable, type(of: storable)._kind.isWrapped, type(of: storable)._kind.collections.isEmpty,
              let object = storable._object, type(of: object).isEmbeddedModel else { return nil }
        return object
    }

    /// Whether at least one element of the collection at the path's end, or the value there, equals the object, or
    /// differs.
    static func element(_ object: ObjectBase, _ path: QueryPath, _ asking: QueryAsking, isOther: Bool) -> QueryCondition {
        func compared(_ path: ([PathStep]) -> PropertyPath) -> QueryCondition {
            let condition = Self.condition(object, asking, path)
            return isOther ? .not(condition) : condition
        }
        guard let end = path.collections.last else { return compared { PropertyPath(path.steps + $0) } }
        let rest = Array(path.steps[end...])
        let condition = compared { PropertyPath(rest + $0, variable: EmbeddedElement.variable) }
        return EmbeddedElement(path: PropertyPath(Array(path.steps[..<end])), condition: condition).found
    }

    /// A condition that every property equals the object's.
    static func condition(_ object: ObjectBase, _ asking: QueryAsking, _ path: ([PathStep]) -> PropertyPath) -> QueryCondition {
        var all: [QueryCondition] = []
        for property in object.modelClass?.properties ?? [] where property.isStored {
            if property.isCollection {
                asking.note(FreeholdError(.typeMismatch, "'\(object.className).\(property.name)' is a collection, so values of this class cannot be compared"))
                continue
            }
            let value = object.anyValue(property.name)
            if property.isOwning, let within = (value as? any _Storable)?._object {
                all.append(condition(within, asking) { path([.property(property.name)] + $0) })
            } else {
                let operand = QueryExpression.value(value.map { asking.value($0) } ?? .null)
                all.append(.comparison(QueryComparison(.path(path([.property(property.name)])), .equal, operand)))
            }
        }
        return all.count == 1 ? all[0] : .all(all)
    }
}
