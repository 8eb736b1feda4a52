import FreeholdEngine

/// Comparing with values that are stored as embedded objects. No link leads to such a value, so it is compared property by property.
extension Query {
    /// The condition for `==`, `!=` and `in` with such values; nil for all other comparisons.
    func memberwise(_ relation: QueryComparison.Relation, _ value: Any) -> Query<Bool>? {
        guard case .path(let path) = node, let objects = EmbeddedOperand.objects(in: value, relation) else { return nil }
        let options = objects.map { element($0, path) }
        let condition: QueryCondition = options.count == 1 ? options[0] : .any(options)
        return Query<Bool>(.condition(relation == .notEqual ? .not(condition) : condition, [:]), asking)
    }

    /// Whether one element of the collection at the path's end, or the value there, is as the object.
    private func element(_ object: ObjectBase, _ path: QueryPath) -> QueryCondition {
        guard let end = path.collections.last else { return EmbeddedOperand.condition(object, asking) { PropertyPath(path.steps + $0) } }
        let variable = "embedded", rest = Array(path.steps[end...])
        let condition = EmbeddedOperand.condition(object, asking) { PropertyPath(rest + $0, variable: variable) }
        let found = QueryExpression.subquery(PropertyPath(Array(path.steps[..<end])), variable: variable, condition)
        return .comparison(QueryComparison(found, .greater, .value(.int(0))))
    }
}

private enum EmbeddedOperand {
    /// The unmanaged embedded objects that a value, or each of several, is stored as; nil if one is not.
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

    /// Whether every property is as the object has it.
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
