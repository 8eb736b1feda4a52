/// One of the values that objects are ordered by.
public struct SortTerm {
    /// The links to follow first: each property, and its target class. Empty for a property of the class itself.
    public var links: [(column: Column, target: Table)]
    /// The property of the sorted class, or of the last link's target.
    public var column: Column
    /// Whether the order is ascending.
    public var isAscending: Bool
    /// The order of strings; nil for that of their bytes.
    var collation: LanguageOrder?

    public init(_ column: Column, isAscending: Bool = true) { self.init(links: [], column: column, isAscending: isAscending) }

    public init(links: [(column: Column, target: Table)], column: Column, isAscending: Bool) {
        self.links = links
        self.column = column
        self.isAscending = isAscending
    }
}
