import FreeholdEngine

/// What objects are sorted by: a property, or what links lead to from there, and a direction.
///
/// ```swift
/// let dogs = realm.objects(Dog.self).sorted(by: [SortDescriptor(keyPath: "owner.name"), SortDescriptor(keyPath: \Dog.age, ascending: false)])
/// ```
/// A text stands for one: `sorted(by: ["name", "age"])`. Where Foundation's type of that name is in the way, say `Freehold.SortDescriptor`.
public struct SortDescriptor: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The names that lead to the property, with points between them.
    public let keyPath: String
    /// Whether small values come first.
    public let ascending: Bool

    /// Sorts by what a path of names leads to.
    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// Sorts by a property. Tells if the key path is none of properties that are kept.
    public init<Model: KeypathSortable>(keyPath: PartialKeyPath<Model>, ascending: Bool = true) {
        self.init(keyPath: PropertyNames.required(keyPath), ascending: ascending)
    }

    public init(stringLiteral keyPath: String) { self.init(keyPath: keyPath) }

    /// The same in the other direction.
    public func reversed() -> SortDescriptor { SortDescriptor(keyPath: keyPath, ascending: !ascending) }

    /// The direction, by its sign, and the path.
    public var description: String { "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))" }

    func step() throws(FreeholdError) -> QuerySort { QuerySort(try PropertyPath(parsing: keyPath), isAscending: ascending) }
}

extension PropertyPath {
    /// Reads a path as queries have them.
    init(parsing text: String) throws(FreeholdError) {
        // What follows DISTINCT is a path, whatever it is.
        guard case .distinct(let paths) = try ObjectQuery("DISTINCT(%K)", [.string(text)]).steps.first, let path = paths.first else {
            throw FreeholdError(.malformedInput, "'\(text)' is no property's name")
        }
        // Without the place in that text, of which nobody knows.
        self.init(path.steps)
    }
}
