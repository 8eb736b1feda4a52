/// A part of a text between two word boundaries.
struct WordSegment: Equatable {
    let range: Range<Int>
    /// The classes of the segment's scalars.
    let classes: WordBreakSet
    let isASCII: Bool

    /// Whether the segment has a letter or a number.
    @inline(__always)
    var isWord: Bool { classes.intersects(.words) }
}

/// Splits UTF-8 at the word boundaries of UAX #29, from the start to the end.
///
/// Bytes that are not UTF-8 count as scalars without a property, one each.
///
/// Safe throughout: every access is below `count`; blocks and classes of the table are looked up with numbers that the
/// table's generator bounds.
struct WordScanner {
    let start: UnsafePointer<UInt8>
    let count: Int
    private(set) var place = 0
    private let blocks = WordBreakTable.blocks.utf8Start
    private let classes = WordBreakTable.classes.utf8Start

    /// A scanner of bytes that must stay in place as long as the scanner is used.
    init(_ text: UnsafeRawBufferPointer) {
        start = text.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? WordBreakTable.classes.utf8Start
        count = text.count
    }

    /// The next segment; nil at the end.
    @inline(__always)
    mutating func next() -> WordSegment? { place < count ? segment() : nil }

    /// The next segment that begins with a letter or number, or with a scalar beyond ASCII; nil at the end.
    ///
    /// It skips what is no word faster than `next()`. A segment may begin later than its boundary, by scalars that are no
    /// part of a word.
    @inline(__always)
    mutating func nextCandidate() -> WordSegment? {
        while place < count, start[place] < 0x80, !WordBreakSet.plain.contains(asciiClass(start[place])) { place &+= 1 }
        return next()
    }

    @inline(__always)
    private mutating func segment() -> WordSegment {
        let first = place
        guard start[first] < 0x80 else { return generalSegment(first, State(scalar(at: first)), isASCII: false) }
        var last = asciiClass(start[first])
        guard WordBreakSet.plain.contains(last) else { return generalSegment(first, State((last, 1)), isASCII: true) }
        var found = WordBreakSet(last)
        var end = first &+ 1
        while end < count {
            let byte = start[end]
            let next = byte < 0x80 ? asciiClass(byte) : .other
            if WordBreakSet.plain.contains(next) {
                end &+= 1
                found.insert(next)
                last = next
                continue
            }
            if byte >= 0x80 || end &+ 1 < count && start[end &+ 1] >= 0x80 {
                return generalSegment(first, State(last, found, end), isASCII: true)
            }
            guard end &+ 1 < count, isBetween(last, next, asciiClass(start[end &+ 1])) else { break }
            found.insert(next)
            end &+= 1
        }
        place = end
        return WordSegment(range: first..<end, classes: found, isASCII: true)
    }

    /// Rules WB6, WB7, WB11 and WB12 for ASCII: whether a class between two others joins them.
    @inline(__always)
    private func isBetween(_ before: WordBreakClass, _ mid: WordBreakClass, _ after: WordBreakClass) -> Bool {
        before == .letter && after == .letter && WordBreakSet.betweenLetters.contains(mid)
            || before == .numeric && after == .numeric && WordBreakSet.betweenDigits.contains(mid)
    }

    // MARK: beyond ASCII

    /// Where a scan stands within a segment.
    private struct State {
        /// The class of the last scalar.
        var last: WordBreakClass
        /// The class of the last scalar that rule WB4 does not skip.
        var previous: WordBreakClass
        var end: Int
        var found: WordBreakSet
        /// Whether the segment's regional indicators are a pair.
        var isPair = false

        init(_ last: WordBreakClass, _ found: WordBreakSet, _ end: Int) {
            self.last = last
            previous = last
            self.end = end
            self.found = found
        }

        /// A segment's first scalar, as its class and length; `generalSegment` adds where it stands.
        init(_ scalar: (kind: WordBreakClass, length: Int)) { self.init(scalar.kind, WordBreakSet(scalar.kind), -scalar.length) }

        mutating func take(_ kind: WordBreakClass, to end: Int) {
            last = kind
            if !WordBreakSet.ignorable.contains(kind) { previous = kind }
            found.insert(kind)
            self.end = end
        }
    }

    private mutating func generalSegment(_ first: Int, _ state: State, isASCII: Bool) -> WordSegment {
        var state = state
        if state.end < 0 { state.end = first - state.end }
        let asciiEnd = isASCII ? state.end : first
        while state.end < count, extend(&state) {}
        place = state.end
        let staysASCII = isASCII && isPlain(asciiEnd..<state.end)
        return WordSegment(range: first..<state.end, classes: state.found, isASCII: staysASCII)
    }

