import Platform

/// Writes the folded form of words and characters into a buffer.
///
/// Words are folded as `TermFolding` does by the analyzer's options. In addition, full-width letters become ordinary ones,
/// half-width kana full-width ones, typographic apostrophes `'`, and soft hyphens and other format characters go.
/// Diacritics stay in words of scripts that write vowels with nonspacing marks, and in characters (see `TextAnalyzer`).
///
/// Safe throughout: at most `capacity` bytes are written.
struct TermFolder {
    let options: TextOptions
    /// Words are folded up to this many bytes of the text, so that a word of a megabyte costs no more than its term.
    static let longestSource = 1024
    /// The room that a destination has: a scalar may begin below the limit and end beyond it.
    static let capacity = TextTerm.longest + 8

    private let folded: FoldedScalars?
    private let stemmer: (any Stemmer)?

    init(_ options: TextOptions, _ stemmer: (any Stemmer)?) {
        self.options = options
        self.stemmer = stemmer
        folded = options.isEmpty ? nil : FoldedScalars.ofTerms(options)
    }

    // MARK: words

    /// Writes the term of a word, and returns its length.
    @inline(__always)
    func fold(_ word: UnsafeRawBufferPointer, _ classes: WordBreakSet, isASCII: Bool, to target: UnsafeMutablePointer<UInt8>) -> Int {
        if let stemmer { return fold(word, classes, isASCII: isASCII, by: stemmer, to: target) }
        guard isASCII else { return foldBeyondASCII(word, classes, to: target) }
        let count = min(word.count, TextTerm.longest)
        if options.contains(.caseInsensitive) {
            for place in 0..<count { target[place] = FoldedText.lowered(word[place]) }
        } else {
            for place in 0..<count { target[place] = word[place] }
        }
        return count
    }

    /// Writes the stem of a word. The algorithms know letters with their diacritics, so these go last.
    private func fold(
        _ word: UnsafeRawBufferPointer, _ classes: WordBreakSet, isASCII: Bool, by stemmer: any Stemmer,
        to target: UnsafeMutablePointer<UInt8>
    ) -> Int {
        if isASCII, word.count <= TextTerm.longest, let count = Self.stemASCII(word, by: stemmer, to: target) { return count }
        let source = UnsafeRawBufferPointer(rebasing: word[..<Self.scalarEnd(word, at: Self.longestSource)])
        let lower = isASCII ? TermFolding.bytes(source, .caseInsensitive) : Self.lowered(String(decoding: source, as: UTF8.self))
        let stem = [UInt8](unsafeUninitializedCapacity: lower.count + TermFolder.capacity) { stem, count in
            count = lower.withUnsafeBytes { stemmer.stem($0, to: UnsafeMutableRawBufferPointer(stem)) }
        }
        let term = stem.isEmpty ? lower : stem
        let keepsMarks = !options.contains(.diacriticInsensitive) || classes.contains(.vowelSign)
        let folded = keepsMarks ? term : term.withUnsafeBytes { TermFolding.bytes($0, .diacriticInsensitive) }
        return write(folded.isEmpty ? term : folded, to: target)
    }

    /// The word in lower case and composed (NFC), as the algorithms know letters.
    private static func lowered(_ word: String) -> [UInt8] {
        let lower = TermFolding.bytes(narrowed(word), .caseInsensitive), text = String(decoding: lower, as: UTF8.self)
        // Letters of Latin and Cyrillic before and between the blocks of marks.
        let isComposed = text.unicodeScalars.allSatisfy { $0.value < 0x300 || 0x400...0x482 ~= $0.value || 0x48A...0x52F ~= $0.value }
        return isComposed ? lower : Array(TermFolding.composed(text).utf8)
    }

    /// Writes the stem of a short word of ASCII without memory of its own; nil if the stem has other letters, or is longer.
    private static func stemASCII(_ word: UnsafeRawBufferPointer, by stemmer: any Stemmer, to target: UnsafeMutablePointer<UInt8>) -> Int? {
        withUnsafeTemporaryAllocation(byteCount: TextTerm.longest, alignment: 1) { lower in
            for place in 0..<word.count { lower[place] = FoldedText.lowered(word[place]) }
            let source = UnsafeRawBufferPointer(rebasing: lower[..<word.count])
            let count = stemmer.stem(source, to: UnsafeMutableRawBufferPointer(start: target, count: TextTerm.longest))
            if count == 0 { return nil }
            for place in 0..<count where target[place] >= 0x80 { return nil }
            return count
        }
    }

    private func foldBeyondASCII(_ word: UnsafeRawBufferPointer, _ classes: WordBreakSet, to target: UnsafeMutablePointer<UInt8>) -> Int {
        let isPlain = !classes.intersects(WordBreakSet(.format) | .joiner | .vowelSign)
        if isPlain, let count = foldByTable(word, to: target) { return count }
        let source = UnsafeRawBufferPointer(rebasing: word[..<Self.scalarEnd(word, at: Self.longestSource)])
        var options = options
        if classes.contains(.vowelSign) { options.remove(.diacriticInsensitive) }
        let text = Self.narrowed(String(decoding: source, as: UTF8.self))
        let bytes = TermFolding.bytes(text, options)
        // A word of nothing but what folding removes stays as it is.
        return bytes.isEmpty ? write(Array(source), to: target) : write(bytes, to: target)
    }

