/// The folded forms of single scalars, for the alphabets of Europe and the Middle East.
///
/// A text of such scalars is folded one by one, so that looking them up gives what `FoldedText` and `TermFolding` give, a
/// hundred times faster. The tables are computed by these at the first use, which takes some milliseconds.
struct FoldedScalars: Sendable {
    /// Up to seven bytes of UTF-8 from the lowest byte up, and their number in the highest byte; `unknown` for more.
    private let entries: [UInt64]

    private static let unknown = UInt64.max
    /// Latin to Syriac and Arabic; Latin Extended Additional, Greek Extended and punctuation.
    private static let lower: Range<UInt32> = 0x80..<0x900, upper: Range<UInt32> = 0x1E00..<0x2100

    private static let forCase = FoldedScalars(.caseInsensitive), forMarks = FoldedScalars(.diacriticInsensitive)
    private static let forBoth = FoldedScalars([.caseInsensitive, .diacriticInsensitive])
    private static let forTermCase = FoldedScalars(.caseInsensitive, TermFolding.bytes)
    private static let forTermMarks = FoldedScalars(.diacriticInsensitive, TermFolding.bytes)
    private static let forTermBoth = FoldedScalars([.caseInsensitive, .diacriticInsensitive], TermFolding.bytes)

    /// The table for terms, of options of which at least one is set.
    static func ofTerms(_ options: TextOptions) -> FoldedScalars {
        options == .caseInsensitive ? forTermCase : options == .diacriticInsensitive ? forTermMarks : forTermBoth
    }

    /// The table of options of which at least one is set.
    static func of(_ options: TextOptions) -> FoldedScalars {
        options == .caseInsensitive ? forCase : options == .diacriticInsensitive ? forMarks : forBoth
    }

    private init(_ options: TextOptions, _ fold: (String, TextOptions) -> [UInt8] = FoldedText.bytes) {
        entries = [Self.lower, Self.upper].joined().map { number in
            guard let scalar = Unicode.Scalar(number) else { return Self.unknown }
            let bytes = fold(String(scalar), options)
            guard bytes.count < 8 else { return Self.unknown }
            return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } | UInt64(bytes.count) << 56
        }
    }

    /// Appends the folded form of the scalar at `place`, which is not ASCII, by `append`, and returns its length in bytes;
    /// nil if the table does not have it.
    @inline(__always)
    func fold(_ text: UnsafeRawBufferPointer, at place: Int, _ append: (UInt8) -> Void) -> Int? {
        let first = text[place]
        var scalar: UInt32, length = 2
        switch first {
        case 0xC2...0xDF where place + 1 < text.count:
            scalar = UInt32(first & 0x1F) << 6 | UInt32(text[place + 1] & 0x3F)
        case 0xE0...0xE1 where place + 2 < text.count:
            scalar = UInt32(first & 0x0F) << 12 | UInt32(text[place + 1] & 0x3F) << 6 | UInt32(text[place + 2] & 0x3F)
            length = 3
        default: return nil
        }
        guard isContinued(text, place, length), length == 2 || scalar >= 0x800 else { return nil }
        guard let index = Self.index(scalar), entries[index] != Self.unknown else { return nil }
        var bytes = entries[index]
        for _ in 0..<(bytes >> 56) {
            append(UInt8(truncatingIfNeeded: bytes))
            bytes >>= 8
        }
        return length
    }

    @inline(__always)
    private func isContinued(_ text: UnsafeRawBufferPointer, _ place: Int, _ length: Int) -> Bool {
        text[place + 1] & 0xC0 == 0x80 && text[place + length - 1] & 0xC0 == 0x80
    }

    @inline(__always)
    private static func index(_ scalar: UInt32) -> Int? {
        if lower.contains(scalar) { return Int(scalar - lower.lowerBound) }
        return upper.contains(scalar) ? lower.count + Int(scalar - upper.lowerBound) : nil
    }

    /// The folded form of a text. `others` folds what the table does not have, up to the next ASCII character: there no mark
    /// can change places with one before.
    func fold(_ text: UnsafeRawBufferPointer, lowersASCII: Bool, others: (UnsafeRawBufferPointer) -> [UInt8]) -> [UInt8] {
        var folded: [UInt8] = [], place = 0
        folded.reserveCapacity(text.count)
        while place < text.count {
            if text[place] < 0x80 {
                folded.append(lowersASCII ? FoldedText.lowered(text[place]) : text[place])
                place += 1
            } else if let length = fold(text, at: place, { folded.append($0) }) {
                place += length
            } else {
                let end = text[place...].firstIndex { $0 < 0x80 } ?? text.count
                folded += others(UnsafeRawBufferPointer(rebasing: text[place..<end]))
                place = end
            }
        }
        return folded
    }
}
