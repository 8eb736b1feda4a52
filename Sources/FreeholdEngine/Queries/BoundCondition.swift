/// A condition with resolved names, ready to be evaluated.
indirect enum BoundCondition {
    case constant(Bool)
    case all([BoundCondition])
    case any([BoundCondition])
    case not(BoundCondition)
    /// A test of one property against constants, evaluated for whole clusters.
    case test(ColumnTest)
    case comparison(BoundComparison)
    case search(BoundSearch)
    case within(BoundWithin)

    /// Whether the condition is true of the context's objects.
    func holds(_ context: QueryContext) throws(FreeholdError) -> Bool {
        switch self {
        case .constant(let flag): return flag
        case .all(let parts):
            for part in parts where try !part.holds(context) { return false }
            return true
        case .any(let parts):
            for part in parts where try part.holds(context) { return true }
            return false
        case .not(let part): return try !part.holds(context)
        case .test(let test): return try test.comparison.holds(context)
        case .comparison(let comparison): return try comparison.holds(context)
        case .search(let search): return try search.holds(context)
        case .within(let within): return try within.holds(context)
        }
    }

    /// The approximate cost of evaluating the condition for one object, in nanoseconds.
    var cost: Int {
        switch self {
        case .constant: 0
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.cost }
        case .not(let part): part.cost
        case .test(let test): test.cost
        case .comparison(let comparison): comparison.cost
        case .search(let search): search.cost
        case .within(let within): within.cost
        }
    }

    /// The condition with cheap parts first, and without constants.
    func ordered() -> BoundCondition {
        switch self {
        case .all(let parts):
            let kept = parts.map { $0.ordered() }.filter { !$0.isConstant(true) }
            if kept.contains(where: { $0.isConstant(false) }) { return .constant(false) }
            return kept.isEmpty ? .constant(true) : kept.count == 1 ? kept[0] : .all(Self.sorted(kept))
        case .any(let parts):
            let kept = parts.map { $0.ordered() }.filter { !$0.isConstant(false) }
            if kept.contains(where: { $0.isConstant(true) }) { return .constant(true) }
            return kept.isEmpty ? .constant(false) : kept.count == 1 ? kept[0] : .any(Self.sorted(kept))
        case .not(let part):
            let inner = part.ordered()
            if case .constant(let flag) = inner { return .constant(!flag) }
            if case .not(let twice) = inner { return twice }
            return .not(inner)
        default: return self
        }
    }

    private func isConstant(_ flag: Bool) -> Bool {
        if case .constant(flag) = self { return true }
        return false
    }

    /// Sorts parts by cost. The sort is stable: of equal parts, the one written first is evaluated first.
    private static func sorted(_ parts: [BoundCondition]) -> [BoundCondition] {
        parts.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }.map(\.element)
    }
}

/// An expression with resolved names.
indirect enum BoundExpression {
    case constant(Value)
    case path(BoundPath)
    case figure(AggregateKind, BoundPath)
    /// The number of objects that a path leads to and that meet a condition; within it they are the context's object
    /// number `slot`.
    case subquery(BoundPath, BoundCondition, slot: Int)
    case arithmetic(ArithmeticOperator, BoundExpression, BoundExpression)
    case negation(BoundExpression)
    case distance(BoundDistance)

    /// The value of the expression. Not for a path to many values.
    func value(_ context: QueryContext) throws(FreeholdError) -> Value {
        switch self {
        case .constant(let value): return value
        case .path(let path): return try path.value(context)
        case .figure(let kind, let path):
            var figure = Figure(kind)
            // COUNT includes null elements.
            try path.forEach(context) { value throws(FreeholdError) in
                if kind == .count { figure.add(count: 1) } else { figure.add(value) }
                return true
            }
            return figure.value
        case .subquery(let path, let condition, let slot):
            var count: Int64 = 0
            try path.forEachRow(context) { row throws(FreeholdError) in
                context.rows.removeSubrange(slot...)
                context.rows.append(row)
                if try condition.holds(context) { count += 1 }
            }
            return .int(count)
        case .arithmetic(let sign, let left, let right): return Arithmetic.result(sign, try left.value(context), try right.value(context))
        case .negation(let inner): return Arithmetic.negated(try inner.value(context))
        case .distance(let distance): return try distance.value(context)
        }
    }

    var manyValues: BoundPath? {
        if case .path(let path) = self, path.isToMany { return path }
        return nil
    }

    var constant: Value? {
        if case .constant(let value) = self { return value }
        return nil
    }
}
