extension TextMatch {
    /// The part of a text that shows best why it matches: the one with the most different words and phrases of the query,
    /// then with the most places of these, then the first. If the text has no place, the part is its beginning.
    ///
    /// - Parameters:
    ///   - bytes: the text that was added as number `text`.
    ///   - length: the maximum length; one word or phrase is included whole, however long it is.
    // Allowed: results of full-text searches offer it.
    func snippet(of bytes: UnsafeRawBufferPointer, inText text: Int, length: SnippetLength) -> TextSnippet {
        let units = SnippetUnits(bytes, analyzer)
        guard !units.isEmpty else { return TextSnippet(range: 0..<0, highlights: [], isCutBefore: false, isCutAfter: false) }
        let hits = (hits ?? []).filter { $0.text == text }.sorted { $0.positions.lowerBound < $1.positions.lowerBound }
        let window = units.widened(best(hits, units, length), to: length)
        let range = units.bytes(of: window)
        let highlights = highlights(inText: text).compactMap { highlight in
            highlight.overlaps(range) ? highlight.clamped(to: range) : nil
        }
        return TextSnippet(
            range: range, highlights: highlights, isCutBefore: window.lowerBound > 0, isCutAfter: window.upperBound < units.count)
    }

    /// The positions from the first to the last hit of the best window; those of the first word without hits.
    private func best(_ hits: [Hit], _ units: SnippetUnits, _ length: SnippetLength) -> Range<Int> {
        var best = 0..<0, bestScore = (0, 0), end = 0
        var counts: [Int: Int] = [:]
        for (start, first) in hits.enumerated() {
            if end < start { end = start }
            while end < hits.count, end == start || units.fits(first.positions.lowerBound..<hits[end].positions.upperBound, length) {
                counts[hits[end].phrase, default: 0] += 1
                end += 1
            }
            let score = (counts.count, end - start)
            if score > bestScore {
                bestScore = score
                best = first.positions.lowerBound..<hits[start..<end].reduce(0) { max($0, $1.positions.upperBound) }
            }
            counts[first.phrase] = counts[first.phrase].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
        return best
    }
}

/// The words of a text as a snippet counts them: by positions.
private struct SnippetUnits {
    private var ranges: [Range<Int>] = []
    /// The number of scalars of the text before each word, and before its end.
    private var scalars: [Range<Int>] = []

    var count: Int { ranges.count }
    var isEmpty: Bool { ranges.isEmpty }

    init(_ text: UnsafeRawBufferPointer, _ analyzer: TextAnalyzer) {
        var place = 0, passed = 0
        func scalars(upTo end: Int) -> Int {
            passed += text[place..<end].count { $0 & 0xC0 != 0x80 }
            place = end
            return passed
        }
        analyzer.forEachTerm(in: text) { term in
            let start = scalars(upTo: term.range.lowerBound)
            ranges.append(term.range.lowerBound..<term.characterEnd)
            self.scalars.append(start..<scalars(upTo: term.characterEnd))
        }
    }

    func bytes(of window: Range<Int>) -> Range<Int> { ranges[window.lowerBound].lowerBound..<ranges[window.upperBound - 1].upperBound }

    func fits(_ window: Range<Int>, _ length: SnippetLength) -> Bool {
        switch length {
        case .words(let limit): window.count <= limit
        case .characters(let limit): scalars[window.upperBound - 1].upperBound - scalars[window.lowerBound].lowerBound <= limit
        }
    }

    /// The window with words before and after it, as many as fit, alternately.
    func widened(_ window: Range<Int>, to length: SnippetLength) -> Range<Int> {
        var window = window.isEmpty ? 0..<1 : window, isGrowing = true
        while isGrowing {
            isGrowing = false
            if window.upperBound < count, fits(window.lowerBound..<(window.upperBound + 1), length) {
                window = window.lowerBound..<(window.upperBound + 1)
                isGrowing = true
            }
            if window.lowerBound > 0, fits((window.lowerBound - 1)..<window.upperBound, length) {
                window = (window.lowerBound - 1)..<window.upperBound
                isGrowing = true
            }
        }
        return window
    }
}
