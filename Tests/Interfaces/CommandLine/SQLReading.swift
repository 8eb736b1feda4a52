import Foundation
import FreeholdEngine
import FreeholdImport
import Testing

/// A database as SQLite has it after it read an export.
struct SQLiteContents {
    struct Table: Decodable {
        let columns: [String]
        /// The values with their storage class: `i:5`, `r:` and the bits of a double, `t:` and the UTF-8 of a text, `b:` and bytes, `n`.
        let rows: [[String]]
    }

    private struct Report: Decodable {
        let tables: [String: Table]
        let indexes: [String]
        let problems: [String]
        let version: Int
    }

    let tables: [String: Table]
    let indexes: [String]
    let version: Int

    private static let script = """
        import json, sqlite3, struct, sys
        database = sqlite3.connect("new.db")
        if sys.argv[1:]:
            database.executescript(open(sys.argv[1], newline="").read())
        database.text_factory = bytes
        def cell(value, kind):
            if value is None: return "n"
            if isinstance(value, bytes): return ("t:" if kind == b"text" else "b:") + value.hex()
            if isinstance(value, int): return "i:%d" % value
            return "r:" + struct.pack(">d", value + 0.0).hex()
        def name(text): return '"' + text.replace('"', '""') + '"'
        tables, indexes = {}, []
        known = "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        for kind, table in database.execute(known).fetchall():
            table = table.decode()
            if kind == b"index":
                indexes.append(table)
                continue
            columns = [row[1].decode() for row in database.execute(f"PRAGMA table_info({name(table)})")]
            parts = ", ".join(f"typeof({name(column)}), {name(column)}" for column in columns)
            rows = []
            for row in database.execute(f"SELECT {parts} FROM {name(table)}"):
                rows.append([cell(value, kind) for kind, value in zip(row[::2], row[1::2])])
            tables[table] = {"columns": columns, "rows": rows}
        problems = [str(row) for row in database.execute("PRAGMA foreign_key_check")]
        problems += [row[0].decode() for row in database.execute("PRAGMA integrity_check") if row[0] != b"ok"]
        version, = database.execute("PRAGMA user_version").fetchone()
        print(json.dumps({"tables": tables, "indexes": indexes, "problems": problems, "version": version}))
        """

    /// Lets Python's SQLite read the text `name`, or reads `new.db` if that is nil.
    init(_ place: Workplace, _ name: String?, _ note: String) throws {
        try place.file("read.py", Self.script)
        let run = try place.shell("python3 read.py \(name ?? "")")
        #expect(run.status == 0, "\(note): \(run.errors)")
        let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
        #expect(report.problems == [], "\(note)")
        (tables, indexes, version) = (report.tables, report.indexes, report.version)
    }
}

/// What SQLite should have of a snapshot, by the description in docs/command-line.md.
struct SQLiteExpectation {
    private let snapshot: Snapshot
    private let classes: [ClassSchema]
    /// The tables, and their rows in the order of their text.
    private(set) var tables: [String: [[String]]] = [:]

    init(_ snapshot: Snapshot) throws {
        self.snapshot = snapshot
        classes = try snapshot.classes
        for schema in classes { try add(schema) }
    }

    private mutating func add(_ schema: ClassSchema) throws {
        let table = try snapshot.table(schema.name)
        let key = try schema.primaryKey.map { try table.column($0) }, isKeyed = key?.isObjectKey ?? false
        tables[schema.name] = []
        for property in schema.properties where !property.collections.isEmpty {
            for level in property.collections.indices { tables[Self.name(schema, property, level)] = [] }
        }
        try table.forEach { row in
            var cells = ["i:\(row.key)"]
            let isExtended = schema.superclass == nil && classes.contains { schema.name.isSame(as: $0.superclass) }
            if isExtended { cells.append(Self.text(try row.className)) }
            if schema.isEmbedded, schema.superclass == nil { cells += try owner(row.key, schema) }
            for property in schema.properties where !(isKeyed && schema.primaryKeys.has(property.name)) {
                let value = try row.value(table.column(property.name))
                if property.collections.isEmpty {
                    cells += try self.cells(value, property)
                } else {
                    try add(value, schema, property, 0, ["i:\(row.key)"])
                }
            }
            tables[schema.name, default: []].append(cells)
            return true
        }
    }

