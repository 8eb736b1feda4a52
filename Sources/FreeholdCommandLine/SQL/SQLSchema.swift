import FreeholdEngine
import FreeholdTools

/// The tables that stand for classes.
///
/// A class has a table with its own plain properties; one that extends another has its objects' inherited values in the
/// other one's table, under the same key. A collection has a table of its own for each of its levels.
struct SQLSchema {
    /// A plain property.
    struct Column {
        let property: PropertySchema
        let name: String
        /// The column with the type of a mixed value.
        let type: String?
    }

    /// A property with collections. Each level has a table: of the collections within collections, and at last of elements.
    struct Collection {
        let property: PropertySchema
        /// The tables, of the outermost collection first.
        let tables: [String]
        /// The column of each level's positions, keys, or nil for sets, whose elements have none.
        let places: [String?]
    }

    /// Which property of which object an embedded object belongs to.
    struct Owner {
        let table: String
        let property: String
        let key: String
    }

    /// A class.
    struct Class {
        /// The class with the properties that it declares itself.
        let schema: ClassSchema
        /// Whether all of its objects are written that a written object can link to.
        let isWhole: Bool
        let table: String
        /// The column with the object key.
        let key: String
        /// Whether an integer primary key is the object key.
        let isKeyed: Bool
        /// The column with the class of each object, of a class that others extend.
        let ownClass: String?
        let owner: Owner?
        let columns: [Column]
        let collections: [Collection]

        /// The columns of a property, of this table.
        func columns(of property: String) -> [String] {
            columns.first { $0.property.name.isSame(as: property) }.map { [$0.name] + ($0.type.map { [$0] } ?? []) }
                ?? (isKeyed && schema.primaryKeys.has(property) ? [key] : [])
        }
    }

    let classes: [Class]
    private let places: TextMap<Int>
    /// The names of tables and indexes.
    private var names: SQLNames

    /// - Parameters:
    ///   - all: all classes of the database.
    ///   - chosen: whether a class is written, and whether all of its objects are that a written object can link to; nil if
    ///     it is not.
    ///   - isKeyed: whether a class's integer primary key is the object key.
    init(_ all: [ClassSchema], chosen: (ClassSchema) -> Bool?, isKeyed: (ClassSchema) throws -> Bool) rethrows {
        var names = SQLNames(), keys: TextMap<(name: String, isKeyed: Bool)> = [:], classes: [Class] = []
        let written = all.filter { chosen($0) != nil }, tables = written.map { names.take($0.name) }
        // Superclasses come before those that extend them.
        for (schema, table) in zip(written, tables) {
            var columns = SQLNames()
            let base = schema.superclass.flatMap { keys[$0] }, isKeyed = base == nil ? try isKeyed(schema) : false
            // A key that has a name takes it first.
            var key = base.map { columns.take($0.name) } ?? (isKeyed ? columns.take(schema.primaryKeys[0]) : nil)
            let properties = schema.properties.filter { $0.collections.isEmpty && !(isKeyed && schema.primaryKeys.has($0.name)) }
            let plain = properties.map { property in
                let name = columns.take(property.name)
                return Column(property: property, name: name, type: property.type == .mixed ? columns.take("\(property.name).type") : nil)
            }
            let known = key ?? columns.take("object_key")
            key = known
            keys[schema.name] = (known, isKeyed)
            let isExtended = base == nil && written.contains { schema.name.isSame(as: $0.superclass) }
            let collections = schema.properties.filter { !$0.collections.isEmpty }.map { Self.collection($0, of: table, &names) }
            let ownClass = isExtended ? columns.take("class") : nil
            let owner = schema.isEmbedded && base == nil
                ? Owner(table: columns.take("owner_table"), property: columns.take("owner_property"), key: columns.take("owner_key")) : nil
            classes.append(Class(schema: schema, isWhole: chosen(schema) ?? false, table: table, key: known, isKeyed: isKeyed,
                                 ownClass: ownClass, owner: owner, columns: plain, collections: collections))
        }
        self.classes = classes
        self.names = names
        places = TextMap(classes.enumerated().map { ($1.schema.name, $0) }) { first, _ in first }
    }

    private static func collection(_ property: PropertySchema, of table: String, _ names: inout SQLNames) -> Collection {
        var tables: [String] = [], name = "\(table).\(property.name)"
        for _ in property.collections {
            tables.append(names.take(name))
            name += ".elements"
        }
        let isDeep = property.collections.count > 1
        let places = property.collections.enumerated().map { level, kind in
            let number = isDeep ? "\(level + 1)" : ""
            return kind == .set ? nil : (kind == .list ? "position" : "key") + number
        }
        return Collection(property: property, tables: tables, places: places)
    }

    /// The written class with a name.
    func find(_ name: String?) -> Class? { name.flatMap { places[$0] }.map { classes[$0] } }

    // MARK: Statements

    /// The statements that create the tables.
    func tables() -> [String] { classes.flatMap { [table($0)] + $0.collections.flatMap(tables(of: $0)) } }

