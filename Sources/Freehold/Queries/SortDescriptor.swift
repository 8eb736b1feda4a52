import FreeholdEngine

/// A sort key: a property, perhaps over links, a direction, and perhaps the language that orders strings.
///
/// ```swift
/// let dogs = realm.objects(Dog.self).sorted(by: [SortDescriptor(keyPath: "owner.name"), SortDescriptor(keyPath: \Dog.age, ascending: false)])
/// ```
/// A string literal works as well: `sorted(by: ["name", "age"])`. Where Foundation's type of that name is ambiguous
/// with this one, write `Freehold.SortDescriptor`.
public struct SortDescriptor: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The names of the properties on the path, joined by dots.
    public let keyPath: String
    /// Whether small values come first.
    public let ascending: Bool
    /// The order of strings; nil for that of their bytes.
    public let collation: Collation?

    /// Sorts by a path of property names.
    public init(keyPath: String, ascending: Bool = true, collation: Collation? = nil) {
        self.keyPath = keyPath
        self.ascending = ascending
        self.collation = collation
    }

    /// Sorts by a property. Reports misuse if the key path does not name stored properties.
    public init<Model: KeypathSortable>(keyPath: PartialKeyPath<Model>, ascending: Bool = true, collation: Collation? = nil) {
        self.init(keyPath: PropertyNames.required(keyPath), ascending: ascending, collation: collation)
    }

    public init(stringLiteral keyPath: String) { self.init(keyPath: keyPath) }

    /// The descriptor with the other direction.
    public func reversed() -> SortDescriptor { SortDescriptor(keyPath: keyPath, ascending: !ascending, collation: collation) }

    /// The path, the direction, and the collation if there is one.
    public var description: String {
        let language = collation.map { ", collation: \($0)" } ?? ""
        return "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending")\(language))"
    }

    func step() throws(FreeholdError) -> QuerySort {
        QuerySort(try PropertyPath(parsing: keyPath), isAscending: ascending, collation: collation?.tag)
    }
}

extension PropertyPath {
    /// Parses a path in the syntax of queries.
    init(parsing text: String) throws(FreeholdError) {
        // The text after DISTINCT is always a path.
        guard case .distinct(let paths) = try ObjectQuery("DISTINCT(%K)", [.string(text)]).steps.first, let path = paths.first else {
            throw FreeholdError(.malformedInput, "'\(text)' is not a property name")
        }
        // Without the position in the `DISTINCT` string, which the caller never sees.
        self.init(path.steps)
    }
}
