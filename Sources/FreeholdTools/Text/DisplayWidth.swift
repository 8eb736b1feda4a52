/// The width of text on a terminal, in columns: two for East Asian wide characters and emoji, none for combining marks.
public enum DisplayWidth {
    /// The width of a text without control characters.
    public static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// The width of one character.
    public static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.value < 0x300 && character.unicodeScalars.count == 1 { return 1 }
        let isEmoji = first.properties.isEmojiPresentation || character.unicodeScalars.contains { $0.value == 0xFE0F }
        if isEmoji || wide.contains(where: { $0.contains(first.value) }) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return 1
        }
    }

    /// Cuts a text to a number of columns, the last of them an ellipsis.
    public static func cut(_ text: String, to columns: Int) -> String {
        if of(text) <= columns { return text }
        var width = 1
        var result = ""
        for character in text {
            width += of(character)
            if width > columns { break }
            result.append(character)
        }
        return result + "…"
    }

    /// Ranges of Unicode's East Asian Width "W" and "F" (UAX 11) that are not emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
        0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]
}
