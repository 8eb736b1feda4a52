import FreeholdEngine

/// A schema in the form shown to users: its classes, and the relations between them.
package struct SchemaOutline {
    /// A link property, or an extension of another class.
    package struct Relation {
        /// The positions of the classes in `classes`.
        package let from: Int
        package let to: Int
        /// The position of the property in its class; nil if `from` extends `to`.
        package let property: Int?
    }

    package let classes: [ClassSchema]
    package let relations: [Relation]

    package init(_ classes: [ClassSchema]) {
        self.classes = classes
        var relations: [Relation] = []
        for (from, schema) in classes.enumerated() {
            func find(_ name: String?) -> Int? { name.flatMap { name in classes.firstIndex { $0.name.isSame(as: name) } } }
            if let base = find(schema.superclass) { relations.append(Relation(from: from, to: base, property: nil)) }
            for (place, property) in schema.properties.enumerated() {
                if let target = find(property.linkTarget) { relations.append(Relation(from: from, to: target, property: place)) }
            }
        }
        self.relations = relations
    }

    /// The property of a link relation.
    package func property(_ relation: Relation) -> PropertySchema? { relation.property.map { classes[relation.from].properties[$0] } }
}

extension PropertySchema {
    /// The type in words: `list of string?`, `map of list of link to Person`.
    public var typeText: String {
        let single = linkTarget.map { "link to \($0)" } ?? type.name + (isNullable ? "?" : "")
        return collections.map { "\($0.name) of " }.joined() + single
    }

    /// The number of objects that the property of one object may link to.
    public var cardinality: String { collections.isEmpty ? "0..1" : "0..*" }

    /// Remarks: keys, indexes, rules.
    public func remarks(in schema: ClassSchema) -> [String] {
        var remarks: [String] = []
        if let place = schema.primaryKeys.firstIndex(of: name) {
            remarks.append(schema.primaryKeys.count == 1 ? "primary key" : "primary key, part \(place + 1)")
        }
        if isUnique { remarks.append("unique") }
        if isIndexed { remarks.append("indexed") }
        if deleteRule != .nullify { remarks.append("delete rule \(deleteRule.name)") }
        return remarks
    }
}

extension ClassSchema {
    /// Remarks on the class, if any.
    public var remark: String {
        [isEmbedded ? "embedded" : "", superclass.map { "extends \($0)" } ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

extension FullTextIndex {
    /// `full text (title 2, body, author.name), english`: the fields, with weights other than 1, and the language.
    package var text: String {
        "full text (\(fields.map { $0.weight == 1 ? $0.path : "\($0.path) \(Self.text($0.weight))" }.joined(separator: ", ")))"
            + (language.map { ", \($0)" } ?? "")
    }

    private static func text(_ weight: Double) -> String {
        let text = "\(weight)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension PlaceIndex {
    /// `places (location)`, or `places (latitude, longitude)`.
    package var text: String { "places (\(place))" }
}

extension VectorIndex {
    /// `vectors (embedding, 384 float32, cosine)`.
    package var text: String { "vectors (\(property), \(shape))" }
}

extension CollationIndex {
    /// `order (name COLLATE "de")`.
    package var text: String { "order (\(order))" }
}

extension ClassSchema {
    /// The indexes of the class, but those of one property, and whether it is synced, as text.
    package var indexTexts: [String] { indexes.map(\.text) + derivedTexts }

    /// The full-text indexes and the indexes of places, of vectors and in a collation, as text; and whether it is synced.
    package var derivedTexts: [String] {
        fullTextIndexes.map(\.text) + placeIndexes.map(\.text) + vectorIndexes.map(\.text) + collationIndexes.map(\.text)
            + (syncRules.map { ["synced (\($0.text))"] } ?? [])
    }
}

extension IndexSchema {
    /// `index (city, age), unique`.
    package var text: String { "index (\(properties.joined(separator: ", ")))" + (isUnique ? ", unique" : "") }
}
