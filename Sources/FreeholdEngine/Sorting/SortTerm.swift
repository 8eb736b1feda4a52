/// One of the values that objects are ordered by.
public struct SortTerm {
    /// The links to follow first: each property, and the class it leads to. Empty for a property of the class itself.
    public var links: [(column: Column, target: Table)]
    /// The property of the class that is sorted, or of the last link's.
    public var column: Column
    /// False for the greatest first.
    public var isAscending: Bool

    public init(_ column: Column, isAscending: Bool = true) { self.init(links: [], column: column, isAscending: isAscending) }

    public init(links: [(column: Column, target: Table)], column: Column, isAscending: Bool) {
        self.links = links
        self.column = column
        self.isAscending = isAscending
    }
}
