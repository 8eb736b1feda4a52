/// One pass over a text that finds its terms.
///
/// Safe throughout: ranges come from the scanner and are within the text; `target` has room for two characters.
struct TermPass {
    private let text: UnsafeRawBufferPointer
    private let folder: TermFolder
    /// The bytes of a word, or those of the pending character followed by those of the next one.
    private let target: UnsafeMutablePointer<UInt8>
    private var scanner: WordScanner
    private var position = 0
    /// The last character of a run, until the one after it is known, and the length of its folded bytes.
    private var pending: Range<Int>?
    private var pendingLength = 0

    init(_ text: UnsafeRawBufferPointer, _ folder: TermFolder, _ target: UnsafeMutablePointer<UInt8>) {
        self.text = text
        self.folder = folder
        self.target = target
        scanner = WordScanner(text)
    }

    @inline(__always)
    mutating func run(_ body: (TextTerm) -> Void) {
        while let segment = scanner.nextCandidate() {
            guard segment.isWord else { continue }
            if segment.classes.intersects(.characters) {
                addMixed(segment, body)
            } else {
                endRun(body)
                addWord(segment.range, segment.classes, isASCII: segment.isASCII, body)
            }
        }
        endRun(body)
    }

    // MARK: words

    @inline(__always)
    private mutating func addWord(_ range: Range<Int>, _ classes: WordBreakSet, isASCII: Bool, _ body: (TextTerm) -> Void) {
        var range = range
        if !isASCII || classes.contains(.connector) { range = trimmed(range) }
        let count = folder.fold(UnsafeRawBufferPointer(rebasing: text[range]), classes, isASCII: isASCII, to: target)
        emit(.word, count, range, characterEnd: range.upperBound, body)
    }

    /// The range from the first scalar that is a letter or number to the end of the last one and its marks.
    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var start = range.upperBound, end = start, place = range.lowerBound, isInside = false
        while place < range.upperBound {
            let (kind, length) = scanner.scalar(at: place)
            let isWord = WordBreakSet.words.contains(kind)
            if isWord, start == range.upperBound { start = place }
            place += length
            isInside = isWord || isInside && WordBreakSet.ignorable.contains(kind)
            if isInside { end = place }
        }
        return start..<max(start, end)
    }

    @inline(__always)
    private mutating func emit(_ kind: TextTerm.Kind, _ count: Int, _ range: Range<Int>, characterEnd: Int, _ body: (TextTerm) -> Void) {
        let bytes = UnsafeRawBufferPointer(start: target, count: count)
        body(TextTerm(kind: kind, bytes: bytes, position: position, range: range, characterEnd: characterEnd))
        position &+= 1
    }

    // MARK: characters

    /// Adds a segment that has characters of scripts without spaces, and perhaps words beside them (`LG전자`).
    private mutating func addMixed(_ segment: WordSegment, _ body: (TextTerm) -> Void) {
        var place = segment.range.lowerBound, wordStart = place, classes = WordBreakSet.empty
        while place < segment.range.upperBound {
            let (kind, length) = scanner.scalar(at: place)
            guard WordBreakSet.characters.contains(kind) else {
                classes.insert(kind)
                place += length
                continue
            }
            addWordBetween(wordStart..<place, classes, body)
            let end = endOfMarks(place + length, segment.range.upperBound)
            addCharacter(place..<end, body)
            (place, wordStart, classes) = (end, end, .empty)
        }
        addWordBetween(wordStart..<place, classes, body)
    }

    private mutating func addWordBetween(_ range: Range<Int>, _ classes: WordBreakSet, _ body: (TextTerm) -> Void) {
        guard classes.intersects(.words) else { return }
        endRun(body)
        addWord(range, classes, isASCII: false, body)
    }

    private func endOfMarks(_ start: Int, _ limit: Int) -> Int {
        var end = start
        while end < limit {
            let (kind, length) = scanner.scalar(at: end)
            guard WordBreakSet.ignorable.contains(kind) else { break }
            end += length
        }
        return end
    }

    private mutating func addCharacter(_ range: Range<Int>, _ body: (TextTerm) -> Void) {
        if let last = pending, last.upperBound != range.lowerBound { endRun(body) }
        let next = target + pendingLength
        let length = folder.fold(character: UnsafeRawBufferPointer(rebasing: text[range]), to: next)
        if let last = pending {
            emit(.pair, pendingLength + length, last.lowerBound..<range.upperBound, characterEnd: last.upperBound, body)
            target.update(from: next, count: length)
        }
        pending = range
        pendingLength = length
    }

    @inline(__always)
    private mutating func endRun(_ body: (TextTerm) -> Void) {
        guard let last = pending else { return }
        emit(.character, pendingLength, last, characterEnd: last.upperBound, body)
        pending = nil
        pendingLength = 0
    }
}
