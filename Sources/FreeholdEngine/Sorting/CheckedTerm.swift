/// A term whose properties have been checked to have an order.
struct CheckedTerm {
    let links: [(column: Column, target: Table)]
    /// The class that has the property.
    let table: Table
    let column: Column
    let isAscending: Bool
    let collation: LanguageOrder?

    init(_ term: SortTerm, of table: Table) throws(FreeholdError) {
        var links: [(column: Column, target: Table)] = [], last = table
        for link in term.links {
            let column = try last.own(link.column)
            try last.requireLink(column, to: link.target)
            links.append((column, link.target))
            last = link.target
        }
        self.links = links
        self.table = last
        column = try last.own(term.column)
        isAscending = term.isAscending
        collation = term.collation
        let property = last.state.stored.properties[column.index]
        if let shape = property.collections.first { throw Self.unordered(property, of: last, shape.name) }
        if property.type == .data || property.type == .link { throw Self.unordered(property, of: last, property.type.name) }
    }

    /// Whether equal values have one key in an index, so that the order of its keys is all there is to know.
    var hasExactKeys: Bool {
        guard links.isEmpty, collation == nil else { return false }
        return switch table.state.stored.properties[column.index].type {
        case .bool, .int, .float, .double, .date, .uuid, .objectId, .string: true
        case .decimal, .mixed, .data, .link: false
        }
    }

    private static func unordered(_ property: StoredProperty, of table: Table, _ kind: String) -> FreeholdError {
        let advice = property.type == .link && property.shape == nil ? "; name a property of the class it leads to" : ""
        return FreeholdError(.typeMismatch, "objects cannot be sorted by property '\(property.name)' of class '\(table.schema.name)', which is a \(kind)\(advice)")
    }
}