    private func table(_ one: Class) -> String {
        let base = find(one.schema.superclass), keys = one.schema.primaryKeys
        let isMain = one.isKeyed || base != nil || keys.isEmpty
        var lines = [SQLText.name(one.key) + (isMain ? " INTEGER PRIMARY KEY" : " INTEGER NOT NULL UNIQUE")]
        if let base { lines[0] += reference(base, "CASCADE") }
        if let ownClass = one.ownClass { lines.append("\(SQLText.name(ownClass)) TEXT NOT NULL") }
        if let owner = one.owner {
            lines += ["\(SQLText.name(owner.table)) TEXT", "\(SQLText.name(owner.property)) TEXT", "\(SQLText.name(owner.key)) INTEGER"]
        }
        for column in one.columns {
            let isNullable = column.property.isNullable
            lines += definitions(column.property, column.name, type: column.type, isNullable: isNullable, onDelete: "SET NULL")
        }
        if !isMain { lines.append("PRIMARY KEY " + SQLText.names(keys.flatMap(one.columns(of:)))) }
        for column in one.columns where column.property.isUnique {
            lines.append("UNIQUE " + SQLText.names(one.columns(of: column.property.name)))
        }
        return Self.create(one.table, lines)
    }

    /// The tables of a collection of a class.
    private func tables(of one: Class) -> (Collection) -> [String] {
        { collection in
            collection.tables.indices.map { level in
                var lines = ["\"owner\" INTEGER NOT NULL" + (level == 0 ? reference(one, "CASCADE") : "")]
                for (place, kind) in zip(collection.places[...level], collection.property.collections) {
                    if let place { lines.append("\(SQLText.name(place)) \(kind == .list ? "INTEGER" : "TEXT") NOT NULL") }
                }
                let path = ["owner"] + collection.places[...level].compactMap { $0 }
                let isLast = level == collection.tables.count - 1
                lines += isLast ? elements(collection, path) : ["PRIMARY KEY " + SQLText.names(path)]
                if level > 0 {
                    let outer = SQLText.names(["owner"] + collection.places[..<level].compactMap { $0 })
                    let table = SQLText.name(collection.tables[level - 1])
                    lines.append("FOREIGN KEY \(outer) REFERENCES \(table)\(outer) ON DELETE CASCADE" + Self.deferred)
                }
                return Self.create(collection.tables[level], lines)
            }
        }
    }

    /// The columns of elements, and what is unique among them.
    private func elements(_ collection: Collection, _ path: [String]) -> [String] {
        let property = collection.property, isMixed = property.type == .mixed
        let isNullable = property.isNullable || property.type == .link && property.collections.last == .map
        let onDelete = isNullable ? "SET NULL" : "CASCADE"
        let lines = definitions(property, "value", type: isMixed ? "type" : nil, isNullable: isNullable, onDelete: onDelete)
        let isSet = property.collections.last == .set, distinct = path + ["value"] + (isMixed ? ["type"] : [])
        return lines + [isSet ? "UNIQUE " + SQLText.names(distinct) : "PRIMARY KEY " + SQLText.names(path)]
    }

    private func definitions(_ property: PropertySchema, _ name: String, type: String?, isNullable: Bool, onDelete: String) -> [String] {
        var line = SQLText.name(name) + Self.type(property.type) + (isNullable ? "" : " NOT NULL")
        if let target = find(property.linkTarget), target.isWhole { line += reference(target, onDelete) }
        return [line] + (type.map { ["\(SQLText.name($0)) TEXT"] } ?? [])
    }

    /// The declared type. Types whose values are text say so: a numeric type would change a string that looks like a number. An
    /// integer that may be null must not be called INTEGER where it is a primary key.
    private static func type(_ type: PropertyType) -> String {
        switch type {
        case .bool: " BOOLEAN"
        case .int: " INT"
        case .float, .double: " REAL"
        case .string: " TEXT"
        case .data: " BLOB"
        case .date: " DATE TEXT"
        case .uuid: " UUID TEXT"
        case .objectId: " OBJECTID TEXT"
        case .decimal: " DECIMAL TEXT"
        case .link: " INTEGER"
        case .mixed: ""
        }
    }

    private func reference(_ target: Class, _ onDelete: String) -> String {
        " REFERENCES \(SQLText.name(target.table))\(SQLText.names([target.key])) ON DELETE \(onDelete)" + Self.deferred
    }

    /// Objects may link to one another in a circle.
    private static let deferred = " DEFERRABLE INITIALLY DEFERRED"

    private static func create(_ table: String, _ lines: [String]) -> String {
        "CREATE TABLE \(SQLText.name(table)) (\n  \(lines.joined(separator: ",\n  "))\n);\n"
    }

    /// The statements that create the indexes: those of the database, and one for each link, to find what links to an object.
    mutating func indexes() -> [String] {
        var statements: [String] = []
        func create(_ name: String, _ table: String, _ columns: [String], isUnique: Bool = false) {
            let kind = isUnique ? "UNIQUE INDEX" : "INDEX"
            statements.append("CREATE \(kind) \(SQLText.name(name)) ON \(SQLText.name(table)) \(SQLText.names(columns));\n")
        }
        for one in classes {
            for column in one.columns where (column.property.isIndexed || column.property.type == .link) && !column.property.isUnique {
                create(names.take("\(one.table).\(column.name).index"), one.table, one.columns(of: column.property.name))
            }
            for collection in one.collections where collection.property.type == .link {
                if let table = collection.tables.last { create(names.take("\(table).index"), table, ["value"]) }
            }
            for index in one.schema.indexes {
                let columns = index.properties.map(one.columns(of:))
                if columns.contains(where: \.isEmpty) {
                    let name = DisplayText.visible(one.schema.name)
                    statements.append("-- \(name): \(DisplayText.visible(index.text)) spans two tables and is left out\n")
                } else {
                    let name = names.take("\(one.table).\(index.properties.joined(separator: ".")).index")
                    create(name, one.table, columns.flatMap { $0 }, isUnique: index.isUnique)
                }
            }
        }
        return statements
    }
}
