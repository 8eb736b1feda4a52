/// A plan that finds candidates for a condition in indexes.
struct IndexPlan {
    indirect enum Way {
        /// Disjoint parts of one tree.
        case spans([IndexSpan])
        case union([IndexPlan])
        case intersection([IndexPlan])
        /// The candidates of a plan with keys in these ascending ranges.
        case within([ClosedRange<Int64>], IndexPlan)
        /// Documents of a full-text index.
        case text(TextPlan)
        /// Places of an index of places.
        case places(PlacePlan)
    }

    let way: Way
    /// The maximum number of candidates.
    let estimate: Int
    /// Whether all candidates meet the condition.
    let isExact: Bool
    /// The lookups, as text.
    private let words: () -> String
    var text: String { words() }
    /// The approximate time to produce the keys in ascending order, in nanoseconds.
    let cost: Int

    /// - Parameter isOrdered: whether a span yields its keys in ascending order.
    init(_ spans: [IndexSpan], isOrdered: Bool, text: @autoclosure @escaping () -> String) throws(FreeholdError) {
        var spans = spans, sum = 0
        for place in spans.indices { sum += try spans[place].estimate() }
        way = .spans(spans)
        estimate = sum
        isExact = true
        words = text
        let isSifted = spans.first?.isSifted ?? false
        cost = spans.count * Cost.descent + sum * (isOrdered && spans.count == 1 ? Cost.posting : Cost.posting + Cost.ordering) + (isSifted ? sum * Cost.lookUp : 0)
    }

    init(union plans: [IndexPlan]) {
        way = .union(plans)
        estimate = plans.reduce(0) { $0 + $1.estimate }
        isExact = plans.allSatisfy(\.isExact)
        words = { "any of (" + plans.map(\.text).joined(separator: "; ") + ")" }
        cost = plans.reduce(0) { $0 + $1.cost + $1.estimate * Cost.merging }
    }

    /// - Parameter estimate: the estimated number of objects in all of the plans.
    init(intersection plans: [IndexPlan], estimate: Int) {
        way = .intersection(plans)
        self.estimate = estimate
        isExact = plans.allSatisfy(\.isExact)
        words = { plans.map(\.text).joined(separator: " and index for ") }
        cost = plans.reduce(0) { $0 + $1.cost + $1.estimate * Cost.merging }
    }

    init(_ plan: IndexPlan, within ranges: [ClosedRange<Int64>], text: @autoclosure @escaping () -> String) {
        way = .within(ranges, plan)
        estimate = plan.estimate
        isExact = plan.isExact
        words = { "\(plan.text) and keys for \(text())" }
        cost = plan.cost
    }

    init(_ plan: TextPlan, text: @autoclosure @escaping () -> String, tail: Int) {
        way = .text(plan)
        estimate = plan.estimate
        isExact = plan.isExact
        words = text
        cost = Cost.descent * 8 + estimate * (Cost.posting + Cost.ordering) + tail
    }

    init(_ plan: PlacePlan, text: @autoclosure @escaping () -> String, tail: Int) {
        way = .places(plan)
        estimate = plan.estimate
        isExact = true
        words = text
        cost = Cost.descent * GeoCover.cells + estimate * (Cost.cell + Cost.ordering) + tail
    }

    /// A copy of a plan with another `isExact`.
    private init(_ other: IndexPlan, isExact: Bool) {
        (way, estimate, words, cost) = (other.way, other.estimate, other.words, other.cost)
        self.isExact = isExact
    }

    var inexact: IndexPlan { IndexPlan(self, isExact: false) }

    /// Costs in nanoseconds, as measured on one machine: only their ratios matter.
    enum Cost {
        /// Finding the position of a key in a tree.
        static let descent = 500
        /// Moving to the next object of a tree.
        static let posting = 3
        /// The share of one object in sorting the objects of many values by key.
        static let ordering = 12
        static let merging = 6
        /// Deciding by the cell of a place whether it is within a shape.
        static let cell = 80
        /// Finding an object by key among others in order.
        static let lookUp = 40
    }

    /// Whether the plan is a full-text search alone.
    var isSearch: Bool { if case .text = way { true } else { false } }

