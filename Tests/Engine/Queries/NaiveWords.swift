@testable import FreeholdEngine

/// Full-text searches as random queries have them, evaluated letter by letter: `a b`, `a OR b`, `a -b`, `a*`, `"a b"`, and words that are
/// Han characters.
struct NaiveWords {
    let folds: FoldedTexts

    func holds(_ search: String, _ values: [Value]) -> Bool {
        let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        if search.first == "\"", search.contains(where: Self.isHan) { return hasWord(String(search.dropFirst().dropLast()), texts) }
        if search.first == "\"" {
            let phrase = search.dropFirst().dropLast().split(separator: " ").map { folded(String($0)) }
            return texts.contains { text in
                let words = words(text)
                return words.indices.contains { words[$0...].starts(with: phrase) }
            }
        }
        let parts = search.split(separator: " ").map(String.init)
        if parts.count == 3, parts[1] == "OR" { return hasWord(parts[0], texts) || hasWord(parts[2], texts) }
        return parts.allSatisfy { part in part.first == "-" ? !hasWord(String(part.dropFirst()), texts) : hasWord(part, texts) }
    }

    private func hasWord(_ word: String, _ texts: [String]) -> Bool {
        if word.contains(where: Self.isHan) { return texts.contains { $0.contains(word) } }
        let isPrefix = word.last == "*", sought = folded(isPrefix ? String(word.dropLast()) : word)
        return texts.contains { words($0).contains { isPrefix ? $0.starts(with: sought) : $0 == sought } }
    }

    private func words(_ text: String) -> [[UInt8]] {
        text.split { !$0.isLetter && !$0.isNumber || Self.isHan($0) }.map { folded(String($0)) }
    }

    private func folded(_ text: String) -> [UInt8] { folds.bytes(text, [.caseInsensitive, .diacriticInsensitive]) }

    private static func isHan(_ letter: Character) -> Bool { ("\u{4E00}"..."\u{9FFF}").contains(letter) }
}
