import FreeholdEngine
import FreeholdMerge

/// The triggers by which other software writes into tables of classes: they refuse what no property can have, and note the rest.
///
/// Each table has a function of its own, made of its columns. It runs with the rights of its owner, so that who writes needs none in the
/// schema `freehold`; transactions of servers pass without it.
struct ForeignTriggers {
    let schema: SyncSchema
    let connection: PostgresConnection
    let tables: ClassTables

    /// Makes or replaces them for all tables of a class.
    func make(_ number: Int) throws(FreeholdError) {
        guard let table = tables.tables[number] else { return }
        try make("foreign_\(number)", on: table.name, function(number, table))
        for one in table.collections where one.kind != .list {
            try make("foreign_\(number)_\(one.values.property)", on: one.name, function(number, table, one))
        }
    }

    private func make(_ name: String, on table: String, _ body: String) throws(FreeholdError) {
        try connection.run(script: """
            CREATE OR REPLACE FUNCTION freehold.\(name)() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
                SET search_path = pg_catalog, pg_temp AS \(Self.literal(body));
            DROP TRIGGER IF EXISTS freehold_reading ON \(table);
            CREATE OR REPLACE TRIGGER freehold_writing AFTER INSERT OR UPDATE OR DELETE ON \(table) FOR EACH ROW
                WHEN (current_setting('freehold.merging', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION freehold.\(name)();
            CREATE OR REPLACE TRIGGER freehold_emptying BEFORE TRUNCATE ON \(table)
                FOR EACH STATEMENT EXECUTE FUNCTION freehold.refuse_foreign();
            """)
    }