    private func isPlain(_ range: Range<Int>) -> Bool { range.allSatisfy { start[$0] < 0x80 } }

    /// Adds the next scalar to the segment, with those after it that the same rule needs; false at a boundary.
    private func extend(_ state: inout State) -> Bool {
        let (kind, length) = scalar(at: state.end), after = state.end + length
        if WordBreakSet.lineEnds.contains(state.last) || WordBreakSet.lineEnds.contains(kind) {
            guard state.last == .carriageReturn, kind == .lineFeed else { return false }  // WB3, WB3a, WB3b
        } else if state.last == .joiner && WordBreakSet.pictographs.contains(kind) {  // WB3c
        } else if state.last == .space && kind == .space {  // WB3d
        } else if WordBreakSet.ignorable.contains(kind) {  // WB4
        } else if WordBreakSet.joining(state.previous).contains(kind) {
            state.take(kind, to: after)
            // WB7 for a quote that WB7a has taken.
            if kind == .singleQuote { takeAcross(after, .letters, &state) }
            return true
        } else if state.previous == .regionalIndicator && kind == .regionalIndicator && !state.isPair {  // WB15, WB16
            state.isPair = true
        } else {
            guard let wanted = wantedAfter(kind, state.previous) else { return false }
            var longer = state
            longer.take(kind, to: after)
            guard takeAcross(after, wanted, &longer) else { return false }
            state = longer
            return true
        }
        state.take(kind, to: after)
        return true
    }

    /// The classes that must follow a class in the middle for it to be no boundary: rules WB6, WB7b and WB12.
    private func wantedAfter(_ mid: WordBreakClass, _ previous: WordBreakClass) -> WordBreakSet? {
        if WordBreakSet.letters.contains(previous), WordBreakSet.betweenLetters.contains(mid) { return .letters }
        if previous == .hebrewLetter, mid == .doubleQuote { return WordBreakSet(.hebrewLetter) }
        if previous == .numeric, WordBreakSet.betweenDigits.contains(mid) { return WordBreakSet(.numeric) }
        return nil
    }

    /// Takes the next scalar that rule WB4 does not skip, with those it skips, if it is of one of the classes.
    @discardableResult
    private func takeAcross(_ place: Int, _ wanted: WordBreakSet, _ state: inout State) -> Bool {
        var end = place, skipped = WordBreakSet.empty
        while end < count {
            let (kind, length) = scalar(at: end)
            end += length
            if WordBreakSet.ignorable.contains(kind) {
                skipped.insert(kind)
            } else {
                guard wanted.contains(kind) else { return false }
                state.found = state.found.union(skipped)
                state.take(kind, to: end)
                return true
            }
        }
        return false
    }
}

extension WordScanner {
    @inline(__always)
    fileprivate func asciiClass(_ byte: UInt8) -> WordBreakClass { WordBreakClass(number: classes[Int(byte)] & 31) }

    /// The class and the length in bytes of the scalar at a place below `count`.
    ///
    /// Safe: bytes are read below `count`, and numbers of some bits do not overflow.
    @inline(__always)
    func scalar(at place: Int) -> (kind: WordBreakClass, length: Int) {
        let first = start[place]
        if first < 0x80 { return (asciiClass(first), 1) }
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard first >= 0xC2, first <= 0xF4, place &+ length <= count, start[place &+ 1] & 0xC0 == 0x80 else { return (.other, 1) }
        var scalar = (UInt32(first) & (0x7F &>> UInt32(length))) &<< 6 | UInt32(start[place &+ 1] & 0x3F)
        if length >= 3 {
            guard start[place &+ 2] & 0xC0 == 0x80 else { return (.other, 1) }
            scalar = scalar &<< 6 | UInt32(start[place &+ 2] & 0x3F)
        }
        if length == 4 {
            guard start[place &+ 3] & 0xC0 == 0x80 else { return (.other, 1) }
            scalar = scalar &<< 6 | UInt32(start[place &+ 3] & 0x3F)
        }
        return (kind(of: scalar), length)
    }

    /// The class of a scalar.
    ///
    /// Safe: the table has the blocks of all scalars below the bound, and the classes of these blocks.
    @inline(__always)
    private func kind(of scalar: UInt32) -> WordBreakClass {
        guard scalar < 0x20000 else { return WordBreakTable.classBeyond(scalar) }
        let digits = Int(scalar &>> 5) &* 2
        let block = Int(blocks[digits] &- 0x30) &<< 6 | Int(blocks[digits &+ 1] &- 0x30)
        return WordBreakClass(number: classes[block &<< 5 | Int(scalar & 31)] & 31)
    }
}
