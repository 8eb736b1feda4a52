import FreeholdEngine

/// The classes of a file as models declare them: each with what it inherits.
struct ModelOutline {
    /// The classes, each with the properties that it declares itself.
    let classes: [ClassSchema]
    private let byName: TextMap<ClassSchema>

    init(_ classes: [ClassSchema]) {
        self.classes = classes
        byName = TextMap(classes.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The class with a name.
    func find(_ name: String?) -> ClassSchema? { name.flatMap { byName[$0] } }

    /// A class and those that it extends, the topmost first.
    func line(_ schema: ClassSchema) -> [ClassSchema] { (find(schema.superclass).map(line) ?? []) + [schema] }

    /// All properties of a class's objects, the inherited ones first.
    func properties(_ schema: ClassSchema) -> [PropertySchema] { line(schema).flatMap(\.properties) }

    /// The primary key of a class's objects, which the topmost class declares.
    func primaryKeys(_ schema: ClassSchema) -> [String] { line(schema)[0].primaryKeys }

    /// The indexes over several properties of a class's objects, the inherited ones first.
    func indexes(_ schema: ClassSchema) -> [IndexSchema] { line(schema).flatMap(\.indexes) }

    /// The full-text indexes of a class's objects, the inherited ones first.
    func fullTextIndexes(_ schema: ClassSchema) -> [FullTextIndex] { line(schema).flatMap(\.fullTextIndexes) }

    /// The indexes of places of a class's objects, the inherited ones first.
    func placeIndexes(_ schema: ClassSchema) -> [PlaceIndex] { line(schema).flatMap(\.placeIndexes) }

    /// The indexes of vectors of a class's objects, the inherited ones first.
    func vectorIndexes(_ schema: ClassSchema) -> [VectorIndex] { line(schema).flatMap(\.vectorIndexes) }

    /// The indexes in a collation of a class's objects, the inherited ones first.
    func collationIndexes(_ schema: ClassSchema) -> [CollationIndex] { line(schema).flatMap(\.collationIndexes) }

    /// How the objects of a class are synced, which the topmost class declares; nil if they are not.
    func syncRules(_ schema: ClassSchema) -> SyncRules? { line(schema)[0].syncRules }

    /// The properties with those of the primary key in front, in its order: models state that order by the order of their
    /// properties.
    func keyFirst(_ properties: [PropertySchema], _ keys: [String]) -> [PropertySchema] {
        keys.compactMap { key in properties.first { $0.name.isSame(as: key) } } + properties.filter { !keys.has($0.name) }
    }

    /// A name in a sentence of a comment.
    static func said(_ name: String) -> String { "'\(Literal.comment(name))'" }
}

extension IndexSchema {
    /// The comment on an index over several properties, which models cannot declare.
    var modelRemark: String { "The file keeps an \(Literal.comment(text)), which a model cannot declare." }
}

extension FullTextIndex {
    /// The comment on a full-text index, which models of this language do not declare.
    var modelRemark: String { "The file keeps an index, \(Literal.comment(text)), which a model does not declare." }
}

extension PlaceIndex {
    /// The comment on an index of places, which models of this language do not declare.
    var modelRemark: String { "The file keeps an index, \(Literal.comment(text)), which a model does not declare." }
}

extension VectorIndex {
    /// The comment on an index of vectors, which models of this language do not declare.
    var modelRemark: String { "The file keeps an index, \(Literal.comment(text)), which a model does not declare." }
}

extension CollationIndex {
    /// The comment on an index in a collation, which models of this language do not declare.
    var modelRemark: String { "The file keeps an index, \(Literal.comment(text)), which a model does not declare." }
}

extension PropertySchema {
    /// The type in words, for a comment.
    var commentedType: String { Literal.comment(typeText) }
}
