/// The order of strings in a language, for sorting.
///
/// ```swift
/// let people = realm.objects(Person.self).sorted(by: \.name, collation: "de")
/// let files = realm.objects(File.self).sorted(byKeyPath: "name", collation: Collation("en", numeric: true))   // "file10" after "file9"
/// ```
/// Languages are ordered by the library ICU, which the machine must have. Options that the parameters lack are written in
/// the tag, as in `"de-u-co-phonebk"`: docs/collation.md has all of them.
public struct Collation: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Which of two strings that differ in case only is first.
    public enum CaseFirst: String, Hashable, Sendable, CaseIterable {
        case upper, lower
    }

    /// The differences that count. Strings without one are equal; the next sort key decides between them.
    public enum Strength: String, Hashable, Sendable, CaseIterable {
        /// Letters only: `a`, `A` and `ä` are equal in English.
        case primary = "level1"
        /// Letters and accents.
        case secondary = "level2"
        /// Letters, accents and case: what is usual.
        case tertiary = "level3"
        /// Every difference.
        case identical = "identic"
    }

    /// The language and its options, as a BCP 47 tag.
    public let tag: String

    /// The order that a BCP 47 tag names: `"de"`, `"fr-CA"`, `"zh-u-co-stroke"`; `"und"` for what is common to languages.
    ///
    /// - Parameters:
    ///   - numeric: whether digits are ordered as the numbers they write.
    ///   - caseFirst: nil for the language's custom.
    ///   - strength: nil for the language's custom, as a rule `.tertiary`.
    public init(_ tag: String, numeric: Bool = false, caseFirst: CaseFirst? = nil, strength: Strength? = nil) {
        var options = numeric ? "-kn" : ""
        if let caseFirst { options += "-kf-\(caseFirst.rawValue)" }
        if let strength { options += "-ks-\(strength.rawValue)" }
        let isExtended = tag.lowercased().contains("-u-")
        self.tag = options.isEmpty || isExtended ? tag + options : tag + "-u" + options
    }

    public init(stringLiteral tag: String) { self.init(tag) }

    /// The tag.
    public var description: String { tag }
}
