import FreeholdEngine
import FreeholdMerge

/// Makes the tables of classes and collections that are not there yet, and columns of properties that have none.
///
/// Names are given once, and kept in `freehold.class` and `freehold.property`.
struct ClassTableMaker {
    private let connection: PostgresConnection
    private let space: String
    private let quotedSpace: String
    /// Names of the schema's tables, indexes and the like.
    private var taken: [String] = []
    /// Those among them that are ours, or no tables.
    private var own: Set<String> = []

    /// - Parameter space: the schema for new tables.
    init(_ connection: PostgresConnection, in space: String) throws(FreeholdError) {
        guard !["freehold", "public", ""].contains(space), !space.hasPrefix("pg_") else {
            throw FreeholdError(.invalidArgument, "tables of classes cannot be in the schema `\(space)`; name one of their own, as `app`")
        }
        (self.connection, self.space, quotedSpace) = (connection, space, ClassTableNames.quoted(space))
    }

    /// Makes what the catalogue's classes lack, in the open transaction.
    mutating func make(for schema: SyncSchema) throws(FreeholdError) {
        // To create one that is there takes rights that a server need not have.
        let isThere = try connection.run("SELECT to_regnamespace(quote_ident($1)) IS NOT NULL", .text(space)).bool(0, 0)
        if !isThere { try connection.run(script: "CREATE SCHEMA \(quotedSpace)") }
        try readNames()
        let classes = try connection.run("SELECT number, in_schema, in_table, in_column FROM freehold.class ORDER BY number")
        for place in 0..<min(classes.count, schema.classes.count) {
            let type = schema.classes[place]
            var table = quotedSpace + "." + ClassTableNames.quoted(classes.text(place, 2)), key = classes.text(place, 3)
            if classes.isNull(place, 2) {
                (table, key) = try makeTable(of: type, Int64(place))
            } else {
                table = ClassTableNames.quoted(classes.text(place, 1)) + "." + ClassTableNames.quoted(classes.text(place, 2))
            }
            try makeColumns(of: type, Int64(place), table, key: key, schema)
        }
        let triggers = ForeignTriggers(schema: schema, connection: connection, tables: try ClassTables(connection, schema))
        for place in 0..<min(classes.count, schema.classes.count) { try triggers.make(place) }
    }

    private mutating func readNames() throws(FreeholdError) {
        let found = try connection.run("""
            SELECT c.relname::text, c.relkind IN ('r', 'v', 'm', 'f', 'p') AND NOT EXISTS (SELECT FROM freehold.class k \
            LEFT JOIN freehold.property p ON p.class = k.number AND p.kind IN ('set', 'list', 'map') \
            WHERE k.in_schema = $1 AND c.relname::text IN (k.in_table, p.in_column)) \
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname::text = $1
            """, .text(space))
        for place in 0..<found.count {
            taken.append(found.text(place, 0))
            if !found.bool(place, 1) { own.insert(found.text(place, 0)) }
        }
    }

    /// A name for a new table; what other software has under it is never touched.
    private mutating func tableName(_ name: String) throws(FreeholdError) -> String {
        if let other = taken.first(where: { $0.isSame(as: name) }), !own.contains(other) {
            throw FreeholdError(.schemaMismatch, """
                the schema \(space) has a table \(name) that is not Freehold's; rename it, or let the tables of classes be in another schema
                """)
        }
        let made = ClassTableNames.name(for: name, taken: taken)
        taken.append(made)
        own.insert(made)
        return made
    }

    /// - Returns: the table as it is within a statement, and the name of its key.
    private mutating func makeTable(of type: SyncSchema.Class, _ number: Int64) throws(FreeholdError) -> (table: String, key: String) {
        let name = try tableName(type.name), key = ClassTableNames.name(for: type.key.name, taken: [])
        let table = quotedSpace + "." + ClassTableNames.quoted(name), keyType = ColumnType(type.key.type, linkTo: nil)
        try connection.run(script: "CREATE TABLE \(table) (\(ClassTableNames.quoted(key)) \(keyType.rawValue) PRIMARY KEY)")
        try connection.run("UPDATE freehold.class SET in_schema = $2, in_table = $3, in_column = $4 WHERE number = $1", .int(number),
                           .text(space), .text(name), .text(key))
        // The name of the index is taken from now on.
        try readNames()
        return (table, key)
    }

    /// Other software only reads it: what the merge knows of places in a list is in no table.
    private func guardList(_ table: String) throws(FreeholdError) {
        try connection.run(script: """
            CREATE TRIGGER freehold_reading BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON \(table) \
            FOR EACH STATEMENT EXECUTE FUNCTION freehold.refuse_foreign()
            """)
    }

    private mutating func makeColumns(of type: SyncSchema.Class, _ number: Int64, _ table: String, key: String, _ schema: SyncSchema)
        throws(FreeholdError)
    {
        let found = try connection.run("SELECT number, in_column, kind FROM freehold.property WHERE class = $1 ORDER BY number",
                                       .int(number))
        var columns = [key], added: [String] = []
        for place in 0..<found.count where !found.isNull(place, 1) && SyncSchema.Kind(text: found.text(place, 2))?.isCollection == false {
            columns.append(found.text(place, 1))
        }
        let keyType = ColumnType(type.key.type, linkTo: nil)
        for place in 0..<found.count where found.isNull(place, 1) {
            let own = Int(found.int(place, 0)), property = type.properties[own]
            let made = type.embeds[own] ? .boolean : columnType(of: property, schema), name: String
            if property.kind.isCollection {
                name = try tableName("\(type.name).\(property.name)")
                try makeElements(property.kind, quotedSpace + "." + ClassTableNames.quoted(name), owner: keyType, made)
            } else {
                name = ClassTableNames.name(for: property.name, taken: columns)
                columns.append(name)
                added.append("ADD COLUMN \(ClassTableNames.quoted(name)) \(made.rawValue)")
            }
            try connection.run("UPDATE freehold.property SET in_column = $3, column_type = $4 WHERE class = $1 AND number = $2",
                               .int(number), .int(Int64(own)), .text(name), .text(made.rawValue))
        }
        if !added.isEmpty { try connection.run(script: "ALTER TABLE \(table) \(added.joined(separator: ", "))") }
    }

    private func columnType(of property: SyncSchema.Property, _ schema: SyncSchema) -> ColumnType {
        if property.kind == .counter { return .bigint }
        if property.name.split(separator: ".").last?.utf8.elementsEqual(SyncNames.subclass.utf8) == true { return .text }
        let target = property.target.flatMap { name in schema.classes.first { $0.name.isSame(as: name) } }
        return ColumnType(property.type, linkTo: target)
    }

    /// Entries are not unique by an index: PostgreSQL has none for values of more than 2,700 bytes.
    private mutating func makeElements(_ kind: SyncSchema.Kind, _ table: String, owner: ColumnType, _ type: ColumnType)
        throws(FreeholdError)
    {
        let columns = switch kind {
        case .map: "key text NOT NULL, value \(type.rawValue)"
        case .list: "place bigint NOT NULL, value \(type.rawValue), PRIMARY KEY (owner, place)"
        default: "element \(type.rawValue)"
        }
        try connection.run(script: "CREATE TABLE \(table) (owner \(owner.rawValue) NOT NULL, \(columns))")
        if kind == .list {
            try guardList(table)
        } else {
            try connection.run(script: "CREATE INDEX ON \(table) (owner)")
        }
        try readNames()
    }
}