    private static func literal(_ text: String) -> String {
        // By scalars: a quote that forms one character with what stands beside it is a quote all the same.
        var made = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" { made.unicodeScalars.append(scalar) }
            made.unicodeScalars.append(scalar)
        }
        return made + "'"
    }

    private static func refuse(_ condition: String, _ table: String, _ reason: String, _ advice: String) -> String {
        "IF \(condition) THEN PERFORM freehold.refuse(\(literal(table)), \(literal(reason)), \(literal(advice))); END IF;\n"
    }

    /// The most bytes of a key: what the server's indexes take, with all that they put beside it.
    private static let mostOfKey = 1_200

    // MARK: Objects

    private func function(_ number: Int, _ table: ClassTables.Table) -> String {
        let type = schema.classes[number], key = table.key.name
        // Nothing that was of the object is of one that is inserted with its key.
        let empty = table.collections.map { "DELETE FROM \($0.name) WHERE owner = OLD.\(key);\n" }.joined()
        var body = """
            BEGIN
            IF TG_OP = 'DELETE' THEN
            PERFORM set_config('freehold.merging', 'on', true);
            \(empty)PERFORM set_config('freehold.merging', '', true);
            \(note(number, "OLD.\(key)", table.key, wasDeleted: true))
            RETURN NULL;
            END IF;

            """
        body += Self.refuse("TG_OP = 'UPDATE' AND NEW.\(key) IS DISTINCT FROM OLD.\(key)", table.name,
                            "the key of an object stays as it is", "delete the row and insert another one")
        if type.key.type == .objectId {
            body += Self.refuse("octet_length(NEW.\(key)) <> 12", table.name, "the key \(key) has 12 bytes", "write all of them")
        }
        if table.key.type == .text || table.key.type == .bytea {
            body += Self.refuse("octet_length(NEW.\(key)) > \(Self.mostOfKey)", table.name,
                                "the key \(key) is longer than \(Self.mostOfKey) bytes", "use a shorter one")
        }
        for column in table.columns { body += checks(column, table, type) }
        return body + "\(note(number, "NEW.\(key)", table.key))\nRETURN NULL;\nEND"
    }

    private func note(_ number: Int, _ key: String, _ column: ClassTables.Column, wasDeleted: Bool = false) -> String {
        """
        PERFORM freehold.require_here();
        INSERT INTO freehold.foreign (class, key, deleted) VALUES (\(number), \(column.type.bytes(key)), \(wasDeleted));
        """
    }

    private func checks(_ column: ClassTables.Column, _ table: ClassTables.Table, _ type: SyncSchema.Class) -> String {
        let property = type.properties[Int(column.property)], new = "NEW.\(column.name)", name = column.name
        let isNew = "\(new) IS NOT NULL AND (TG_OP = 'INSERT' OR \(new) IS DISTINCT FROM OLD.\(name))"
        var made = values(column, property, new, isNew, table.name)
        if column.isCounter {
            made += Self.refuse("TG_OP = 'UPDATE' AND \(new) IS NULL AND OLD.\(name) IS NOT NULL", table.name,
                                "the counter \(name) cannot be null", "set it to 0")
        }
        if type.embeds[Int(column.property)] {
            made += Self.refuse("NOT \(new)", table.name, "\(name) says whether there is an embedded object: it is true or null",
                                "set it to true, or with its properties to null")
        }
        if let owner = table.columns.first(where: { isOwner(type.properties[Int($0.property)].name, property.name) }) {
            made += Self.refuse("\(new) IS NOT NULL AND NEW.\(owner.name) IS NOT TRUE", table.name,
                                "\(name) is a property of an embedded object that is not there",
                                "set \(owner.name) to true, or this to null")
        }
        if property.name.utf8.elementsEqual(":class".utf8) {
            made += Self.refuse("TG_OP = 'UPDATE' AND \(new) IS DISTINCT FROM OLD.\(name)", table.name,
                                "the class of an object stays as it is", "delete the row and insert another one")
        }
        if property.name.utf8.reversed().starts(with: ":class".utf8.reversed()) {
            let key = table.key.name
            let isUnknown = "NOT EXISTS (SELECT FROM \(table.name) t WHERE t.\(name) = \(new) AND t.\(key) <> NEW.\(key))"
            made += Self.refuse("\(isNew) AND \(isUnknown)", table.name, "\(name) names a class that no object here has",
                                "use one that devices have written, or null for the class itself")
        }
        return made
    }

    private func isOwner(_ owner: String, _ name: String) -> Bool {
        name.utf8.starts(with: owner.utf8) && name.utf8.dropFirst(owner.utf8.count).first == UInt8(ascii: ".")
            && !name.utf8.dropFirst(owner.utf8.count + 1).contains(UInt8(ascii: "."))
    }

    /// What a value of a type must be.
    private func values(_ column: ClassTables.Column, _ property: SyncSchema.Property, _ new: String, _ isNew: String, _ table: String)
        -> String
    {
        let name = column.name
        func refuse(_ condition: String, _ reason: String, _ advice: String) -> String {
            Self.refuse("\(isNew) AND \(condition)", table, reason, advice)
        }
        switch column.type {
        case .timestamptz:
            return refuse("NOT isfinite(\(new))", "\(name) is a point of time, which infinity is not", "write null if there is none")
        case .numeric:
            return refuse("NOT freehold.is_decimal(\(new))", "\(name) has at most 34 digits, and exponents from -6176 to 6144", "round it")
        case .bytea where property.type != .data:
            let isKey = property.type == .objectId || column.target.map { schema.classes[Int($0)].key.type == .objectId } ?? false
            return isKey ? refuse("octet_length(\(new)) <> 12", "\(name) is an ObjectId, which has 12 bytes", "write all of them") : ""
        case .jsonb where property.type == .link:
            return refuse("NOT freehold.is_link(\(new))", "\(name) is a link to an object of a synced class",
                          "write {\"class\": …, \"key\": …} with the name of a class")
        case .jsonb:
            let isMixed = "(NOT freehold.looks_like_link(\(new)) OR freehold.is_link(\(new)))"
            let isLong = "(CASE jsonb_typeof(\(new)) WHEN 'number' THEN NOT freehold.is_decimal(\(new)::numeric) ELSE false END)"
            return refuse("NOT \(isMixed)", "\(name) has an object of `class` and `key` that is no link to an object of a synced class",
                          "write the name of a class, or other keys")
                + refuse(isLong, "\(name) has a number of more than 34 digits", "round it")
        default: return ""
        }
    }

    // MARK: Collections

    private func function(_ number: Int, _ table: ClassTables.Table, _ collection: ClassTables.Elements) -> String {
        let type = schema.classes[number], property = type.properties[Int(collection.values.property)]
        let new = "NEW.\(collection.values.name)", isNew = "\(new) IS NOT NULL"
        var body = """
            BEGIN
            IF TG_OP <> 'INSERT' THEN \(note(number, "OLD.owner", table.key)) END IF;
            IF TG_OP = 'DELETE' THEN RETURN NULL; END IF;

            """
        body += Self.refuse("TG_OP = 'UPDATE' AND NEW.owner <> OLD.owner", collection.name, "the owner of a row stays as it is",
                            "delete the row and insert another one")
        // Locked: else another transaction could delete it meanwhile, and what is of no object would be of the next one with its key.
        body += "PERFORM FROM \(table.name) t WHERE t.\(table.key.name) = NEW.owner FOR KEY SHARE;\n"
        body += Self.refuse("NOT FOUND", collection.name, "there is no object with the key that owner has",
                            "insert it into \(table.name) first")
        body += values(collection.values, property, new, isNew, collection.name)
        if collection.kind == .set {
            body += Self.refuse("\(new) IS NULL", collection.name, "an element of a set cannot be null", "leave it out")
            if collection.values.type == .jsonb {
                let isMap = "jsonb_typeof(\(new)) = 'object' AND NOT freehold.looks_like_link(\(new))"
                body += Self.refuse("jsonb_typeof(\(new)) = 'array' OR \(isMap)", collection.name,
                                    "an element of a set cannot be a list or a map", "use a list or a map")
            }
        } else {
            body += Self.refuse("(SELECT count(*) FROM \(collection.name) t WHERE t.owner = NEW.owner AND t.key = NEW.key) > 1",
                                collection.name, "the map has an entry with this key", "UPDATE its value")
        }
        return body + "IF TG_OP = 'INSERT' THEN \(note(number, "NEW.owner", table.key)) END IF;\nRETURN NULL;\nEND"
    }
}

extension ColumnType {
    /// An expression of the bytes that a key is sent as.
    fileprivate func bytes(_ expression: String) -> String {
        switch self {
        case .bigint: "int8send(\(expression))"
        case .uuid: "uuid_send(\(expression))"
        case .bytea: expression
        default: "convert_to(\(expression), 'UTF8')"
        }
    }
}
