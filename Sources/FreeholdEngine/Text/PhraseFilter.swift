/// Says soon that a text does not have a phrase, without finding its terms: most strings with the words of a phrase do not have
/// them one after the other.
///
/// In a text of ASCII a term of letters and digits is these bytes, in any case, and two terms that follow one another have no
/// letter and no digit between them. So a text in which no such bytes follow one another so does not have the phrase.
///
/// Safe throughout: places are below `count`, and words have 1 to 63 bytes.
struct PhraseFilter: Sendable {
    /// In lower case.
    private let words: [[UInt8]]

    /// Nil unless the phrase is several words of ASCII letters and digits.
    init?(_ phrase: TermQuery.Phrase, of query: TermQuery) {
        var words: [[UInt8]] = []
        for (place, step) in phrase.steps.enumerated() {
            // A longer term may be the beginning of a word.
            guard case .exact(let bytes) = query.matchers[step.matcher], step.offset == place, bytes.count < TextTerm.longest,
                  bytes.allSatisfy({ Self.isWord($0) && Self.lower($0) == $0 }) else { return nil }
            words.append(bytes)
        }
        guard words.count > 1 else { return nil }
        self.words = words
    }

    /// Whether the text may have the phrase.
    func mayHold(in text: UnsafeRawBufferPointer) -> Bool {
        let first = words[0], count = text.count
        guard Self.isASCII(text) else { return true }
        var place = 0
        while place + first.count <= count {
            if Self.isAt(place, first, text), isRest(at: place + first.count, text) { return true }
            place += 1
        }
        return false
    }

    /// Whether the words after the first one follow.
    private func isRest(at start: Int, _ text: UnsafeRawBufferPointer) -> Bool {
        var place = start
        for word in words.dropFirst() {
            while place < text.count, !Self.isWord(text[place]) { place += 1 }
            guard place + word.count <= text.count, Self.isAt(place, word, text) else { return false }
            place += word.count
        }
        return true
    }

    @inline(__always)
    private static func isAt(_ place: Int, _ word: [UInt8], _ text: UnsafeRawBufferPointer) -> Bool {
        for offset in word.indices where lower(text[place &+ offset]) != word[offset] { return false }
        return true
    }

    private static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
        var bits: UInt64 = 0, place = 0
        while place + 8 <= text.count {
            bits |= text.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            place &+= 8
        }
        while place < text.count {
            bits |= UInt64(text[place])
            place &+= 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    /// A letter in lower case; any other byte as it is.
    @inline(__always)
    private static func lower(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 32 : byte }

    @inline(__always)
    private static func isWord(_ byte: UInt8) -> Bool { lower(byte) &- 97 < 26 || byte &- 48 < 10 }
}

extension TermQuery {
    /// The phrases that a text of each match has, and that a filter can look for.
    var filters: [PhraseFilter] {
        var found: [PhraseFilter] = []
        func collect(_ node: Node) {
            switch node {
            case .phrase(let number): if let filter = PhraseFilter(phrases[number], of: self) { found.append(filter) }
            case .near(let numbers, _): numbers.forEach { collect(.phrase($0)) }
            case .all(let nodes, _): nodes.forEach(collect)
            case .any: break
            }
        }
        collect(root)
        return found
    }
}
