import FreeholdEngine
@testable import FreeholdMerge
import Foundation
import SyncPostgres

/// Compares the rows that the merge keeps with the tables of classes, by SQL and rules of its own.
struct TableJudge {
    private let connection: PostgresConnection
    private let schema: SyncSchema
    private var problems: [String] = []
    /// What PostgreSQL makes of a text in a type.
    private var readings: [String: String] = [:]

    static func problems(_ connection: PostgresConnection, _ schema: SyncSchema) throws -> [String] {
        var judge = TableJudge(connection: connection, schema: schema)
        var rows: [Int32: [(SyncKey, StoredRow)]] = [:]
        let store = PostgresStore(connection, schema: schema)
        try store.forEachObject { object throws(FreeholdError) in
            if let row = try store.row(object), row.isAlive { rows[object.type, default: []].append((object.key, row)) }
        }
        for number in schema.classes.indices { try judge.compare(Int32(number), rows[Int32(number)] ?? []) }
        return judge.problems
    }

    private init(connection: PostgresConnection, schema: SyncSchema) { (self.connection, self.schema) = (connection, schema) }

    // MARK: Tables

    private mutating func compare(_ number: Int32, _ rows: [(SyncKey, StoredRow)]) throws {
        let type = schema.classes[Int(number)]
        let names = try connection.run("SELECT in_schema, in_table, in_column FROM freehold.class WHERE number = $1", .int(Int64(number)))
        let space = names.text(0, 0), key = Self.expression("\"\(names.text(0, 2))\"", keyType(type))
        let columns = try connection.run("SELECT in_column FROM freehold.property WHERE class = $1 ORDER BY number", .int(Int64(number)))
        var single = [key], expected = rows.map { [self.key($0.0)] }
        for (place, property) in type.properties.enumerated() {
            let column = "\"\(columns.text(place, 0))\""
            if [.set, .map, .list].contains(property.kind) {
                try compare(property, Int32(place), rows, "\"\(space)\".\(column)", owner: keyType(type))
                continue
            }
            single.append(Self.expression(column, columnType(property, type)))
            for (index, (_, row)) in rows.enumerated() { expected[index].append(try text(Int32(place), property, type, row)) }
        }
        try compare("\"\(space)\".\"\(names.text(0, 1))\"", single, expected.filter { $0[0] != nil })
    }

    private mutating func compare(
        _ property: SyncSchema.Property, _ place: Int32, _ rows: [(SyncKey, StoredRow)], _ table: String, owner: PropertyType
    ) throws {
        var expected: [[String?]] = []
        for (key, row) in rows {
            guard let key = self.key(key) else { continue }
            switch property.kind {
            case .set:
                var seen: Set<String?> = []
                for name in row.members.keys where name.property == place {
                    let text = try text(of: name.element, property.type, property)
                    if seen.insert(text).inserted { expected.append([key, text]) }
                }
            case .map:
                for (path, register) in row.entries where path.property == place {
                    guard case .string(let name) = path.key, !name.utf8.contains(0) else { continue }
                    if case .absent = register.value { continue }
                    expected.append([key, name, try text(of: register.value, property.type, property)])
                }
            default:
                var values: [SyncValue] = []
                row.lists[place]?.forEachShown { values.append($1.value.value) }
                for (index, value) in values.enumerated() {
                    expected.append([key, "\(index)", try text(of: value, property.type, property)])
                }
            }
        }
        let type = valueType(property.type, property), value = Self.expression("value", type)
        let columns = switch property.kind {
        case .set: [Self.expression("element", type)]
        case .map: ["key", value]
        default: ["place::text", value]
        }
        try compare(table, [Self.expression("owner", owner)] + columns, expected)
    }

