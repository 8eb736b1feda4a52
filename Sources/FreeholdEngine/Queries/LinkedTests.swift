/// Comparisons of what lies behind links, turned into questions about the first link: which objects at the end are as asked is found
/// first, then who links to them.
struct LinkedTests {
    let table: Table

    /// A condition that says the same, with such comparisons as tests where that is cheaper than following the links of each object; nil
    /// where it never is.
    ///
    /// - Parameter objects: how many would be looked at.
    func resolved(_ condition: BoundCondition, objects: Int) throws(FreeholdError) -> BoundCondition? {
        try replaced(condition, objects)?.ordered()
    }

    /// Nil if nothing in it is to be turned.
    private func replaced(_ condition: BoundCondition, _ objects: Int) throws(FreeholdError) -> BoundCondition? {
        switch condition {
        case .constant, .test: return nil
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

    /// The question about the first link of a comparison; nil if it is not about links and then a property, or too many objects might be
    /// at their end.
    private func test(_ comparison: BoundComparison, _ objects: Int) throws(FreeholdError) -> ColumnTest? {
        guard comparison.quantifier == nil, case .path(let path) = comparison.left, path.origin == 0, path.steps.count > 1,
              case .value = path.steps.last else { return nil }
        var links: [(column: Column, target: Table)] = [], looked = 0
        for step in path.steps.dropLast() {
            guard case .link(let column, let target) = step else { return nil }
            links.append((column, target))
            looked += target.count
        }
        // Null at the end may be null on the way.
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

    /// Following a link costs about as much as passing over so many objects in a scan.
    private static let followCost = 40
}

extension Table {
    /// The objects that meet a condition, ascending.
    fileprivate func keys(meeting condition: BoundCondition) throws(FreeholdError) -> [ObjectKey] {
        try Selection(self, condition).keys(limit: .max)
    }
}
