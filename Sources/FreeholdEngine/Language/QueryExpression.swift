/// What is compared in a condition.
public indirect enum QueryExpression: Hashable, Sendable {
    case value(Value)
    case list([QueryExpression])
    case path(PropertyPath)
    /// How many elements of a collection meet a condition, in which the variable stands for an element.
    case subquery(PropertyPath, variable: String, QueryCondition)
    case arithmetic(ArithmeticOperator, QueryExpression, QueryExpression)
    case negation(QueryExpression)
}

/// What is done with two numbers. Whole numbers stay whole; a result that is no number of its type is null.
public enum ArithmeticOperator: String, Hashable, Sendable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
}

/// The way from an object to values: properties, links, elements of collections, figures of them.
///
/// ```swift
/// let path = PropertyPath("owner", "address", "city")     // owner.address.city
/// ```
public struct PropertyPath: Hashable, Sendable {
    /// What an object is asked for, one after the other; none for the object itself (`SELF`).
    public var steps: [PathStep]
    /// The variable of a subquery whose object the path begins at; nil for the object that is asked about.
    public var variable: String?
    /// Where it stands in the text.
    var place: SourcePlace

    public init(_ steps: [PathStep], variable: String? = nil) {
        self.steps = steps
        self.variable = variable
        place = SourcePlace()
    }

    /// The way over properties so named.
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
    /// The links to this object, of whatever class and property: `@links`, which only `@count` may follow.
    case links
    /// How many bytes a text or data has, or elements a collection.
    case size
    /// The name of the value's type.
    case type
    /// A figure of many values; of linked objects the property of each follows.
    case aggregate(AggregateKind)

    /// Whether both are the same step; names and keys are told apart by their bytes.
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
        }
    }
}

/// What messages say of a path: a column of the query's text, counted from 1, 0 where there is no text; and its steps as they were
/// written, if those are others. All places are equal.
struct SourcePlace: Hashable, Sendable {
    var column = 0
    var written: [PathStep]?
    static func == (left: SourcePlace, right: SourcePlace) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
