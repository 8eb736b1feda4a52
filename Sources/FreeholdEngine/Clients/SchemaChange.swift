/// One difference between the classes of a file and those that a program declares.
///
/// Its description is one sentence, the same in every language.
public enum SchemaChange: Sendable, Equatable {
    case newClass(ClassSchema)
    case newProperty(PropertySchema, of: String)
    case newIndex(String, of: String)
    /// An index that the program does not declare.
    case removedIndex(String, of: String)
    case newFullText(FullTextIndex, of: String)
    /// A full-text index that the program does not declare.
    case removedFullText(FullTextIndex, of: String)
    /// Other weights of the same fields, or another language: the index as declared.
    case fullTextWeights(FullTextIndex, of: String)
    case newPlaces(PlaceIndex, of: String)
    /// An index of places that the program does not declare.
    case removedPlaces(PlaceIndex, of: String)
    case newVectors(VectorIndex, of: String)
    /// An index of vectors over a property of which the program declares none.
    case removedVectors(VectorIndex, of: String)
    /// Other vectors of the same property: the index in the file, and as declared.
    case vectors(VectorIndex, VectorIndex, of: String)
    case newCollation(CollationIndex, of: String)
    /// An index in a collation that the program does not declare.
    case removedCollation(CollationIndex, of: String)
    /// A class that becomes a synced one, or a synced one with more counters and merged properties: the rules as declared.
    case newSync(SyncRules, of: String)
    /// A synced class that the program does not declare as one.
    case removedSync(of: String)
    /// Other rules of a synced class: the rules in the file, and as declared.
    case syncRules(SyncRules, SyncRules, of: String)
    /// A property that the program does not declare.
    case removedProperty(PropertySchema, of: String)
    /// Another type, other collections or another link target: the property in the file, and as declared.
    case type(PropertySchema, PropertySchema, of: String)
    case nullability(PropertySchema, of: String)
    case uniqueness(PropertySchema, of: String)
    /// Another delete rule: the property in the file, and as declared.
    case deleteRule(PropertySchema, PropertySchema, of: String)
    /// Another primary key: the properties of the file's, and of the program's.
    case primaryKey([String], [String], of: String)
    case embedding(Bool, of: String)
    /// Another superclass: the file's, and the program's.
    case superclass(String?, String?, of: String)

    /// The kinds of differences that a `SchemaPolicy` tells apart.
    public enum Kind: Sendable, CaseIterable {
        case newClass, newProperty, newIndex, removedIndex, removedProperty, newFullText, removedFullText, fullTextWeights
        case newPlaces, removedPlaces, newVectors, removedVectors, vectors, newCollation, removedCollation
        case newSync, removedSync, syncRules
        case type, nullability, unique, notUnique, deleteRule, primaryKey, embedding, superclass
    }

    /// The kind of difference.
    public var kind: Kind {
        switch self {
        case .newClass: .newClass
        case .newProperty: .newProperty
        case .newIndex: .newIndex
        case .removedIndex: .removedIndex
        case .newFullText: .newFullText
        case .removedFullText: .removedFullText
        case .fullTextWeights: .fullTextWeights
        case .newPlaces: .newPlaces
        case .removedPlaces: .removedPlaces
        case .newVectors: .newVectors
        case .removedVectors: .removedVectors
        case .vectors: .vectors
        case .newCollation: .newCollation
        case .removedCollation: .removedCollation
        case .newSync: .newSync
        case .removedSync: .removedSync
        case .syncRules: .syncRules
        case .removedProperty: .removedProperty
        case .type: .type
        case .nullability: .nullability
        case .uniqueness(let property, _): property.isUnique ? .unique : .notUnique
        case .deleteRule: .deleteRule
        case .primaryKey: .primaryKey
        case .embedding: .embedding
        case .superclass: .superclass
        }
    }

    /// The difference between the values that two properties of a class can have; nil if there is none.
    ///
    /// - Parameter comparesLinks: whether links in maps that may be null differ from links that may not.
    public static func ofValues(_ old: PropertySchema, _ new: PropertySchema, of name: String, comparesLinks: Bool) -> SchemaChange? {
        if old.type != new.type || old.collections != new.collections || !old.linkTarget.isSame(as: new.linkTarget) {
            return .type(old, new, of: name)
        }
        if old.isNullable == new.isNullable || old.type == .mixed || old.type == .link && !comparesLinks { return nil }
        return .nullability(new, of: name)
    }

