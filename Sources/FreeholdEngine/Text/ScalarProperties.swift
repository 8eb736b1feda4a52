/// The properties of scalars that terms depend on, read from `FoldingTable`.
///
/// Terms are stored in files, and programs with different standard libraries share these: so terms depend on a table of
/// one version of Unicode, not on the library's. Scalars without an entry fold to themselves and are no marks.
struct ScalarProperties: Sendable {
    static let shared = ScalarProperties()

    private let cases: CaseRuns
    private let expansions: ScalarMap<[UInt32]>
    private let decompositions: ScalarMap<Decomposition>
    /// Pairs that compose, first · 2³² + second, in ascending order, and what they compose to.
    private let pairs: [UInt64]
    private let compositions: [UInt32]
    private let marks: ScalarRuns
    private let classes: ScalarRuns
    private let formats: ScalarRuns

    /// One step of a canonical decomposition.
    private struct Decomposition {
        var first: UInt32
        /// 0 for none.
        var second: UInt32
    }

    private init() {
        cases = CaseRuns(FoldingTable.cases)
        marks = ScalarRuns(FoldingTable.marks, hasValues: false)
        classes = ScalarRuns(FoldingTable.combiningClasses, hasValues: true)
        formats = ScalarRuns(FoldingTable.formats, hasValues: false)
        var expansions = ScalarMap<[UInt32]>(), decompositions = ScalarMap<Decomposition>(), composing: [(UInt64, UInt32)] = []
        var numbers = FoldingNumbers(FoldingTable.expansions), scalar: UInt32 = 0
        while !numbers.isAtEnd {
            scalar += UInt32(numbers.next())
            expansions.append(scalar, (0..<numbers.next()).map { _ in UInt32(numbers.next()) })
        }
        numbers = FoldingNumbers(FoldingTable.decompositions)
        scalar = 0
        while !numbers.isAtEnd {
            scalar += UInt32(numbers.next())
            let kind = numbers.next(), first = UInt32(Int(scalar) + numbers.nextSigned()), second = kind == 0 ? 0 : UInt32(numbers.next())
            decompositions.append(scalar, Decomposition(first: first, second: second))
            if kind == 1 { composing.append((UInt64(first) << 32 | UInt64(second), scalar)) }
        }
        composing.sort { $0.0 < $1.0 }
        (self.expansions, self.decompositions) = (expansions, decompositions)
        (pairs, compositions) = (composing.map(\.0), composing.map(\.1))
    }

    func isNonspacingMark(_ scalar: UInt32) -> Bool { marks.value(of: scalar) != nil }
    func isFormat(_ scalar: UInt32) -> Bool { formats.value(of: scalar) != nil }
    func combiningClass(_ scalar: UInt32) -> UInt8 { classes.value(of: scalar) ?? 0 }

    /// Calls `body` with the scalars of the lower case of the upper case of the lower case: letters with several lower cases
    /// (σ, ς) or upper cases (ß) become one.
    func forEachFolded(_ scalar: UInt32, _ body: (UInt32) -> Void) {
        if scalar < 0x80 { return body(scalar >= 0x41 && scalar <= 0x5A ? scalar | 0x20 : scalar) }
        if let single = cases.folded(scalar) { return body(single) }
        if let several = expansions[scalar] { return several.forEach(body) }
        body(scalar)
    }

    /// Calls `body` with the scalars of the full canonical decomposition, in the order of the table.
    func forEachDecomposed(_ scalar: UInt32, _ body: (UInt32) -> Void) {
        if scalar < 0xC0 { return body(scalar) }
        if let syllable = HangulSyllable(scalar) { return syllable.forEachPart(body) }
        guard let step = decompositions[scalar] else { return body(scalar) }
        forEachDecomposed(step.first, body)
        if step.second != 0 { forEachDecomposed(step.second, body) }
    }

    /// What two scalars compose to in NFC, or nil.
    func composed(_ first: UInt32, _ second: UInt32) -> UInt32? {
        if let syllable = HangulSyllable.composed(first, second) { return syllable }
        let pair = UInt64(first) << 32 | UInt64(second)
        var low = 0, high = pairs.count
        while low < high {
            let middle = (low + high) / 2
            if pairs[middle] < pair { low = middle + 1 } else { high = middle }
        }
        return low < pairs.count && pairs[low] == pair ? compositions[low] : nil
    }
}

/// A syllable of Hangul, whose decomposition and composition are arithmetic.
private struct HangulSyllable {
    private static let syllables: UInt32 = 0xAC00, leading: UInt32 = 0x1100, vowels: UInt32 = 0x1161, trailing: UInt32 = 0x11A7
    private static let leadingCount: UInt32 = 19, vowelCount: UInt32 = 21, trailingCount: UInt32 = 28

    private let index: UInt32

    init?(_ scalar: UInt32) {
        let end = Self.syllables + Self.leadingCount * Self.vowelCount * Self.trailingCount
        guard scalar >= Self.syllables, scalar < end else { return nil }
        index = scalar - Self.syllables
    }

    func forEachPart(_ body: (UInt32) -> Void) {
        body(Self.leading + index / (Self.vowelCount * Self.trailingCount))
        body(Self.vowels + index / Self.trailingCount % Self.vowelCount)
        if index % Self.trailingCount != 0 { body(Self.trailing + index % Self.trailingCount) }
    }

    static func composed(_ first: UInt32, _ second: UInt32) -> UInt32? {
        if first >= leading, first < leading + leadingCount, second >= vowels, second < vowels + vowelCount {
            return syllables + ((first - leading) * vowelCount + (second - vowels)) * trailingCount
        }
        if let syllable = HangulSyllable(first), syllable.index % trailingCount == 0, second > trailing, second < trailing + trailingCount {
            return first + (second - trailing)
        }
        return nil
    }
}
