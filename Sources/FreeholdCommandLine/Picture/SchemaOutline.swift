import FreeholdEngine

/// What there is to tell of a schema: its classes, and the relations between them.
struct SchemaOutline {
    /// A link property, or that a class extends another one.
    struct Relation {
        /// The places of the classes in `classes`.
        let from: Int
        let to: Int
        /// The place of the property in its class; nil for `from` extends `to`.
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

    /// The property of a relation that is one.
    func property(_ relation: Relation) -> PropertySchema? { relation.property.map { classes[relation.from].properties[$0] } }
}

extension PropertySchema {
    /// The type as people write it: `list of string?`, `map of list of link to Person`.
    var typeText: String {
        let single = linkTarget.map { "link to \($0)" } ?? type.name + (isNullable ? "?" : "")
        return collections.map { "\($0.name) of " }.joined() + single
    }

    /// How many objects the property of one object may lead to.
    var cardinality: String { collections.isEmpty ? "0..1" : "0..*" }

    /// What else there is to say: keys, indexes, rules.
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
    /// What there is to say of the class beside its name, if anything.
    var remark: String {
        [isEmbedded ? "embedded" : "", superclass.map { "extends \($0)" } ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

extension IndexSchema {
    /// `index (city, age), unique`.
    var text: String { "index (\(properties.joined(separator: ", ")))" + (isUnique ? ", unique" : "") }
}