    private mutating func compare(_ table: String, _ columns: [String], _ expected: [[String?]]) throws {
        let found = try connection.run("SELECT \(columns.joined(separator: ", ")) FROM \(table)")
        let rows = (0..<found.count).map { row in columns.indices.map { found.isNull(row, $0) ? "null" : "'" + found.text(row, $0) } }
        let own = rows.map { $0.joined(separator: "|") }.sorted(), other = expected.map { row in
            row.map { $0.map { "'" + $0 } ?? "null" }.joined(separator: "|")
        }.sorted()
        guard own != other else { return }
        let missing = Set(other).subtracting(own).sorted().first ?? "none", surplus = Set(own).subtracting(other).sorted().first ?? "none"
        // Where they part, with what is before.
        let same = zip(missing, surplus).prefix { $0 == $1 }.count - 20
        let show = { (text: String) in text.dropFirst(max(0, same)).prefix(100) }
        problems.append("\(table): \(own.count) rows instead of \(other.count); missing \(show(missing)), surplus \(show(surplus))")
    }

    // MARK: Types

    private func keyType(_ type: SyncSchema.Class) -> PropertyType { type.key.type }

    /// The type of which a column has values: that of the target's key for links.
    private func valueType(_ type: PropertyType?, _ property: SyncSchema.Property) -> PropertyType {
        guard type == .link else { return type ?? .mixed }
        return schema.classes.first { $0.name == property.target }?.key.type ?? .mixed
    }

    private func columnType(_ property: SyncSchema.Property, _ type: SyncSchema.Class) -> PropertyType {
        if property.kind == .counter { return .int }
        if property.name.hasSuffix(":class") { return .string }
        if type.properties.contains(where: { $0.name.hasPrefix(property.name + ".") }) { return .bool }
        return valueType(property.type, property)
    }

    /// A column as text that is the same only for what is the same.
    private static func expression(_ column: String, _ type: PropertyType) -> String {
        switch type {
        case .float: "encode(float4send(\(column)), 'hex')"
        case .double: "encode(float8send(\(column)), 'hex')"
        case .data, .objectId: "encode(\(column), 'hex')"
        case .date: "encode(timestamptz_send(\(column)), 'hex')"
        default: "\(column)::text"
        }
    }

    // MARK: Values

    private func key(_ key: SyncKey) -> String? {
        switch key {
        case .int(let number): "\(number)"
        case .string(let text): text.utf8.contains(0) ? nil : text
        case .uuid(let high, let low): Self.uuid(high, low)
        case .objectID(let high, let low): String(format: "%016lx%08x", high, low)
        }
    }

