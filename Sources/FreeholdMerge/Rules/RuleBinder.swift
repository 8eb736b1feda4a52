import FreeholdEngine

/// Makes a condition of a query's tree: names become numbers of properties, and what one row cannot decide is refused.
struct RuleBinder {
    let schema: SyncSchema
    let type: SyncSchema.Class
    /// Makes an error of a message and a column of the condition.
    let mistake: (FreeholdError.Code, Int, String) -> FreeholdError
    /// What stands for parameters in the tree.
    let parameters: [ExactText: RuleParameter]

    func condition(_ source: QueryCondition) throws(FreeholdError) -> RuleCondition {
        switch source {
        case .constant(let flag): return .constant(flag)
        case .all(let parts): return .all(try conditions(parts))
        case .any(let parts): return .any(try conditions(parts))
        case .not(let part): return .not(try condition(part))
        case .comparison(let comparison): return .comparison(try self.comparison(comparison))
        }
    }

    private func conditions(_ parts: [QueryCondition]) throws(FreeholdError) -> [RuleCondition] {
        var bound: [RuleCondition] = []
        for part in parts { bound.append(try condition(part)) }
        return bound
    }

    // MARK: Comparisons

    private func comparison(_ source: QueryComparison) throws(FreeholdError) -> RuleComparison {
        let column = source.left.place.column
        if source.relation == .text || source.relation == .within {
            throw mistake(.malformedInput, column, "\(source.relation.rawValue) is for queries in a file; compare with ==, IN or CONTAINS")
        }
        var quantifier = source.quantifier, relation = source.relation
        let left = try expression(source.left)
        if relation == .contains, quantifier == nil, left.isToMany { (quantifier, relation) = (.any, .equal) }
        guard left.isToMany == (quantifier != nil) else {
            throw mistake(.typeMismatch, column, left.isToMany ? "'\(source.left)' has several values; put ANY, ALL or NONE before it"
                : "\(quantifier!.rawValue) needs a collection of the object; '\(name(source.left))' is none")
        }
        var right: [RuleExpression] = []
        if case .list(let elements) = source.right {
            guard relation == .isIn || relation == .between && elements.count == 2 else {
                throw mistake(.malformedInput, column, "a list in braces stands on the right of IN, and two values on that of BETWEEN")
            }
            for element in elements { right.append(try expression(element)) }
        } else {
            right = [try expression(source.right)]
            if relation == .isIn ? !right[0].isToMany && !right[0].isParameter : right[0].isToMany {
                throw mistake(.typeMismatch, column, relation == .isIn ? "IN takes values in braces, a collection or a claim"
                    : "'\(source.right)' has several values; write it on the left with ANY, ALL or NONE")
            }
        }
        try require(left, relation, source)
        for place in right.indices { right[place] = try fitted(right[place], to: left, relation, column) }
        let fittedLeft = right.count == 1 ? try fitted(left, to: right[0], relation, column) : left
        return RuleComparison(quantifier: quantifier, left: fittedLeft, relation: relation, options: source.options, right: right)
    }

    /// Requires a left side that the relation can apply to.
    private func require(_ left: RuleExpression, _ relation: QueryComparison.Relation, _ source: QueryComparison) throws(FreeholdError) {
        guard let type = left.type else { return }
        let column = source.left.place.column
        if relation.isTextual || !source.options.isEmpty, ![.string, .data, .mixed].contains(type) {
            throw mistake(.typeMismatch, column, "\(relation.rawValue) needs strings; '\(name(source.left))' is of type \(type.name)")
        }
        if relation.isOrdering, [.bool, .link].contains(type) {
            throw mistake(.typeMismatch, column, "\(relation.rawValue) needs an order; '\(name(source.left))' is of type \(type.name)")
        }
    }

    /// A side with the type of the other one: a constant as the property has it.
    private func fitted(_ side: RuleExpression, to other: RuleExpression, _ relation: QueryComparison.Relation, _ column: Int)
        throws(FreeholdError) -> RuleExpression
    {
        if side.isNull || other.isNull || other.isParameter { return side }
        guard let type = other.type else { return side }
        if type == .link {
            throw mistake(.typeMismatch, column, "a link is compared with NULL only; compare its target's key, as in owner.id == $user")
        }
        switch side {
        case .constant(let value):
            if let fitted = PlainComparison.fitted(value, to: type) { return .constant(fitted) }
            throw mistake(.typeMismatch, column, "a value of type \(value.type?.name ?? "null") is never one of type \(type.name)")
        case .parameter(.user):
            if [.string, .data, .uuid, .objectId, .mixed].contains(type) { return side }
            throw mistake(.typeMismatch, column, "$user is a string, and never a value of type \(type.name)")
        case .parameter: return side
        case .path, .arithmetic, .negation:
            guard let own = side.type, !PlainComparison.areComparable(own, type) else { return side }
            throw mistake(.typeMismatch, column, "a value of type \(own.name) is never one of type \(type.name)")
        }
    }

    private func name(_ expression: QueryExpression) -> String {
        if case .value = expression { "the value on the left" } else { "\(expression)" }
    }

