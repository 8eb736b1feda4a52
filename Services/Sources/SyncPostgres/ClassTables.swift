import FreeholdEngine
import FreeholdMerge

/// The tables in which other software reads objects: one of each class, and one of each collection.
struct ClassTables {
    /// A column of values.
    struct Column {
        /// The property's number.
        let property: Int32
        /// As it is within a statement.
        let name: String
        let type: ColumnType
        /// The class whose keys it has.
        let target: Int32?
        let isCounter: Bool
    }

    /// The table of a collection.
    struct Elements {
        let kind: SyncSchema.Kind
        /// As it is within a statement, with its schema.
        let name: String
        /// Its values.
        let values: Column
    }

    /// The table of a class.
    struct Table {
        /// As it is within a statement, with its schema.
        let name: String
        let key: Column
        var columns: [Column] = []
        var collections: [Elements] = []
    }

    /// By the class's number; nil for one that has none.
    let tables: [Table?]
    let schema: SyncSchema

    /// Those that the cluster has for the classes.
    init(_ connection: PostgresConnection, _ schema: SyncSchema) throws(FreeholdError) {
        var tables = [Table?](repeating: nil, count: schema.classes.count), spaces = [String](repeating: "", count: tables.count)
        let classes = try connection.run("SELECT number, in_schema, in_table, in_column FROM freehold.class WHERE in_table IS NOT NULL")
        for place in 0..<classes.count where tables.indices.contains(Int(classes.int(place, 0))) {
            let number = Int(classes.int(place, 0))
            spaces[number] = ClassTableNames.quoted(classes.text(place, 1)) + "."
            let key = Column(property: -1, name: ClassTableNames.quoted(classes.text(place, 3)),
                             type: ColumnType(schema.classes[number].key.type, linkTo: nil), target: nil, isCounter: false)
            tables[number] = Table(name: spaces[number] + ClassTableNames.quoted(classes.text(place, 2)), key: key)
        }
        let found = try connection.run("""
            SELECT class, number, in_column, column_type FROM freehold.property WHERE in_column IS NOT NULL ORDER BY class, number
            """)
        for place in 0..<found.count {
            let number = Int(found.int(place, 0)), property = Int(found.int(place, 1))
            guard tables.indices.contains(number), tables[number] != nil,
                  schema.classes[number].properties.indices.contains(property) else { continue }
            guard let type = ColumnType(rawValue: found.text(place, 3)) else {
                throw FreeholdError(.corrupt, "the table freehold.property has a type of columns that no server writes; restore it")
            }
            let one = schema.classes[number].properties[property], name = ClassTableNames.quoted(found.text(place, 2))
            let target = one.target.flatMap { name in schema.classes.firstIndex { $0.name.isSame(as: name) } }
            let isCollection = one.kind.isCollection
            let column = Column(property: Int32(property), name: isCollection ? one.kind.valueColumn : name, type: type,
                                target: target.map { Int32($0) }, isCounter: one.kind == .counter)
            if isCollection {
                tables[number]!.collections.append(Elements(kind: one.kind, name: spaces[number] + name, values: column))
            } else {
                tables[number]!.columns.append(column)
            }
        }
        (self.tables, self.schema) = (tables, schema)
    }
}

extension SyncSchema.Kind {
    var isCollection: Bool { self == .set || self == .list || self == .map }

    /// The column of a collection's table in which its values are.
    var valueColumn: String { self == .set ? "element" : "value" }
}
