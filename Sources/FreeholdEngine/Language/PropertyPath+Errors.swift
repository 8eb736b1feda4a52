extension PropertyPath {
    /// The error for a name in the path that is not a property of the class, with the column in the query's text.
    ///
    /// - Parameter names: the properties of the class; the nearest is suggested.
    public func unknownProperty(_ name: String, of className: String, among names: [String]) -> FreeholdError {
        let near = QueryText.suggestion(for: name, among: names)
        let hint = near.isEmpty && steps.count == 1 ? "; put a string in quotes: '\(name)'" : ""
        let message = "property '\(name)' not found in \(className)\(near)\(hint)"
        return FreeholdError(.unknownProperty, place.column == 0 ? message : "query, column \(place.column): \(message)")
    }
}