    /// Whether values of a property's old type are converted to its new one.
    public static func converts(_ old: PropertySchema, _ new: PropertySchema) -> Bool {
        old.collections.isEmpty && new.collections.isEmpty && old.type != .link && new.type != .link
    }
}

extension SchemaChange: CustomStringConvertible {
    // Long because each kind of difference has one sentence.
    public var description: String {
        switch self {
        case .newClass(let declared): "Class '\(declared.name)' has been added."
        case .newProperty(let property, let name): "Property '\(name).\(property.name)' has been added."
        case .newIndex(let property, let name): "Property '\(name).\(property)' has been made indexed."
        case .removedIndex(let property, let name): "Property '\(name).\(property)' has been made unindexed."
        case .newFullText(let index, let name): "Class '\(name)' has got a full-text index of '\(index.paths)'."
        case .removedFullText(let index, let name): "Class '\(name)' has lost its full-text index of '\(index.paths)'."
        case .fullTextWeights(let index, let name):
            "Class '\(name)' has other weights, or another language, in its full-text index of '\(index.paths)'."
        case .newPlaces(let index, let name): "Class '\(name)' has got an index of places of '\(index.place)'."
        case .removedPlaces(let index, let name): "Class '\(name)' has lost its index of places of '\(index.place)'."
        case .newVectors(let index, let name): "Class '\(name)' has got an index of vectors of '\(index.property)': \(index.shape)."
        case .removedVectors(let index, let name): "Class '\(name)' has lost its index of vectors of '\(index.property)'."
        case .vectors(let old, let new, let name):
            "Class '\(name)' has changed its index of vectors of '\(new.property)' from '\(old.shape)' to '\(new.shape)'."
        case .newCollation(let index, let name):
            "Class '\(name)' has got an index of '\(index.property)' in the collation \"\(index.collation)\"."
        case .removedCollation(let index, let name):
            "Class '\(name)' has lost its index of '\(index.property)' in the collation \"\(index.collation)\"."
        case .newSync(let rules, let name): "Class '\(name)' has been made a synced class: \(rules.text)."
        case .removedSync(let name): "Class '\(name)' has been made a class that is not synced."
        case .syncRules(let old, let new, let name):
            "Class '\(name)' has changed its rules for sync from '\(old.text)' to '\(new.text)'."
        case .removedProperty(let property, let name): "Property '\(name).\(property.name)' has been removed."
        case .type(let old, let new, let name):
            "Property '\(name).\(new.name)' has been changed from '\(old.typeInWords)' to '\(new.typeInWords)'."
        case .nullability(let property, let name):
            "Property '\(name).\(property.name)' has been made \(property.isNullable ? "optional" : "required")."
        case .uniqueness(let property, let name):
            "Property '\(name).\(property.name)' has been made \(property.isUnique ? "unique" : "not unique")."
        case .deleteRule(let old, let new, let name):
            "Property '\(name).\(new.name)' has changed its delete rule from '\(old.deleteRule.name)' to '\(new.deleteRule.name)'."
        case .primaryKey(let old, let new, let name):
            if old.isEmpty { "Primary Key for class '\(name)' has been added." } else if new.isEmpty {
                "Primary Key for class '\(name)' has been removed."
            } else {
                "Primary Key for class '\(name)' has changed from '\(old.joined(separator: ", "))' to '\(new.joined(separator: ", "))'."
            }
        case .embedding(let isEmbedded, let name):
            "Class '\(name)' has been changed from \(isEmbedded ? "top-level to embedded" : "embedded to top-level")."
        case .superclass(let old, let new, let name):
            "Class '\(name)' has changed its superclass from '\(old ?? "Object")' to '\(new ?? "Object")'."
        }
    }
}

extension PropertySchema {
    /// The property's type in the words of messages, such as `array<string>` or `<Person>`.
    public var typeInWords: String {
        let element = linkTarget.map { collections.isEmpty ? "<\($0)>" : $0 } ?? type.inWords
        return collections.reversed().reduce(element) { element, collection in
            switch collection {
            case .list: "array<\(element)>"
            case .set: "set<\(element)>"
            case .map: "dictionary<string, \(element)>"
            }
        }
    }
}

extension PropertyType {
    fileprivate var inWords: String {
        switch self {
        case .objectId: "object id"
        case .decimal: "decimal128"
        default: name
        }
    }
}
