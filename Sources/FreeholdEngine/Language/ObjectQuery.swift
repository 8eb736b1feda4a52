/// A question about the objects of a class: a condition, and what is done with the objects that meet it, as text or as a tree.
///
/// ```swift
/// let query = try ObjectQuery("age > %@ AND name BEGINSWITH %@ SORT(age DESC) LIMIT(10)", [.int(18), .string("A")])
/// for key in try people.keys(matching: query) { print(try people.value(key, name)) }
/// print(query)    // age > 18 AND name BEGINSWITH "A" SORT(age DESC) LIMIT(10)
/// ```
/// It knows no schema: names are looked up when a table is asked (`Table.prepare`). The grammar is in docs/queries.md.
public struct ObjectQuery: Hashable, Sendable {
    /// Which objects are meant; all of them by default.
    public var condition: QueryCondition
    /// What is done with them, in this order.
    public var steps: [QueryStep]

    public init(_ condition: QueryCondition = .constant(true), _ steps: [QueryStep] = []) {
        self.condition = condition
        self.steps = steps
    }

    /// Reads a query.
    ///
    /// - Parameter arguments: what stands for `%@`, one after the other, or for `$0`, `$1`, …; a list stands for `{…}`, a text also for `%K`.
    /// - Parameter named: what stands for `$name`.
    /// - Throws: `.malformedInput` with the column and what was expected there, or if there are not as many arguments as asked for.
    public init(_ text: String, _ arguments: [Value] = [], named: TextMap<Value> = [:]) throws(FreeholdError) {
        var parser = try QueryParser(text, QueryArguments(arguments, named))
        self = try parser.query()
    }
}

/// What is done with the objects that meet a condition.
public enum QueryStep: Hashable, Sendable {
    /// Puts them in order; those that are equal keep the order they had.
    case sort([QuerySort])
    /// Keeps the first of those that have the same values.
    case distinct([PropertyPath])
    /// Keeps the first ones.
    case limit(Int)
    /// Leaves out the first ones.
    case offset(Int)
    /// Makes rows of figures out of them, one for each combination of values that occurs. Always the last but for `limit` and `offset`.
    case group(by: [PropertyPath], select: [QueryAggregate])
}

/// One thing to sort by.
public struct QuerySort: Hashable, Sendable {
    public var path: PropertyPath
    public var isAscending: Bool

    public init(_ path: PropertyPath, isAscending: Bool = true) {
        self.path = path
        self.isAscending = isAscending
    }
}

/// A figure of a group of objects.
public struct QueryAggregate: Hashable, Sendable {
    public var kind: AggregateKind
    /// What it is a figure of; nil for the number of objects.
    public var path: PropertyPath?

    public init(_ kind: AggregateKind, _ path: PropertyPath? = nil) {
        self.kind = kind
        self.path = path
    }
}

/// What is made of many values. Null is left out.
public enum AggregateKind: String, Hashable, Sendable, CaseIterable {
    /// How many there are.
    case count
    /// The sum; 0 of nothing.
    case sum
    /// The smallest; null of nothing.
    case min
    /// The largest; null of nothing.
    case max
    /// The mean; null of nothing.
    case avg
}
