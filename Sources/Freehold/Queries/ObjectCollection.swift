import FreeholdEngine

/// A list, a set, results or linking objects, of objects: what can be searched for words, and sorted by distance.
public protocol ObjectCollection<Element>: RealmCollection where Element: ObjectBase {}

extension List: ObjectCollection where Element: ObjectBase {}
extension MutableSet: ObjectCollection where Element: ObjectBase {}
extension Results: ObjectCollection where Element: ObjectBase {}
extension LinkingObjects: ObjectCollection {}
extension AnyRealmCollection: ObjectCollection where Element: ObjectBase {}

extension ObjectCollection {
    /// The objects whose words match a full-text search.
    ///
    /// ```swift
    /// let found = realm.objects(Article.self).search("\"green tea\" -milk choc*", in: \.title, \.body, \.author?.name)
    /// let hers = author.articles.search("tea")
    /// ```
    /// It is the condition `title, body, author.name TEXT "…"` of the query language: words in any order, `"phrases"`, `-not`,
    /// `prefix*`, `fuzzy~1`, `NEAR`, `OR` and groups in parentheses. An index with all these properties answers it; without one
    /// the strings of all objects are read. Of a list, a set and linking objects, the strings of few elements are read, and the
    /// index answers for many. Scores count the words of the whole class.
    ///
    /// - Parameter keyPaths: the properties to search; without any, those that the class marks with `@Persisted(fullText:)`, or
    ///   else those of the first index in `fullTextIndexes()`.
    public func search(_ text: String, in keyPaths: PartialKeyPath<Element>...) -> Results<Element> {
        refined { try $0.search(text, keyPaths) }
    }
}

extension QuerySubject {
    fileprivate func search(_ text: String, _ keyPaths: [AnyKeyPath]) throws(FreeholdError) -> ObjectQuery {
        let names = keyPaths.isEmpty ? try searched() : keyPaths.map { PropertyNames.required($0) }
        let paths = try names.map { name throws(FreeholdError) in QueryExpression.path(try PropertyPath(parsing: name)) }
        let properties = paths.count == 1 ? paths[0] : .list(paths)
        return ObjectQuery(.comparison(QueryComparison(properties, .text, .value(.string(text)))))
    }

    /// The properties that a search without any is about.
    private func searched() throws(FreeholdError) -> [String] {
        let model = live.model
        if let index = model.fullText.first { return index.fields.map(\.path) }
        throw FreeholdError(.invalidArgument, "Class '\(model.name)' declares no full-text index. Name the properties to search, as in "
            + "search(\"tea\", in: \\.title), or mark them with @Persisted(fullText: true).")
    }
}
