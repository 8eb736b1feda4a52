/// Rewrites comparisons over links as tests of the first link: the matching objects at the end of the links are found
/// first, then the objects that link to them.
struct LinkedTests {
    let table: Table

    /// The condition with such comparisons replaced by tests, where that is cheaper than following the links of each
    /// object; nil where it never is.
    ///
    /// - Parameter objects: the number of objects that would be tested.
    func resolved(_ condition: BoundCondition, objects: Int) throws(FreeholdError) -> BoundCondition? {
        try replaced(condition, objects)?.ordered()
    }

    /// The rewritten condition; nil if nothing in it is replaced.
    private func replaced(_ condition: BoundCondition, _ objects: Int) throws(FreeholdError) -> BoundCondition? {
        switch condition {
        case .constant, .test, .search, .within: return nil
        case .not(let part): return try replaced(part, objects).map { .not($0) }
        case .all(let parts): return try replaced(parts, objects).map { .all($0) }
        case .any(let parts): return try replaced(parts, objects).map { .any($0) }
        case .comparison(let comparison): return try test(comparison, objects).map { .test($0) }
        }
    }

    private func replaced(_ parts: [BoundCondition], _ objects: Int) throws(FreeholdError) -> [BoundCondition]? {
        var all: [BoundCondition] = [], isChanged = false
        for part in parts {
            let other = try replaced(part, objects)
            isChanged = isChanged || other != nil
            all.append(other ?? part)
        }
        return isChanged ? all : nil
    }

    /// The test of the first link of a comparison; nil if the path is not links followed by a property, or if too many
    /// objects might be at its end.
    private func test(_ comparison: BoundComparison, _ objects: Int) throws(FreeholdError) -> ColumnTest? {
        guard comparison.quantifier == nil, case .path(let path) = comparison.left, path.origin == 0, path.steps.count > 1,
              case .value = path.steps.last else { return nil }
        var links: [(column: Column, target: Table)] = [], looked = 0
        for step in path.steps.dropLast() {
            guard case .link(let column, let target) = step else { return nil }
            links.append((column, target))
            looked += target.count
        }
        // A null at the end of the path may come from a null link.
        guard let last = ColumnTest.made(comparison.behind(links.count)) else { return nil }
        if case .null = last.kind { return nil }
        guard looked < objects * links.count * Self.followCost else { return nil }
        var test = last
        for place in links.indices.reversed() {
            let found = try links[place].target.keys(meeting: .test(test))
            test = ColumnTest(links[place].column, .links(KeySet(found)), comparison.behind(place))
        }
        return test
    }

    /// The cost of following a link, in objects passed over by a scan.
    private static let followCost = 40
}

extension Table {
    /// The objects that meet a condition, ascending.
    fileprivate func keys(meeting condition: BoundCondition) throws(FreeholdError) -> [ObjectKey] {
        try Selection(self, condition).keys(limit: .max)
    }
}