    private static func name(_ schema: ClassSchema, _ property: PropertySchema, _ level: Int) -> String {
        "\(schema.name).\(property.name)" + String(repeating: ".elements", count: level)
    }

    private mutating func add(_ value: Value, _ schema: ClassSchema, _ property: PropertySchema, _ level: Int, _ path: [String]) throws {
        var elements: [([String], Value)] = []
        switch value {
        case .list(let values): elements = values.enumerated().map { (["i:\($0)"], $1) }
        case .set(let values): elements = values.map { ([], $0) }
        case .map(let entries): elements = entries.map { ([Self.text($0.key)], $0.value) }
        default: Issue.record("no collection: \(value)")
        }
        let isLast = level == property.collections.count - 1
        for (step, element) in elements {
            let own = isLast ? try cells(element, property) : []
            tables[Self.name(schema, property, level), default: []].append(path + step + own)
            if !isLast { try add(element, schema, property, level + 1, path + step) }
        }
    }

    /// The one object that links to an embedded one.
    private func owner(_ key: ObjectKey, _ schema: ClassSchema) throws -> [String] {
        var owners: [[String]] = []
        for owner in classes {
            for property in owner.properties where property.linkTarget.map({ root($0).isSame(as: schema.name) }) ?? false {
                let table = try snapshot.table(owner.name)
                for found in try table.links(to: key, from: table.column(property.name)) {
                    owners.append([Self.text(owner.name), Self.text(property.name), "i:\(found)"])
                }
            }
        }
        #expect(owners.count == 1)
        return owners.first ?? []
    }

    private func root(_ name: String) -> String {
        classes.first { $0.name.isSame(as: name) }?.superclass.map(root) ?? name
    }

    private func cells(_ value: Value, _ property: PropertySchema) throws -> [String] {
        guard property.type == .mixed else { return [Self.cell(value)] }
        switch value {
        case .null: return ["n", "n"]
        case .list, .map:
            var json: [UInt8] = []
            try JSONText.append(mixed: value, to: &json) { (class: try snapshot.table(of: $0).schema.name, key: .int($0.key.rawValue)) }
            return [Self.text(String(decoding: json, as: UTF8.self)), Self.text(value.elementKind)]
        case .object(let object): return ["i:\(object.key)", Self.text("link \(try snapshot.table(of: object).schema.name)")]
        default: return [Self.cell(value), Self.text(value.type?.name ?? "")]
        }
    }

    private static func text(_ text: String) -> String { "t:" + hexadecimal(Array(text.utf8)) }
    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

    static func cell(_ value: Value) -> String {
        switch value {
        case .bool(let flag): "i:\(flag ? 1 : 0)"
        case .int(let number): "i:\(number)"
        case .link(let key): "i:\(key)"
        case .float(let number): cell(.double(Double(number)))
        case .double(let number): number.isNaN ? text("NaN") : "r:" + String(format: "%016lx", (number == 0 ? 0 : number).bitPattern)
        case .string(let string): text(string)
        case .data(let data): "b:" + hexadecimal(data)
        case .date, .uuid, .objectId, .decimal: text(ValueText.format(value))
        default: "n"
        }
    }

    /// Expects these tables, and no others.
    func expect(_ contents: SQLiteContents, _ note: String) {
        #expect(contents.tables.keys.sorted() == tables.keys.sorted(), "\(note)")
        for (name, rows) in tables {
            let wanted = rows.sorted { $0.lexicographicallyPrecedes($1) }
            let found = (contents.tables[name]?.rows ?? []).sorted { $0.lexicographicallyPrecedes($1) }
            guard wanted != found else { continue }
            let place = zip(wanted, found).enumerated().first { $1.0 != $1.1 }
            let first = place.map { "\($0)" } ?? "none"
            Issue.record("\(note): table \(name) has \(found.count) rows for \(wanted.count); the first difference: \(first)")
        }
    }
}

extension Value {
    fileprivate var elementKind: String { if case .list = self { "list" } else { "map" } }
}