    private func foldByTable(_ word: UnsafeRawBufferPointer, to target: UnsafeMutablePointer<UInt8>) -> Int? {
        guard let folded else { return nil }
        let lowers = options.contains(.caseInsensitive)
        var place = 0, count = 0
        while place < word.count {
            let before = count
            if word[place] < 0x80 {
                target[count] = lowers ? FoldedText.lowered(word[place]) : word[place]
                count += 1
                place += 1
            } else {
                guard place < Self.longestSource else { return nil }
                guard let length = folded.fold(word, at: place, { target[count] = $0; count += 1 }) else { return nil }
                place += length
            }
            if count > TextTerm.longest { return before }
        }
        return count == 0 ? nil : count
    }

    private func write(_ bytes: [UInt8], to target: UnsafeMutablePointer<UInt8>) -> Int {
        bytes.withUnsafeBytes { bytes in
            let count = Self.scalarEnd(bytes, at: TextTerm.longest)
            for place in 0..<count { target[place] = bytes[place] }
            return count
        }
    }

    /// The end of the last scalar that ends at or before a place.
    static func scalarEnd(_ bytes: UnsafeRawBufferPointer, at limit: Int) -> Int {
        guard bytes.count > limit else { return bytes.count }
        var end = limit
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }

    // MARK: characters

    /// Writes the form of one character of a script without spaces, at most half of a term, and returns its length. It is
    /// composed (NFC), and half-width kana become full-width ones.
    @inline(__always)
    func fold(character: UnsafeRawBufferPointer, to target: UnsafeMutablePointer<UInt8>) -> Int {
        guard Self.isComposed(character) else { return compose(character, to: target) }
        for place in 0..<character.count { target[place] = character[place] }
        return character.count
    }

    /// Whether the character is in NFC for certain: one scalar below the compatibility forms, or a letter of Thai or Lao
    /// with its marks in ascending order.
    @inline(__always)
    private static func isComposed(_ character: UnsafeRawBufferPointer) -> Bool {
        let first = character[0]
        if character.count == 3 { return first >= 0xE2 && first <= 0xED && !isOldJamo(character) || isThai(character, 0) }
        guard character.count % 3 == 0, character.count <= 12, isThai(character, 0) else { return false }
        for place in stride(from: 3, to: character.count, by: 3) {
            guard isThai(character, place), place == 3 || isAscending(character, place) else { return false }
        }
        return true
    }

    @inline(__always)
    private static func isThai(_ text: UnsafeRawBufferPointer, _ place: Int) -> Bool {
        text[place] == 0xE0 && text[place + 1] >= 0xB8 && text[place + 1] <= 0xBB
    }

    @inline(__always)
    private static func isAscending(_ text: UnsafeRawBufferPointer, _ place: Int) -> Bool {
        (text[place - 2], text[place - 1]) < (text[place + 1], text[place + 2])
    }

    /// U+A960 to U+A97F and U+D7B0 to U+D7FF.
    @inline(__always)
    private static func isOldJamo(_ text: UnsafeRawBufferPointer) -> Bool {
        text[0] == 0xEA && text[1] == 0xA5 || text[0] == 0xED && text[1] >= 0x9E
    }

    private func compose(_ character: UnsafeRawBufferPointer, to target: UnsafeMutablePointer<UInt8>) -> Int {
        let source = UnsafeRawBufferPointer(rebasing: character[..<Self.scalarEnd(character, at: Self.longestSource)])
        let composed = TermFolding.composed(Self.narrowed(String(decoding: source, as: UTF8.self)))
        return TermFolding.bytes(composed, options.intersection(.caseInsensitive)).withUnsafeBytes { bytes in
            let count = Self.scalarEnd(bytes, at: TextTerm.longest / 2)
            for place in 0..<count { target[place] = bytes[place] }
            return count
        }
    }

    // MARK: widths

    /// The text with ordinary forms of full-width and half-width characters and of apostrophes, without format characters.
    private static func narrowed(_ text: String) -> String {
        var narrow = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0xAD, 0x200D: break
            case 0x2018, 0x2019, 0xFF07: narrow.append("'")
            case 0xFF01...0xFF5E: narrow.append(Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar)
            case 0xFF66...0xFF9F: narrow.append(kana[Int(scalar.value) - 0xFF66])
            default: if scalar.value == 0x200C || !ScalarProperties.shared.isFormat(scalar.value) { narrow.append(scalar) }
            }
        }
        return String(narrow)
    }

    /// The full-width forms of U+FF66 to U+FF9F; the last two are the combining marks of voice.
    private static let kana = Array(
        "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309A}".unicodeScalars)
}
