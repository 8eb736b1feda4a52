import Platform
import Testing
@testable import FreeholdEngine
import TestKit

/// Sort keys of strings, by ICU.
@Suite struct LanguageOrderTests {
    private func order(_ tag: String) throws -> LanguageOrder { try LanguageOrder(tag, LinuxSystem.shared) }

    private func key(_ text: String, _ order: LanguageOrder) -> [UInt8] {
        var text = text
        return text.withUTF8 { order.key(of: UnsafeRawBufferPointer($0)) }
    }

    @Test("each language and each option has its order", arguments: [
        ("de", ["a", "ä", "Ä", "az", "b", "Z"]), ("sv", ["a", "b", "Z", "ä", "Ä"]), ("de-u-co-phonebk", ["ad", "Ä", "af", "b"]),
        ("und", ["", "-", "1", "10", "9", "a", "A", "b", "z", "α", "б", "ก", "中"]), ("en-u-kn", ["file9", "file10", "file100"]),
        ("en", ["file10", "file100", "file9"]), ("en-u-kf-upper", ["A", "a", "B", "b"]),
        ("en-u-kn-kf-upper", ["A9", "a9", "A10", "a10"]), ("fr-CA", ["cote", "côte", "coté", "côté"]),
        ("fr", ["cote", "coté", "côte", "côté"]), ("cs", ["c", "č", "d", "h", "ch", "i"]),
        ("da", ["z", "æ", "ø", "å"]), ("zh-u-co-stroke", ["一", "丁", "中"]), ("EN-US-u-KA-SHIFTED", ["ab", "a c"]), ("en-US", ["a c", "ab"]),
        ("en-u-kr-grek-latn", ["α", "a"]), ("root", ["a", "b"]), ("nb-NO", ["z", "å"]),
    ])
    func ordered(tag: String, texts: [String]) throws {
        let order = try order(tag), keys = texts.map { key($0, order) }
        for (one, next) in zip(keys, keys.dropFirst()) { #expect(one.lexicographicallyPrecedes(next), "\(tag): \(texts)") }
    }

    @Test("what has no difference that counts is equal", arguments: [
        ("de", "e\u{301}", "é"), ("de", "a\u{0}b", "ab"), ("de", "", "\u{200B}"), ("en-u-ks-level1", "Résumé", "resume"),
        ("en-u-ks-level2", "A", "a"), ("en-u-ka-shifted-ks-level1", "co-op", "COOP"),
    ])
    func equal(tag: String, one: String, other: String) throws {
        let order = try order(tag)
        #expect(key(one, order) == key(other, order))
        // Two spellings of one character are equal at every strength.
        let identical = try self.order("en-u-ks-identic")
        #expect((key(one, identical) == key(other, identical)) == (one == other))
    }

    @Test("what ICU would ignore or fall back from is an error in words", arguments: [
        ("de_DE", "tag"), ("", "tag"), ("d", "tag"), ("de-", "tag"), ("de\0-AT", "tag"), ("not a tag", "tag"),
        (String(repeating: "de-", count: 500), "tag"), ("xx", "language"), ("qqq-DE", "language"), ("xx-u-co-emoji", "language"),
        ("de-u-co-pinyin", "order"), ("de-u-co-xyz", "order"), ("de-u-co", "has the option 'co' without a value, which it needs"),
        ("de-u-kn-maybe", "has the value 'maybe' of 'kn'"), ("de-u-zz-foo", "has the option 'zz', which a collation does not have"),
        ("de-u-ks-level9", "has the value 'level9' of 'ks'"), ("de-u-kr-foo", "has scripts of 'kr' that ICU does not take"),
        ("de-u-kf", "has the option 'kf' without a value"), ("de-u-vt-0061", "has the option 'vt', which a collation does not have"),
        ("de-u-kh", "has the option 'kh', which a collation does not have"), ("de-x-mine", "has the extension '-x-'"),
        ("de-t-en", "has the extension '-t-'"), ("de-u-foo-kn", "has 'foo' where an option is expected"),
        ("de-u-kv-punct", "has the option 'kv', which a collation does not have"),
    ])
    func refused(tag: String, what: String) throws {
        let message = [
            "tag": "is not a language tag", "language": "has a language that ICU has no order for",
            "order": "asks for an order that ICU does not have",
        ][what] ?? what
        let error = #expect(throws: FreeholdError.self) { try order(tag) }
        #expect(error?.code == .malformedInput && error?.message.contains(message) == true, "\(tag): \(error?.message ?? "")")
    }

    @Test("keys of long strings are whole, and the same for all threads")
    func longAndShared() async throws {
        let order = try order("de")
        for unit in ["a", "ä", "\u{FDFA}", "中", "🏴", "a\u{301}\u{327}"] {
            for count in [1, 5, 255, 256, 257, 5000] {
                let text = String(repeating: unit, count: count)
                #expect(key(text, order).lexicographicallyPrecedes(key(text + "a", order)))
                #expect(key(text, order) == key(text + "\0", order))
            }
        }
        let wide = String(repeating: "\u{FDFA}", count: 100)
        #expect(key(wide, order).count > LanguageOrder.room(for: wide.utf8.count), "the first buffer should have been too short")
        let texts = (0..<200).map { String(repeating: "Straße \($0) ", count: $0 % 40) }, keys = texts.map { key($0, order) }
        await withTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<4 { group.addTask { texts.map { key($0, order) } } }
            for await each in group { #expect(each == keys) }
        }
    }

    @Test("bytes that are not UTF-8 have a key too")
    func invalid() throws {
        let order = try order("de")
        let texts: [[UInt8]] = [[0xFF], [0xC3], [0x61, 0xED, 0xA0, 0x80], [0xF8, 0x88]]
        let keys = texts.map { bytes in bytes.withUnsafeBytes { order.key(of: $0) } }
        #expect(keys.allSatisfy { !$0.isEmpty })
    }

    /// One with the keys of another but for those of one letter.
    private final class Changed: Collator {
        let version: UInt64 = 60 << 56 | 1 << 48 | 7
        private let letter: UInt8

        init(letter: UInt8) { self.letter = letter }

        func writeSortKey(of text: UnsafeRawBufferPointer, to key: UnsafeMutableRawBufferPointer) -> Int? {
            let bytes = text.map { $0 == letter ? 0x7F : $0 }
            if bytes.count < key.count { key.copyBytes(from: bytes) }
            return bytes.count
        }
    }

    @Test("two builds of ICU with one version and other sort keys are two versions")
    func fingerprints() {
        let versions = (0x61...0x7A).map { LanguageOrder.fingerprint(Changed(letter: UInt8($0))) }
        #expect(Set(versions).count == 26 && versions.allSatisfy { LanguageOrder.release($0) == "60.1" })
        #expect(LanguageOrder.fingerprint(Changed(letter: 0x61)) == versions[0])
    }
}
