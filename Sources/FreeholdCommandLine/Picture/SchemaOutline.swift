import FreeholdEngine

/// A schema in the form shown to users: its classes, and the relations between them.
struct SchemaOutline {
    /// A link property, or an extension of another class.
    struct Relation {
        /// The positions of the classes in `classes`.
        let from: Int
        let to: Int
        /// The position of the property in its class; nil if `from` extends `to`.
        let property: Int?
    }

    let classes: [ClassSchema]
    let relations: [Relation]

    init(_ classes: [ClassSchema]) {
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
    func property(_ relation: Relation) -> PropertySchema? { relation.property.map { classes[relation.from].properties[$0] } }
}

extension PropertySchema {
    /// The type in words: `list of string?`, `map of list of link to Person`.
    var typeText: String {
        let single = linkTarget.map { "link to \($0)" } ?? type.name + (isNullable ? "?" : "")
        return collections.map { "\($0.name) of " }.joined() + single
    }

    /// The number of objects that the property of one object may link to.
    var cardinality: String { collections.isEmpty ? "0..1" : "0..*" }

    /// Remarks: keys, indexes, rules.
    func remarks(in schema: ClassSchema) -> [String] {
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
    var remark: String {
        [isEmbedded ? "embedded" : "", superclass.map { "extends \($0)" } ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

extension IndexSchema {
    /// `index (city, age), unique`.
    var text: String { "index (\(properties.joined(separator: ", ")))" + (isUnique ? ", unique" : "") }
}
