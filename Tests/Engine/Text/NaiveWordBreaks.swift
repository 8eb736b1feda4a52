@testable import FreeholdEngine

/// The rules of UAX #29 as they are written down, each on the whole text: slow, and independent of the scanner except for
/// the classes of scalars.
struct NaiveWordBreaks {
    private let kinds: [WordBreakClass]
    private let offsets: [Int]

    init(_ text: [Unicode.Scalar]) {
        var kinds: [WordBreakClass] = [], offsets = [0]
        for scalar in text {
            let bytes = Array(String(scalar).utf8)
            bytes.withUnsafeBytes { kinds.append(WordScanner($0).scalar(at: 0).kind) }
            offsets.append(offsets[offsets.count - 1] + bytes.count)
        }
        self.kinds = kinds
        self.offsets = offsets
    }

    /// The byte offsets of all boundaries, the end of the text included and its start not.
    var boundaries: [Int] { kinds.isEmpty ? [] : (1...kinds.count).filter(isBoundary).map { offsets[$0] } }

    private func isSkipped(_ kind: WordBreakClass) -> Bool { [.extend, .vowelSign, .joiner, .format].contains(kind) }

    private func isLineEnd(_ kind: WordBreakClass) -> Bool { [.carriageReturn, .lineFeed, .newline].contains(kind) }

    /// The classes before a place as WB4 sees them: a skipped scalar counts as part of the one before it.
    private func before(_ place: Int) -> [WordBreakClass] {
        var found: [WordBreakClass] = []
        for kind in kinds[..<place] where !isSkipped(kind) || found.last.map(isLineEnd) ?? true { found.append(kind) }
        return found
    }

    private func following(_ place: Int) -> WordBreakClass? { kinds[(place + 1)...].first { !isSkipped($0) } }

    private func isBoundary(_ place: Int) -> Bool {
        if place == kinds.count { return true }
        let left = kinds[place - 1], right = kinds[place]
        if left == .carriageReturn, right == .lineFeed { return false }
        if isLineEnd(left) || isLineEnd(right) { return true }
        if left == .joiner, [.pictograph, .pictographLetter].contains(right) { return false }
        if left == .space, right == .space { return false }
        if isSkipped(right) { return false }
        return !isJoined(before(place), right, following(place))
    }

    // Rules WB5 to WB16.
    private func isJoined(_ before: [WordBreakClass], _ right: WordBreakClass, _ next: WordBreakClass?) -> Bool {
        let left = before[before.count - 1], earlier = before.count > 1 ? before[before.count - 2] : nil
        func letter(_ kind: WordBreakClass?) -> Bool {
            kind.map { [.letter, .hangul, .hebrewLetter, .pictographLetter].contains($0) } ?? false
        }
        func middle(_ kind: WordBreakClass, _ own: WordBreakClass) -> Bool { [own, .midNumberLetter, .singleQuote].contains(kind) }
        if letter(left), letter(right) { return true }
        if letter(left), middle(right, .midLetter), letter(next) { return true }
        if letter(earlier), middle(left, .midLetter), letter(right) { return true }
        if left == .hebrewLetter, right == .singleQuote { return true }
        if left == .hebrewLetter, right == .doubleQuote, next == .hebrewLetter { return true }
        if earlier == .hebrewLetter, left == .doubleQuote, right == .hebrewLetter { return true }
        if left == .numeric || letter(left), right == .numeric { return true }
        if left == .numeric, letter(right) { return true }
        if earlier == .numeric, middle(left, .midNumber), right == .numeric { return true }
        if left == .numeric, middle(right, .midNumber), next == .numeric { return true }
        if left == .katakana, right == .katakana { return true }
        if letter(left) || [.numeric, .katakana, .connector].contains(left), right == .connector { return true }
        if left == .connector, letter(right) || [.numeric, .katakana].contains(right) { return true }
        let flags = before.reversed().prefix { $0 == .regionalIndicator }.count
        return right == .regionalIndicator && flags % 2 == 1
    }
}
