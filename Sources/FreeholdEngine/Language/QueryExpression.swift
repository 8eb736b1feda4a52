/// An expression compared in a condition.
public indirect enum QueryExpression: Hashable, Sendable {
    case value(Value)
    case list([QueryExpression])
    case path(PropertyPath)
    /// The number of elements of a collection that meet a condition, in which the variable stands for an element.
    case subquery(PropertyPath, variable: String, QueryCondition)
    case arithmetic(ArithmeticOperator, QueryExpression, QueryExpression)
    case negation(QueryExpression)
    /// A part of Earth, on the right of GEOWITHIN.
    case shape(GeoShape)
    /// The distance of a place from a point, in metres. The place is at one path, or at two: its latitude and its longitude.
    case distance([PropertyPath], from: GeoPoint)
}

/// An arithmetic operator. Integers stay integers; an integer operation that overflows 64 bits or divides by zero gives
/// null.
public enum ArithmeticOperator: String, Hashable, Sendable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
}

/// A path from an object to values: properties, links, elements of collections, aggregates of them.
///
/// ```swift
/// let path = PropertyPath("owner", "address", "city")     // owner.address.city
/// ```
public struct PropertyPath: Hashable, Sendable {
    /// The steps of the path, one after the other; empty for the object itself (`SELF`).
    public var steps: [PathStep]
    /// The subquery variable at whose object the path begins; nil for the object being tested.
    public var variable: String?
    /// Where the path is in the query's text.
    package var place: SourcePlace

    public init(_ steps: [PathStep], variable: String? = nil) {
        self.steps = steps
        self.variable = variable
        place = SourcePlace()
    }

    /// Creates a path over the named properties.
    public init(_ names: String...) { self.init(names.map { .property($0) }) }

    init(_ steps: [PathStep], variable: String?, at place: SourcePlace) {
        self.steps = steps
        self.variable = variable
        self.place = place
    }
}

/// One step of a path.
public enum PathStep: Hashable, Sendable {
    case property(String)
    /// The value of a map under a key: `['key']`.
    case key(String)
    /// The element of a list at a position: `[3]`.
    case position(Int)
    /// `[FIRST]`
    case first
    /// `[LAST]`
    case last
    /// Every element of a collection, whatever its kind: `[*]`.
    case each
    /// The keys of a map.
    case keys
    /// The values of a map.
    case values
    /// The objects of a class that link to this one through a property: `@links.Class.property`.
    case backlinks(class: String, property: String)
    /// The links to this object, from any class and property: `@links`, which only `@count` may follow.
    case links
    /// The number of bytes of a string or data, or of elements of a collection.
    case size
    /// The name of the value's type.
    case type
    /// How well the object fits the query's full-text searches, for SORT only: `@score`.
    case score
    /// The distance of the place from a point, in metres, for SORT only. If the path leads to a latitude, the longitude's follows.
    case distance(from: GeoPoint, longitude: [PathStep])
    /// An aggregate of many values; for linked objects, the aggregated property follows.
    case aggregate(AggregateKind)

    /// Whether both are the same step; names and keys are compared by their bytes.
    public static func == (left: PathStep, right: PathStep) -> Bool {
        switch left { // by each case, so that a new one cannot be forgotten
        case .property(let name): if case .property(let other) = right { name.isSame(as: other) } else { false }
        case .key(let key): if case .key(let other) = right { key.isSame(as: other) } else { false }
        case .position(let place): if case .position(let other) = right { place == other } else { false }
        case .backlinks(let name, let property):
            if case .backlinks(let other, let second) = right { name.isSame(as: other) && property.isSame(as: second) } else { false }
        case .aggregate(let kind): if case .aggregate(let other) = right { kind == other } else { false }
        case .first: if case .first = right { true } else { false }
        case .last: if case .last = right { true } else { false }
        case .each: if case .each = right { true } else { false }
        case .keys: if case .keys = right { true } else { false }
        case .values: if case .values = right { true } else { false }
        case .links: if case .links = right { true } else { false }
        case .size: if case .size = right { true } else { false }
        case .type: if case .type = right { true } else { false }
        case .score: if case .score = right { true } else { false }
        case .distance(let point, let path):
            if case .distance(let other, let second) = right { point == other && path == second } else { false }
        }
    }
}

/// The place of a path, for messages: a column of the query's text, counted from 1, 0 where there is no text; and the
/// steps as they were written, if those are others. All places compare equal.
package struct SourcePlace: Hashable, Sendable {
    package var column = 0
    var written: [PathStep]?
    package static func == (left: SourcePlace, right: SourcePlace) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}
