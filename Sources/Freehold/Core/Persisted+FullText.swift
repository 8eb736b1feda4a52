/// Whether a property's strings are in its class's full-text index, and how much they count there.
///
/// ```swift
/// class Article: Object {
///     @Persisted(fullText: .init(weight: 2)) var title = ""
///     @Persisted(fullText: true) var body = ""
/// }
/// ```
public struct FullTextOptions: Sendable, Hashable, ExpressibleByBooleanLiteral {
    /// How much the property counts in scores, from 1/256 to 255; nil if it is not in the index.
    public let weight: Double?
    /// The language of the index, so that searches find all forms of a word; nil if another property says it, or none.
    public let language: String?

    /// - Parameters:
    ///   - language: one of `FullTextIndex.languages`, such as `"english"`. It is that of the whole index, and needs to be said
    ///     for one of its properties only. Changing it builds the index anew.
    ///   - weight: from 1/256 to 255; 1 is the weight of `true`. Changing it does not build the index anew.
    public init(language: String? = nil, weight: Double = 1) {
        self.language = language
        self.weight = weight
    }

    public init(booleanLiteral isIndexed: Bool) {
        language = nil
        weight = isIndexed ? 1 : nil
    }

    /// The weight times 256, 0 without one. A weight out of range is one that opening refuses.
    fileprivate var word: UInt16 {
        guard let weight else { return 0 }
        return weight >= 1 / 256 && weight <= 255 ? UInt16((weight * 256).rounded()) : PropertyAttributes.wrongWeight
    }
}

extension Persisted where Value: _Storable {
    /// Declares a string that is in the full-text index of its class, with an initial value.
    ///
    /// All properties declared so are the fields of one index. `Object.fullTextIndexes()` declares further ones.
    ///
    /// - Parameters:
    ///   - indexed: whether the file keeps an ordered index, too.
    ///   - unique: whether no two objects may have the same value.
    ///   - fullText: true, or a language or a weight for scores: `.init(language: "english", weight: 2)`.
    ///   - name: the property's name in the file, if it differs.
    public init(wrappedValue: Value, indexed: Bool = false, unique: Bool = false, fullText: FullTextOptions, name: String? = nil) {
        attributes = PropertyWord.of(indexed: indexed, unique: unique, fullText, name)
        value = wrappedValue
    }

    /// Declares a string that is in the full-text index of its class, with an empty initial value, or nil.
    public init(indexed: Bool = false, unique: Bool = false, fullText: FullTextOptions, name: String? = nil) {
        attributes = PropertyWord.of(indexed: indexed, unique: unique, fullText, name)
        value = nil
    }
}

extension Persisted where Value: _PrimaryKey {
    /// Declares a string as the primary key that is in the full-text index of its class, with an initial value.
    public init(wrappedValue: Value, primaryKey: Bool, fullText: FullTextOptions, name: String? = nil) {
        attributes = PropertyWord.of(isKey: primaryKey, fullText, name)
        value = wrappedValue
    }

    /// Declares a string as the primary key that is in the full-text index of its class.
    public init(primaryKey: Bool, fullText: FullTextOptions, name: String? = nil) {
        attributes = PropertyWord.of(isKey: primaryKey, fullText, name)
        value = nil
    }
}

extension PropertyWord {
    /// The declaration of a string.
    static func of(
        isKey: Bool = false, indexed: Bool = false, unique: Bool = false, _ fullText: FullTextOptions,
        collation: PropertyCollations = [], _ name: String?
    ) -> UInt {
        var attributes = PropertyAttributes()
        attributes.isPrimaryKey = isKey
        attributes.isIndexed = indexed
        attributes.isUnique = unique
        attributes.fullTextWeight = fullText.word
        attributes.fullTextLanguage = fullText.language
        attributes.collations = collation.collations.map(\.tag)
        attributes.storedName = name
        return attributes.word
    }
}
