import Platform

/// Binding of full-text searches.
extension QueryBinder {
    func search(_ comparison: QueryComparison) throws(FreeholdError) -> BoundCondition {
        let sources: [QueryExpression] = if case .list(let paths) = comparison.left { paths } else { [comparison.left] }
        guard let place = sources.first?.place else { throw FreeholdError(.malformedInput, "query: TEXT needs a property to search") }
        guard comparison.quantifier == nil, comparison.options.isEmpty else {
            throw error(.malformedInput, "TEXT has no quantifier and no options: it searches all strings in any case", at: place)
        }
        var paths: [BoundPath] = []
        for source in sources {
            guard case .path(let path) = source else {
                throw error(.typeMismatch, "TEXT searches properties; '\(source.written)' is none", at: source.place)
            }
            paths.append(try pathToSearch(path))
        }
        guard case .value(.string(let text)) = comparison.right else {
            throw error(.typeMismatch, "TEXT takes a string; '\(comparison.right.written)' is none", at: place)
        }
        let analyzer = try analyzer(for: paths, at: place)
        // What is being typed finds nothing yet.
        guard analyzer.hasTerms(text) else { return .constant(false) }
        let query: TextQuery
        do { query = try TextQuery(text) } catch {
            throw self.error(error.code, "TEXT: \(error.message)", at: place)
        }
        return .search(BoundSearch(paths, TextMatch(TermQuery(query, analyzer), analyzer), source: comparison))
    }

    /// Words are compared as the index that is declared for these properties has them, whether it is there yet or not: an answer
    /// does not depend on where objects are stored.
    private func analyzer(for paths: [BoundPath], at place: SourcePlace) throws(FreeholdError) -> TextAnalyzer {
        let table = tables[paths[0].origin]
        guard let language = SearchDeclaration.all(for: paths, of: table).first?.language else { return TextAnalyzer() }
        do throws(SystemError) { return TextAnalyzer(stemming: try table.state.access.stemmings.stemming(language)) } catch {
            throw self.error(.system, "TEXT: \(TextStemming.explanation(error, language))", at: place)
        }
    }

    private func pathToSearch(_ path: PropertyPath) throws(FreeholdError) -> BoundPath {
        let isAggregate = path.steps.contains { if case .aggregate = $0 { true } else { false } }
        let bound = isAggregate ? nil : try boundPath(path, path.steps[...])
        if let bound, !bound.isCollection, [.string, .mixed].contains(bound.type) { return bound }
        let type = bound.map { $0.isCollection ? "a collection of collections" : "of type \($0.type.name)" } ?? "a number"
        throw error(.typeMismatch, "TEXT searches strings; '\(path.written)' is \(type)", at: path.place)
    }
}

extension TextAnalyzer {
    /// Whether a text has anything that can be searched for.
    fileprivate func hasTerms(_ text: String) -> Bool {
        var text = text, hasTerms = false
        // Safe: the bytes are used within the call.
        text.withUTF8 { bytes in forEachTerm(in: UnsafeRawBufferPointer(bytes)) { _ in hasTerms = true } }
        return hasTerms
    }
}