    // MARK: Expressions

    private func expression(_ source: QueryExpression) throws(FreeholdError) -> RuleExpression {
        switch source {
        case .value(.string(let text)):
            return parameters[ExactText(text)].map { .parameter($0) } ?? .constant(.string(text))
        case .value(let value): return .constant(value)
        case .path(let path): return .path(try RulePathBinder(binder: self, path: path).bound())
        case .arithmetic(let sign, let left, let right): return .arithmetic(sign, try number(left), try number(right))
        case .negation(let inner): return .negation(try number(inner))
        case .list: throw mistake(.malformedInput, 0, "a list in braces stands on the right of IN or BETWEEN")
        case .subquery(let path, _, _):
            throw mistake(.malformedInput, path.place.column, "SUBQUERY reads other objects; a rule is decided by one object alone")
        case .shape, .distance:
            throw mistake(.malformedInput, source.place.column, "places are for queries in a file; compare numbers, as in latitude > 59")
        }
    }

    private func number(_ source: QueryExpression) throws(FreeholdError) -> RuleExpression {
        let bound = try expression(source)
        let numbers: [PropertyType] = [.int, .float, .double, .decimal, .mixed]
        if !bound.isToMany, !bound.isParameter, bound.isNull || bound.type.map(numbers.contains) ?? true { return bound }
        throw mistake(.typeMismatch, source.place.column, "'\(name(source))' is not numeric; arithmetic needs numbers")
    }
}

/// Finds what a path of a condition leads to.
struct RulePathBinder {
    let binder: RuleBinder
    let path: PropertyPath

    private var type: SyncSchema.Class { binder.type }

    func bound() throws(FreeholdError) -> RulePath {
        var steps = path.steps[...]
        guard case .property(let first) = steps.popFirst() else {
            throw mistake("a rule compares properties of the object; '\(path)' is none")
        }
        if first.isSame(as: type.key.name), number(first) == nil {
            if !steps.isEmpty { throw mistake("the primary key `\(first)` has no parts") }
            return RulePath(place: .key, isOfTarget: false, type: type.key.type)
        }
        var name = first
        guard var property = number(name) else { throw unknown(name) }
        // Properties of embedded objects have dotted names.
        while case .property(let inner) = steps.first, let next = number("\(name).\(inner)") {
            (name, property) = ("\(name).\(inner)", next)
            steps.removeFirst()
        }
        return try element(property, steps)
    }

    private func element(_ property: Int32, _ rest: ArraySlice<PathStep>) throws(FreeholdError) -> RulePath {
        var steps = rest
        let kind = type.properties[Int(property)].kind
        switch kind {
        case .plain, .counter, .merged: return try target(.single(property), property, steps)
        case .set, .list:
            if case .each = steps.first { steps.removeFirst() }
            return try target(.elements(property), property, steps)
        case .map:
            switch steps.first {
            case .keys:
                if steps.count > 1 { throw mistake("the keys of a map have no parts") }
                return RulePath(place: .mapKeys(property), isOfTarget: false, type: .string)
            case .key(let key):
                steps.removeFirst()
                let parameter = binder.parameters[ExactText(key)]
                return try target(.entry(property, parameter.map { .parameter($0) } ?? .constant(.string(key))), property, steps)
            case .each, .values:
                steps.removeFirst()
                return try target(.elements(property), property, steps)
            default: return try target(.elements(property), property, steps)
            }
        }
    }

    /// The values at a place, or the keys of the objects that they link to.
    private func target(_ place: RulePath.Place, _ property: Int32, _ rest: ArraySlice<PathStep>) throws(FreeholdError) -> RulePath {
        let declared = type.properties[Int(property)]
        guard let step = rest.first else { return RulePath(place: place, isOfTarget: false, type: declared.type) }
        if case .property(let name) = step {
            let other = declared.target.flatMap { target in binder.schema.classes.first { $0.name.isSame(as: target) } }
            if let other, rest.count == 1, other.key.name.isSame(as: name) {
                return RulePath(place: place, isOfTarget: true, type: other.key.type)
            }
            if let other {
                throw mistake("'\(path)' follows a link; a rule may ask for the key `\(other.key.name)` of a linked object, and for "
                    + "no more: keep what it needs in \(type.name) itself")
            }
            throw unknown("\(declared.name).\(name)")
        }
        throw mistake("'\(path)' has a step that no rule can take; a rule compares properties, elements of collections with ANY, ALL or "
            + "NONE, values of maps (`map['key']`), and their keys (`map.@keys`)")
    }

    private func number(_ name: String) -> Int32? {
        type.properties.firstIndex { $0.name.isSame(as: name) && !$0.name.isSame(as: SyncNames.subclass) }.map { Int32($0) }
    }

    private func unknown(_ name: String) -> FreeholdError {
        let names = type.properties.map(\.name) + [type.key.name]
        return binder.mistake(.unknownProperty, path.place.column,
                              "property '\(name)' not found in \(type.name)\(suggestion(for: name, among: names))")
    }

    private func mistake(_ what: String) -> FreeholdError { binder.mistake(.malformedInput, path.place.column, what) }
}