    // MARK: asking

    /// The keys of the candidates, ascending.
    func keys() throws(FreeholdError) -> [ObjectKey] {
        switch way {
        case .spans(let spans):
            var found: [ObjectKey] = []
            for span in spans { found += try span.keys() }
            return found.ascending()
        case .union(let plans):
            var found: [ObjectKey] = []
            for plan in plans { found += try plan.keys() }
            return found.united()
        case .intersection(let plans):
            var found = try plans[0].keys()
            for plan in plans.dropFirst() { found = found.common(try plan.keys()) }
            return found
        case .within(let ranges, let plan):
            guard let first = ranges.first?.lowerBound, let last = ranges.map(\.upperBound).max(), first <= last else { return [] }
            if case .text(let plan) = plan.way { return try plan.keys(in: first...last).within(ranges) }
            return try plan.keys().within(ranges)
        case .text(let plan): return try plan.keys()
        case .places(let plan): return try plan.keys()
        }
    }

    /// The number of candidates.
    func count() throws(FreeholdError) -> Int {
        if case .text(let plan) = way, let count = try plan.countAtOnce() { return count }
        guard case .spans(let spans) = way else { return try keys().count }
        var sum = 0
        for span in spans { sum += try span.count() }
        return sum
    }

    /// Whether the plan can count the candidates without producing their keys.
    var isCountedAtOnce: Bool {
        if case .spans(let spans) = way, !(spans.first?.isSifted ?? false) { return true }
        return false
    }
}

extension [ObjectKey] {
    /// The keys in ascending order.
    fileprivate func ascending() -> [ObjectKey] {
        var isAscending = true
        for place in indices.dropFirst() where self[place].rawValue < self[place - 1].rawValue {
            isAscending = false
            break
        }
        return isAscending ? self : byDigits()
    }

    /// The keys of lists that ascend, ascending, each once.
    static func union(_ lists: [[ObjectKey]]) -> [ObjectKey] {
        var rest = lists.filter { !$0.isEmpty }.sorted { $0.count > $1.count }
        while rest.count > 1 {
            let merged = rest.removeLast().union(rest.removeLast()), place = rest.firstIndex { $0.count < merged.count } ?? rest.count
            rest.insert(merged, at: place)
        }
        return rest.first ?? []
    }

    private func union(_ other: [ObjectKey]) -> [ObjectKey] {
        var found: [ObjectKey] = [], one = 0, second = 0
        found.reserveCapacity(count + other.count)
        while one < count, second < other.count {
            let left = self[one].rawValue, right = other[second].rawValue
            found.append(left < right ? self[one] : other[second])
            if left <= right { one += 1 }
            if right <= left { second += 1 }
        }
        return found + self[one...] + other[second...]
    }

    /// The keys in ascending order, each once.
    func united() -> [ObjectKey] {
        var found = ascending(), last: ObjectKey?
        found.removeAll { key in
            defer { last = key }
            return key == last
        }
        return found
    }

    /// Those in ascending ranges; the keys ascend, too.
    func within(_ ranges: [ClosedRange<Int64>]) -> [ObjectKey] {
        var found: [ObjectKey] = [], start = 0
        for range in ranges {
            start = place(of: range.lowerBound, from: start)
            let end = range.upperBound < .max ? place(of: range.upperBound + 1, from: start) : count
            found += self[start..<end]
            start = end
        }
        return found
    }

    /// The place of the first key, from a place on, that is not before one.
    private func place(of key: Int64, from start: Int) -> Int {
        var low = start, high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].rawValue < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Those that another list has too; both ascend.
    func common(_ other: [ObjectKey]) -> [ObjectKey] { kept(ifAmong: true, other) }

    /// Those that another list does not have; both ascend.
    func without(_ other: [ObjectKey]) -> [ObjectKey] { kept(ifAmong: false, other) }

    private func kept(ifAmong isWanted: Bool, _ other: [ObjectKey]) -> [ObjectKey] {
        var place = 0
        return filter { key in
            while place < other.count, other[place].rawValue < key.rawValue { place += 1 }
            return (place < other.count && other[place] == key) == isWanted
        }
    }
}
