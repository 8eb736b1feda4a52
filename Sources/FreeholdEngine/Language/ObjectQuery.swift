/// A query over the objects of a class: a condition, and steps applied to the objects that meet it, as text or as a
/// tree.
///
/// ```swift
/// let query = try ObjectQuery("age > %@ AND name BEGINSWITH %@ SORT(age DESC) LIMIT(10)", [.int(18), .string("A")])
/// for key in try people.keys(matching: query) { print(try people.value(key, name)) }
/// print(query)    // age > 18 AND name BEGINSWITH "A" SORT(age DESC) LIMIT(10)
/// ```
/// A query knows no schema: names are resolved when it is prepared for a table (`Table.prepare`). The grammar is in
/// docs/queries.md.
public struct ObjectQuery: Hashable, Sendable {
    /// The condition that objects must meet; all objects by default.
    public var condition: QueryCondition
    /// The steps applied to the matching objects, in this order.
    public var steps: [QueryStep]

    public init(_ condition: QueryCondition = .constant(true), _ steps: [QueryStep] = []) {
        self.condition = condition
        self.steps = steps
    }

    /// Parses a query.
    ///
    /// - Parameter arguments: the values for `%@`, one after the other, or for `$0`, `$1`, …; a list fills `{…}`, a
    ///   string also `%K`.
    /// - Parameter named: the values for `$name`.
    /// - Throws: `.malformedInput` with the column and what was expected there, or if the number of arguments is wrong.
    public init(_ text: String, _ arguments: [Value] = [], named: TextMap<Value> = [:]) throws(FreeholdError) {
        var parser = try QueryParser(text, QueryArguments(arguments, named))
        self = try parser.query()
    }
}

/// A step applied to the objects that meet a condition.
public enum QueryStep: Hashable, Sendable {
    /// Sorts the objects; equal ones keep their order.
    case sort([QuerySort])
    /// Keeps the first of the objects that have the same values.
    case distinct([PropertyPath])
    /// Keeps at most this many objects, the first ones.
    case limit(Int)
    /// Skips this many objects at the front.
    case offset(Int)
    /// Keeps the objects whose vectors are nearest to a given one, the nearest first.
    case nearest(QueryNearest)
    /// Keeps the objects that stand high in several rankings, the highest first.
    case fuse(QueryFusion)
    /// Groups the objects and computes aggregates, one row for each combination of values that occurs. Only `limit` and
    /// `offset` may follow.
    case group(by: [PropertyPath], select: [QueryAggregate])
}

/// A sort key.
public struct QuerySort: Hashable, Sendable {
    public var path: PropertyPath
    public var isAscending: Bool
    /// The language whose order strings have, as a BCP 47 tag that may have options: `de`, `de-u-co-phonebk-kn`. Nil for
    /// the order of their bytes.
    public var collation: String?
    /// Where the tag is in the query's text.
    var collationPlace = SourcePlace()

    public init(_ path: PropertyPath, isAscending: Bool = true, collation: String? = nil) {
        self.path = path
        self.isAscending = isAscending
        self.collation = collation
    }
}

/// An aggregate of a group of objects.
public struct QueryAggregate: Hashable, Sendable {
    public var kind: AggregateKind
    /// The path to the aggregated values; nil for the number of objects.
    public var path: PropertyPath?

    public init(_ kind: AggregateKind, _ path: PropertyPath? = nil) {
        self.kind = kind
        self.path = path
    }
}

/// A function over many values. Null is left out.
public enum AggregateKind: String, Hashable, Sendable, CaseIterable {
    /// The number of values.
    case count
    /// The sum; 0 for no values.
    case sum
    /// The minimum; null for no values.
    case min
    /// The maximum; null for no values.
    case max
    /// The mean; null for no values.
    case avg
}

/// The step NEAREST: keeps the objects whose vectors are nearest to a given one, the nearest first.
///
/// ```swift
/// let query = try ObjectQuery("price < 10 NEAREST(embedding, $0, 10)", [.list(numbers.map { .float($0) })])
/// ```
public struct QueryNearest: Hashable, Sendable {
    /// The path to the property with the vectors, of type `data`.
    public var path: PropertyPath
    /// The vector searched for.
    public var vector: [Float]
    /// The maximum number of objects to keep.
    public var count: Int
    public var metric: VectorMetric
    public var elements: VectorElements

    public init(_ path: PropertyPath, to vector: [Float], count: Int, metric: VectorMetric = .cosine, elements: VectorElements = .float32) {
        self.path = path
        self.vector = vector
        self.count = count
        self.metric = metric
        self.elements = elements
    }
}

/// The step FUSE: keeps the objects that stand high in several rankings, the highest first, as for a search by words and by
/// the nearness of vectors at once.
///
/// ```swift
/// let query = try ObjectQuery(
///     "price < 10 FUSE(title TEXT $0 SORT(@score DESC) LIMIT(100), NEAREST(embedding, $1, 100), 10)",
///     [.string("green tea"), .list(numbers.map { .float($0) })])
/// ```
/// Each ranking orders some of the objects that the query has found before the step. The score of an object is the sum of
/// `weight / (60 + position)` over the rankings that have it, with 1 as the first position (*reciprocal rank fusion*: Cormack,
/// Clarke, Büttcher 2009). Scores of different kinds need no common scale so.
public struct QueryFusion: Hashable, Sendable {
    /// One of the rankings.
    public struct Ranking: Hashable, Sendable {
        /// A condition that its objects must also meet, and the steps that order them: the first is `sort` or `nearest`, or a
        /// later one is.
        public var query: ObjectQuery
        /// How much a position counts: above 0, up to 1e300.
        public var weight: Double

        public init(_ query: ObjectQuery, weight: Double = 1) {
            self.query = query
            self.weight = weight
        }
    }

    public var rankings: [Ranking]
    /// The maximum number of objects to keep.
    public var count: Int

    public init(_ rankings: [Ranking], count: Int) {
        self.rankings = rankings
        self.count = count
    }

    /// What is added to each position.
    static let offset = 60.0
    /// The maximum number of rankings.
    static let mostRankings = 64
    /// The maximum weight: the score of an object that stands first in all rankings is finite.
    private static let mostWeight = 1e300

    /// What is wrong with the ranking, as the end of a sentence; nil if nothing is.
    static func complaint(_ ranking: Ranking) -> String? {
        if !ranking.query.steps.contains(where: \.isOrder) {
            return "a ranking of FUSE is ordered by SORT(…), NEAREST(…) or FUSE(…), as in \(StepPlacement.fusion)"
        }
        if ranking.query.steps.contains(where: \.isGroup) {
            return "a ranking of FUSE has objects, so it cannot have GROUP(…)"
        }
        return complaint(ofWeight: ranking.weight)
    }

    static func complaint(ofWeight weight: Double) -> String? {
        weight > 0 && weight <= mostWeight ? nil : "the WEIGHT of a ranking is a number above 0, up to \(mostWeight)"
    }
}

extension QueryStep {
    fileprivate var isOrder: Bool {
        switch self {
        case .sort, .nearest, .fuse: true
        case .distinct, .limit, .offset, .group: false
        }
    }
}