    private static func uuid(_ high: UInt64, _ low: UInt64) -> String {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.load(as: uuid_t.self)).uuidString.lowercased() }
    }

    private mutating func text(_ place: Int32, _ property: SyncSchema.Property, _ type: SyncSchema.Class, _ row: StoredRow)
        throws -> String?
    {
        if property.kind == .counter { return "\(row.counters[place] ?? 0)" }
        let register = row.registers[Int(place)]
        // Of an embedded object only what is of the present one, at every level.
        if let dot = property.name.lastIndex(of: ".") {
            let owner = type.properties.firstIndex { $0.name == property.name[..<dot] }!
            guard case .embedded(let instance) = row.registers[owner].value, instance == register.instance,
                  try text(Int32(owner), type.properties[owner], type, row) != nil else { return nil }
        }
        if case .embedded = register.value, columnType(property, type) == .bool { return "true" }
        return try text(of: register.value, columnType(property, type), property)
    }

    private mutating func text(of value: SyncValue, _ type: PropertyType?, _ property: SyncSchema.Property) throws -> String? {
        switch (valueType(type, property), value) {
        case (_, .null), (_, .absent): return nil
        case (.mixed, _): return try reading(Self.json(value, schema), "jsonb")
        case (_, .link(let target)): return schema.classes[Int(target.type)].name == property.target ? key(target.key) : nil
        case (.bool, .bool(let truth)): return "\(truth)"
        case (.int, .int(let number)): return "\(number)"
        case (.float, .float(let bits)): return String(format: "%08x", Float(bitPattern: bits).isNaN ? 0x7fc0_0000 : bits)
        case (.double, .double(let bits)):
            return String(format: "%016lx", Double(bitPattern: bits).isNaN ? 0x7ff8_0000_0000_0000 : bits)
        case (.string, .string(let text)): return text.utf8.contains(0) ? nil : text
        case (.data, .data(let bytes)), (.objectId, .data(let bytes)): return bytes.map { String(format: "%02x", $0) }.joined()
        case (.objectId, .objectID(let high, let low)), (.data, .objectID(let high, let low)):
            return String(format: "%016lx%08x", high, low)
        case (.uuid, .uuid(let high, let low)): return Self.uuid(high, low)
        case (.decimal, .decimal(let high, let low)): return try reading(Decimal128(high: high, low: low).description, "numeric")
        case (.date, .timestamp(let seconds, let nanoseconds)):
            if seconds < -210_866_803_200 || seconds >= 9_224_318_016_000 { return nil }
            let since2000 = seconds - 10_957 * 86_400
            return String(format: "%016lx", since2000 * 1_000_000 + Int64(nanoseconds / 1000))
        default: return nil
        }
    }

    private mutating func reading(_ text: String, _ type: String) throws -> String {
        if let known = readings[type + text] { return known }
        let made = try connection.run("SELECT $1::text::\(type)::text", .text(text)).text(0, 0)
        readings[type + text] = made
        return made
    }

    /// JSON as documented, by Foundation.
    private static func json(_ value: SyncValue, _ schema: SyncSchema) -> String {
        func string(_ text: String) -> String {
            let plain = String(decoding: text.utf8.filter { $0 != 0 }, as: UTF8.self)
            return String(decoding: try! JSONEncoder().encode(plain), as: UTF8.self)
        }
        func number(_ text: String) -> String {
            switch text {
            case "nan", "snan", "-nan", "NaN": "\"NaN\""
            case "inf", "Infinity": "\"Infinity\""
            case "-inf", "-Infinity": "\"-Infinity\""
            case "-0.0": "0.0"
            default: text
            }
        }
        switch value {
        case .null, .absent: return "null"
        case .bool(let truth): return "\(truth)"
        case .int(let one): return "\(one)"
        case .float(let bits): return Float(bitPattern: bits).isNaN ? "\"NaN\"" : number("\(Float(bitPattern: bits))")
        case .double(let bits): return Double(bitPattern: bits).isNaN ? "\"NaN\"" : number("\(Double(bitPattern: bits))")
        case .decimal(let high, let low): return number(Decimal128(high: high, low: low).description)
        case .timestamp(let seconds, let nanoseconds): return string(date(seconds, nanoseconds))
        case .uuid(let high, let low): return string(uuid(high, low))
        case .objectID(let high, let low): return string(String(format: "%016lx%08x", high, low))
        case .string(let text): return string(text)
        case .data(let bytes): return string(Data(bytes).base64EncodedString())
        case .link(let target):
            let key = switch target.key {
            case .int(let number): "\(number)"
            case .string(let text): string(text)
            case .uuid(let high, let low): string(uuid(high, low))
            case .objectID(let high, let low): string(String(format: "%016lx%08x", high, low))
            }
            return "{\"key\": \(key), \"class\": \(string(schema.classes[Int(target.type)].name))}"
        case .embedded: return "true"
        case .list(let values), .set(let values): return "[\(values.map { json($0, schema) }.joined(separator: ","))]"
        case .map(let entries):
            let shown = entries.filter { !$0.key.utf8.contains(0) }
            return "{\(shown.map { string($0.key) + ":" + json($0.value, schema) }.joined(separator: ","))}"
        }
    }

    private static func date(_ seconds: Int64, _ nanoseconds: Int32) -> String {
        // The calendar is the same every 400 years, and the library's ends before ours.
        let cycle = 146_097 * 86_400, cycles = seconds / Int64(cycle)
        var time = tm(), rest = time_t(seconds - cycles * Int64(cycle))
        gmtime_r(&rest, &time)
        let day = String(format: "-%02d-%02dT%02d:%02d:%02d", time.tm_mon + 1, time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec)
        var fraction = nanoseconds == 0 ? "" : String(format: ".%09d", nanoseconds)
        while fraction.hasSuffix("0") { fraction.removeLast() }
        let year = Int(time.tm_year) + 1900 + Int(cycles) * 400
        return (year < 0 ? "-" : "") + String(format: "%04ld", abs(year)) + day + fraction + "Z"
    }
}
