/// What to show of a text that a search found.
extension TextMatch {
    /// The byte ranges of a text that made it match, ascending, disjoint and not adjacent; empty if the object does not match.
    func highlights(inText text: Int) -> [Range<Int>] { Self.merged((hits ?? []).filter { $0.text == text }.map(\.range)) }

    static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var merged: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, last.upperBound >= range.lowerBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }
}

/// The best part of a text to show for a search.
struct TextSnippet: Equatable {
    /// The part, in bytes of the text. It begins and ends with whole words.
    let range: Range<Int>
    /// The parts of it that matched, in bytes of the text.
    let highlights: [Range<Int>]
    /// Whether words stand before the part; where it is shown, an ellipsis goes there.
    let isCutBefore: Bool
    /// Whether words stand after the part.
    let isCutAfter: Bool
}

/// The maximum length of a snippet.
enum SnippetLength {
    /// In words; each character of a script without spaces counts as a word.
    case words(Int)
    /// In Unicode scalars of the text.
    case characters(Int)
}
