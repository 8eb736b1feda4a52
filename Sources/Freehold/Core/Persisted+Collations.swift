/// The languages in whose order the file keeps the strings of a property: one, or several.
///
/// ```swift
/// class Person: Object {
///     @Persisted(collation: "de") var name = ""
///     @Persisted(collation: ["en-u-kn", "sv"]) var city = ""
/// }
/// ```
public struct PropertyCollations: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// One for each index.
    public let collations: [Collation]

    public init(_ collations: [Collation]) { self.collations = collations }

    public init(stringLiteral tag: String) { self.init([Collation(tag)]) }

    public init(arrayLiteral collations: Collation...) { self.init(collations) }
}

extension Persisted where Value: _Storable {
    /// Declares a string whose values the file keeps in the order of a language, with an initial value: `sorted(by:collation:)` and
    /// `COLLATE` then find the first of many objects, or most of them, sooner.
    ///
    /// Each language is an index of its own. `Object.collationIndexes()` declares indexes too, and says what opening needs.
    ///
    /// - Parameters:
    ///   - indexed: whether the file keeps an ordered index, too.
    ///   - unique: whether no two objects may have the same value.
    ///   - fullText: whether the property is in the full-text index of its class, too.
    ///   - collation: a language as a BCP 47 tag, `"de"`, or several: `["de-u-kn", "sv"]`, `[Collation("en", numeric: true)]`.
    ///   - name: the property's name in the file, if it differs.
    public init(wrappedValue: Value, indexed: Bool = false, unique: Bool = false, fullText: FullTextOptions = false,
                collation: PropertyCollations, name: String? = nil) {
        attributes = PropertyWord.of(indexed: indexed, unique: unique, fullText, collation: collation, name)
        value = wrappedValue
    }

    /// Declares a string whose values the file keeps in the order of a language, with an empty initial value, or nil.
    public init(indexed: Bool = false, unique: Bool = false, fullText: FullTextOptions = false, collation: PropertyCollations,
                name: String? = nil) {
        attributes = PropertyWord.of(indexed: indexed, unique: unique, fullText, collation: collation, name)
        value = nil
    }
}

extension Persisted where Value: _PrimaryKey {
    /// Declares a string as the primary key whose values the file keeps in the order of a language, with an initial value.
    public init(wrappedValue: Value, primaryKey: Bool, fullText: FullTextOptions = false, collation: PropertyCollations,
                name: String? = nil) {
        attributes = PropertyWord.of(isKey: primaryKey, fullText, collation: collation, name)
        value = wrappedValue
    }

    /// Declares a string as the primary key whose values the file keeps in the order of a language.
    public init(primaryKey: Bool, fullText: FullTextOptions = false, collation: PropertyCollations, name: String? = nil) {
        attributes = PropertyWord.of(isKey: primaryKey, fullText, collation: collation, name)
        value = nil
    }
}
