/// Conditions on distances, which an index of places answers by circles.
extension IndexChoice {
    /// A plan for the objects that are not farther from a point than a number of metres; nil if the comparison asks for something
    /// else, or there is no index.
    ///
    /// The circle is a little larger, as a distance and a circle are rounded differently: the plan is not exact.
    func plan(_ comparison: BoundComparison) throws(FreeholdError) -> IndexPlan? {
        guard case .distance(let distance) = comparison.left, let most = comparison.maximum,
              let circle = try? GeoCircle(around: distance.point, radians: (1 + Self.margin) * most / GeoPoint.earthRadius + Self.margin),
              let plan = try PlacePlan(BoundWithin(distance.place, .circle(circle), nil, source: comparison.source), table)
        else { return nil }
        return IndexPlan(plan, text: comparison.text, tail: table.state.tailCount * comparison.cost).inexact
    }

    private static let margin = 1e-9
}

extension BoundComparison {
    /// The number that the left side does not exceed where the comparison holds; nil if there is none.
    fileprivate var maximum: Double? {
        guard quantifier == nil else { return nil }
        return switch relation {
        case .less, .lessOrEqual, .equal, .between: right.last?.constant?.double
        default: nil
        }
    }
}
