/// Conditions evaluated by several threads at once.
extension BoundCondition {
    /// Whether the condition reads nothing but the tested object. Threads that each have their own table state can then
    /// share it.
    var isOfOneTable: Bool {
        switch self {
        case .constant, .test: true
        case .not(let part): part.isOfOneTable
        case .all(let parts), .any(let parts): parts.allSatisfy(\.isOfOneTable)
        case .comparison(let comparison): comparison.left.isOfOneTable && comparison.right.allSatisfy(\.isOfOneTable)
        case .search(let search): search.paths.allSatisfy(\.isOfOneTable)
        case .within(let within): within.place.isOfOneTable
        }
    }

    /// A copy for another thread, with its own buffers and cached answers; it shares nothing whose references both
    /// threads would count.
    func copy() -> BoundCondition {
        switch self {
        case .constant(let flag): .constant(flag)
        case .test(let test): .test(test.copy())
        case .not(let part): .not(part.copy())
        case .all(let parts): .all(parts.map { $0.copy() })
        case .any(let parts): .any(parts.map { $0.copy() })
        case .comparison(let comparison): .comparison(comparison)
        case .search(let search): .search(search)
        case .within(let within): .within(within)
        }
    }
}

extension BoundExpression {
    fileprivate var isOfOneTable: Bool {
        switch self {
        case .constant: true
        case .path(let path), .figure(_, let path): path.isOfOneTable
        case .subquery: false
        case .arithmetic(_, let left, let right): left.isOfOneTable && right.isOfOneTable
        case .negation(let inner): inner.isOfOneTable
        case .distance(let distance): distance.place.isOfOneTable
        }
    }
}

extension BoundPath {
    var isOfOneTable: Bool {
        steps.allSatisfy { step in
            switch step {
            case .value, .elements, .keys, .element, .size, .part, .own: true
            case .link, .backlinks, .links, .target, .score: false
            case .distance(let distance): distance.place.isOfOneTable
            }
        }
    }
}

extension ColumnTest {
    /// A copy of the test for another thread.
    fileprivate func copy() -> ColumnTest {
        let kind: Kind = switch kind {
        case .integers(let ranges): .integers(ranges.map { $0 })
        case .members(let values): .members(values.map { $0 })
        case .texts(let matchers): .texts(matchers.map { $0.copy() })
        default: kind
        }
        return ColumnTest(column, kind, comparison)
    }
}
