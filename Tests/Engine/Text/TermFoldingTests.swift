@_spi(_Unicode) import Swift
import TestKit
import Testing
@testable import FreeholdEngine

/// The tables of Unicode 15.0.0 against the standard library, which may know a later version.
@Suite("Folding of terms")
struct TermFoldingTests {
    private static let options: [TextOptions] = [.caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]]

    private func isOld(_ scalar: Unicode.Scalar) -> Bool {
        guard let age = scalar.properties.age else { return false }
        return (age.major, age.minor) <= (15, 0)
    }

    private func name(_ scalar: Unicode.Scalar) -> String { String(scalar.value, radix: 16) }

    @Test("each scalar of Unicode 15.0.0 folds as by the standard library, any other to itself", arguments: options)
    func allScalars(options: TextOptions) {
        var old = 0
        for scalar in (UInt32(0)...0x10FFFF).lazy.compactMap(Unicode.Scalar.init) {
            // Without properties in any version: enough of them are compared.
            guard scalar.properties.generalCategory != .privateUse || scalar.value % 512 == 0 else { continue }
            // A mark of Ahom in 15.0, a letter's sign in later versions.
            if scalar.value == 0x1171E { continue }
            let text = String(scalar), isOld = isOld(scalar)
            guard isOld || scalar.value % 64 == 0 || scalar.properties.age != nil else { continue }
            old += isOld ? 1 : 0
            let wanted = isOld ? FoldedText.bytes(text, options) : Array(text.utf8)
            #expect(TermFolding.bytes(text, options) == wanted, "\(name(scalar))")
        }
        #expect(old > 149_000, "the version of Unicode was not found")
    }

    @Test("each scalar of Unicode 15.0.0 composes and decomposes as by the standard library")
    func normalForms() {
        for scalar in (UInt32(0)...0x10FFFF).lazy.compactMap(Unicode.Scalar.init) where isOld(scalar) {
            let text = String(scalar), category = scalar.properties.generalCategory
            if category == .privateUse { continue }
            var parts: [UInt32] = []
            ScalarProperties.shared.forEachDecomposed(scalar.value) { parts.append($0) }
            #expect(parts.elementsEqual(text._nfd.map(\.value)), "\(name(scalar))")
            #expect(TermFolding.composed(text).unicodeScalars.elementsEqual(text._nfc), "\(name(scalar))")
            #expect(ScalarProperties.shared.isFormat(scalar.value) == (category == .format), "\(name(scalar))")
        }
    }

    @Test("strings of letters, marks and syllables fold and compose as by the standard library", arguments: Seeds.all)
    func strings(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pieces: [Unicode.Scalar] = [
            "a", "É", "\u{301}", "\u{323}", "\u{302E}", "\u{1D165}", "\u{1D16E}", "漢", "か", "\u{3099}", "한", "\u{1100}",
            "\u{1161}", "\u{11A8}", "İ", "ß", "\u{345}", "\u{1B44}", "\u{9C7}", "\u{9BE}", "\u{1025}", "\u{102E}", "\u{F900}", "\u{308}",
            "\u{34F}", "ﬃ", "Ꭰ", "\u{16FF0}",
        ]
        for _ in 0..<TestScale.count(2000) {
            var text = ""
            for _ in 0..<random.below(8) { text.unicodeScalars.append(pieces[random.below(pieces.count)]) }
            for options in Self.options {
                let wanted = FoldedText.bytes(text, options), bytes = Array(text.utf8)
                #expect(TermFolding.bytes(text, options) == wanted, "seed \(seed): \(text.unicodeScalars.map(\.value))")
                let folded = bytes.withUnsafeBytes { TermFolding.bytes($0, options) }
                #expect(folded == wanted, "seed \(seed): \(text.unicodeScalars.map(\.value))")
            }
            #expect(TermFolding.composed(text).unicodeScalars.elementsEqual(text._nfc), "seed \(seed): \(text.unicodeScalars.map(\.value))")
        }
    }

    @Test("both tables of terms are of one version of Unicode")
    func versions() {
        #expect(FoldingTable.unicodeVersion == WordBreakTable.unicodeVersion)
    }
}
