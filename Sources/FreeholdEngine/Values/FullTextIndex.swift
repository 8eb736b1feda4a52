/// A property whose strings a full-text index has.
///
/// ```swift
/// let fields: [FullTextField] = ["title", "author.name", .init("body", weight: 0.5)]
/// ```
public struct FullTextField: Sendable, Hashable, ExpressibleByStringLiteral {
    /// A string property of the class, or of the object that a to-one link leads to: `author.name`.
    public let path: String
    /// How much the field counts in scores, from 1/256 to 255, rounded to a multiple of 1/256.
    public let weight: Double

    public init(_ path: String, weight: Double = 1) {
        self.path = path
        // One out of range stays as it is, and is refused.
        self.weight = weight >= 1 / 256 && weight <= 255 ? (weight * 256).rounded() / 256 : weight
    }

    public init(stringLiteral path: String) { self.init(path) }

    /// Whether both are the same property with the same weight; names are compared by their bytes.
    public static func == (left: FullTextField, right: FullTextField) -> Bool {
        left.path.isSame(as: right.path) && left.weight == right.weight
    }
}

/// A full-text index as a class declares it: the properties whose words it has.
///
/// ```swift
/// let index: FullTextIndex = ["title", "body", "author.name"]
/// ```
/// A class has at most one index over the same properties. Weights count in scores only: an index with other weights is the same index.
///
/// With a language, a word of a search finds all forms of the word: `house` finds `houses`.
public struct FullTextIndex: Sendable, Hashable, ExpressibleByArrayLiteral {
    public let fields: [FullTextField]
    /// The language of its strings, one of `languages`; nil for words as they are.
    public let language: String?

    public init(_ fields: [FullTextField], language: String? = nil) {
        self.fields = fields
        self.language = language
    }

    public init(_ fields: FullTextField..., language: String? = nil) { self.init(fields, language: language) }

    /// The languages that an index can have: those that Snowball has an algorithm for. Which of them are there depends on the
    /// version of the library libstemmer; version 2 has all.
    public static let languages = [
        "arabic", "armenian", "basque", "catalan", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hindi",
        "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian", "portuguese", "romanian", "russian",
        "serbian", "spanish", "swedish", "tamil", "turkish", "yiddish",
    ]

    /// What is wrong with the name of a language, or nil.
    public static func complaint(aboutLanguage name: String) -> String? {
        if languages.contains(where: { $0.isSame(as: name) }) { return nil }
        return "'\(name.abridged)' is no language of full-text indexes, which are \(languages.joined(separator: ", "))"
    }

    public init(arrayLiteral fields: FullTextField...) { self.init(fields) }

    /// The paths of its properties, as messages show them.
    public var paths: String { fields.map(\.path).joined(separator: ", ") }

    /// Whether both are over the same properties, in any order, with any weights and languages.
    public func hasSameFields(as other: FullTextIndex) -> Bool {
        fields.count == other.fields.count && Set(exact: fields.map(\.path)) == Set(exact: other.fields.map(\.path))
    }

    /// Whether both have the same properties with the same weights, in any order, and the same language.
    public static func == (left: FullTextIndex, right: FullTextIndex) -> Bool {
        left.language == right.language && left.fields.count == right.fields.count && left.fields.allSatisfy { right.fields.contains($0) }
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(Set(fields)) }
}
