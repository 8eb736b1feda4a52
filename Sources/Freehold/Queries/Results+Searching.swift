import FreeholdEngine

extension Results where Element: ObjectBase {
    /// The objects whose words match a full-text search.
    ///
    /// ```swift
    /// let found = realm.objects(Article.self).search("\"green tea\" -milk choc*", in: \.title, \.body, \.author?.name)
    /// ```
    /// It is the condition `title, body, author.name TEXT "…"` of the query language: words in any order, `"phrases"`, `-not`,
    /// `prefix*`, `fuzzy~1`, `NEAR`, `OR` and groups in parentheses. An index with all these properties answers it; without one
    /// the strings of all objects are read.
    ///
    /// - Parameter keyPaths: the properties to search; without any, those that the class marks with `@Persisted(fullText:)`, or
    ///   else those of the first index in `fullTextIndexes()`.
    public func search(_ text: String, in keyPaths: PartialKeyPath<Element>...) -> Results<Element> {
        refined { subject in
            let names = keyPaths.isEmpty ? try subject.searched() : keyPaths.map { PropertyNames.required($0) }
            let paths = try names.map { QueryExpression.path(try PropertyPath(parsing: $0)) }
            let properties = paths.count == 1 ? paths[0] : .list(paths)
            return ObjectQuery(.comparison(QueryComparison(properties, .text, .value(.string(text)))))
        }
    }
}

extension QuerySubject {
    /// The properties that a search without any is about.
    fileprivate func searched() throws(FreeholdError) -> [String] {
        let model = live.model
        if let index = model.fullText.first { return index.fields.map(\.path) }
        throw FreeholdError(.invalidArgument, "Class '\(model.name)' declares no full-text index. Name the properties to search, as in "
            + "search(\"tea\", in: \\.title), or mark them with @Persisted(fullText: true).")
    }
}
