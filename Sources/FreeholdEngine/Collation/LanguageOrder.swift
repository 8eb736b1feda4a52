import Platform

/// The order of strings in a language, by ICU: that of their sort keys, compared byte by byte. Any number of threads may use
/// it.
///
/// ```swift
/// let german = try LanguageOrder("de-u-kn", system)
/// let key = german.key(of: bytes)      // "Äpfel 9" is before "Apfelsine" and "Äpfel 10"
/// ```
///
/// Safe throughout: buffers belong to the calls they are passed to.
final class LanguageOrder: Sendable {
    /// The language and its options, as a BCP 47 tag.
    let tag: String
    private let collator: any Collator
    /// What decides the bytes of sort keys, never 0: ICU's version in the four high bytes; in the four low ones a hash of the
    /// version of the order and of the sort key of a sample. Two builds of ICU may have one version and other data.
    let version: UInt64

    /// - Throws: `.malformedInput` for a tag or an option that ICU does not know, and for options that contradict each other;
    ///   `.system` if ICU is not installed.
    init(_ tag: String, _ system: any System) throws(FreeholdError) {
        self.tag = tag
        if let mistake = CollationOptions.mistake(in: tag) { throw Self.wrong(tag, mistake) }
        do { collator = try system.makeCollator(tag) } catch { throw Self.error(error, tag) }
        version = Self.fingerprint(collator)
    }

    // MARK: version

    /// Letters, accents, cases, digits, signs and scripts in whose order languages and builds of ICU differ.
    private static let sample = "aAäÄåæbcčçchdđeéêfgğhiıjkllmnñoöøœpqrřsšßtþuüvwxyýzžЁгєиїѣαάωאבبيकखกเรあアぁ中文一한ㄅ𠀀"
        + "0129½²①_-–,;:!?.'\"“(/@*&#%+<=€$→§😀👍\u{0301}\u{00AD}\u{200D}\u{FFFD} "

    static func fingerprint(_ collator: any Collator) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        withUnsafeBytes(of: (collator.version & 0xFFFF_FFFF).littleEndian) { $0.forEach(mix) }
        var sample = sample
        sample.withUTF8 { text in
            let text = UnsafeRawBufferPointer(text)
            withUnsafeTemporaryAllocation(byteCount: 16 * text.count, alignment: 1) { key in
                let length = collator.writeSortKey(of: text, to: key) ?? 0
                mix(UInt8(truncatingIfNeeded: length >> 8))
                key.prefix(length).forEach(mix)
            }
        }
        return max(1, collator.version & ~0xFFFF_FFFF | (hash ^ hash >> 32) & 0xFFFF_FFFF)
    }

    /// The tag in the spelling that indexes record.
    var normalTag: String { CollationTag.normal(tag) }

    // MARK: sort keys

    /// The bytes that a string's sort key probably takes.
    static func room(for count: Int) -> Int { 4 * count + 32 }

    /// Writes the sort key of a string in UTF-8, and returns its length. The buffer must be longer than that, or the key is
    /// not in it.
    func writeKey(of text: UnsafeRawBufferPointer, to key: UnsafeMutableRawBufferPointer) -> Int {
        if let length = collator.writeSortKey(of: text, to: key) { return length }
        preconditionFailure("no memory for the sort key of \(text.count) bytes")
    }

    /// Calls `body` with the sort key of a string in UTF-8.
    func withKey<Result>(of text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var missing = 0
        let first = withUnsafeTemporaryAllocation(byteCount: Self.room(for: text.count), alignment: 1) { key -> Result? in
            missing = writeKey(of: text, to: key)
            return missing < key.count ? body(UnsafeRawBufferPointer(rebasing: key[..<missing])) : nil
        }
        if let first { return first }
        return withUnsafeTemporaryAllocation(byteCount: missing + 1, alignment: 1) { key in
            body(UnsafeRawBufferPointer(rebasing: key[..<writeKey(of: text, to: key)]))
        }
    }

    /// The sort key of a string in UTF-8.
    func key(of text: UnsafeRawBufferPointer) -> [UInt8] { withKey(of: text) { Array($0) } }

    // MARK: words

    /// ICU's version, as in `72.1`.
    static func release(_ version: UInt64) -> String { "\(version >> 56).\(version >> 48 & 0xFF)" }

    /// What orders strings, for explanations.
    var note: String {
        "COLLATE \"\(tag)\" is by ICU \(Self.release(version)), with a sort key for each object or each string that repeats"
    }

    private static func error(_ error: CollatorError, _ tag: String) -> FreeholdError {
        switch error {
        case .noLibrary:
            FreeholdError(.system, "COLLATE needs the library ICU, which is not installed; install it "
                + "(Debian 12: libicu72, Fedora: libicu, Alpine: icu-libs and icu-data-full)")
        case .noTag: wrong(tag, "is not a language tag; write it as in \"de\", \"de-CH\" or \"de-u-co-phonebk-kn\"")
        case .noLanguage: wrong(tag, "has a language that ICU has no order for; \"und\" is the order common to languages")
        case .noOrder: wrong(tag, "asks for an order that ICU does not have in that language; leave out 'co', or give it another value")
        case .noOption where CollationOptions.hasScripts(tag):
            wrong(tag, "has scripts of 'kr' that ICU does not take; name each once, as in kr-grek-latn")
        case .noOption: wrong(tag, "has an option that ICU does not take; there are \(CollationOptions.names)")
        }
    }

    private static func wrong(_ tag: String, _ what: String) -> FreeholdError {
        FreeholdError(.malformedInput, "'\(tag.abridged)' \(what)")
    }
}
