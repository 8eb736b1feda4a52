// Scores and distances of objects, and what full-text searches found.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the caller
// states; what a callback receives lives until it returns.
import CFreehold
import FreeholdEngine

@c @implementation
public func freehold_query_scores(
    _ query: OpaquePointer?, _ count: Int, _ keys: UnsafePointer<freehold_key_t>?, _ scores: UnsafeMutablePointer<Double>?
) -> freehold_error_code_t {
    done {
        let query = try Handles.object(query, OpenQuery.self).ready()
        let found = try query.scores(of: try Given.array(keys, count, "keys").map { ObjectKey($0) })
        guard let scores else { return }
        for (place, score) in found.enumerated() { scores[place] = score }
    }
}

@c @implementation
public func freehold_query_distances(
    _ query: OpaquePointer?, _ count: Int, _ keys: UnsafePointer<freehold_key_t>?, _ distances: UnsafeMutablePointer<Double>?
) -> freehold_error_code_t {
    done {
        let query = try Handles.object(query, OpenQuery.self).ready()
        let found = try query.distances(of: try Given.array(keys, count, "keys").map { ObjectKey($0) })
        guard let distances else { return }
        for (place, meters) in found.enumerated() { distances[place] = meters ?? .nan }
    }
}

@c @implementation
public func freehold_query_found_texts(
    _ query: OpaquePointer?, _ key: freehold_key_t, _ snippet_words: UInt32, _ callback: freehold_found_text_callback_t?,
    _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    done {
        let found = try Handles.object(query, OpenQuery.self).ready().foundTexts(in: ObjectKey(key))
        guard let callback else { return }
        for text in found { show(text, snippetWords: Int(snippet_words), to: callback, context) }
    }
}

private func show(_ found: FoundText, snippetWords: Int, to callback: freehold_found_text_callback_t,
                  _ context: UnsafeMutableRawPointer?) {
    let snippet = found.snippet(.words(snippetWords))
    let texts = [found.path.description, found.text, snippet.text].map { KeptText($0) }
    ranges(found.highlights).withUnsafeBufferPointer { highlights in
        ranges(snippet.highlights).withUnsafeBufferPointer { inSnippet in
            var shown = freehold_found_text_t(
                size: MemoryLayout<freehold_found_text_t>.size, path: texts[0].text, text: texts[1].text,
                highlights: highlights.baseAddress, highlight_count: highlights.count, snippet: texts[2].text,
                snippet_highlights: inSnippet.baseAddress, snippet_highlight_count: inSnippet.count,
                cut_before: snippet.isCutBefore, cut_after: snippet.isCutAfter)
            withExtendedLifetime(texts) { callback(context, &shown) }
        }
    }
}

private func ranges(_ places: [Range<Int>]) -> [freehold_range_t] {
    places.map { freehold_range_t(start: $0.lowerBound, end: $0.upperBound) }
}
