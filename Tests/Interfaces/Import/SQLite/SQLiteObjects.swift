import FreeholdEngine
import Testing

@testable import FreeholdImport

/// The objects of a store, as text.
enum SQLiteObjects {
    /// The values of every object of a class.
    static func texts(of store: SQLiteStore, _ place: Int, after key: Int64? = nil) throws -> [[String]] {
        var objects: [[String]] = []
        let cursor = try store.objects(of: place, after: key)
        while let batch = try cursor.next() {
            #expect(batch.keys.count <= SourceLimits.batchObjects && batch.columns.count == store.classes[place].schema.properties.count)
            for row in batch.keys.indices {
                objects.append(try zip(batch.columns, store.classes[place].schema.properties).map { try text($0, row, $1.type) })
            }
        }
        return objects
    }

    private static func text(_ column: SourceColumn, _ row: Int, _ type: PropertyType) throws -> String {
        if let nulls = column.nulls, nulls[row / 64] >> UInt64(row % 64) & 1 == 1 { return "null" }
        switch column.content {
        case .links(let keys): return "→\(keys[row])"
        case .any(let values): return try text(values[row])
        case .plain(let content):
            switch content {
            case .ints(let values): return "\(values[row])"
            case .doubles(let values): return "\(values[row])"
            case .floats(let values): return "\(values[row])"
            case .bools(let values): return "\(values[row])"
            case .dates(let values): return DateText.format(values[row])
            case .strings(let values): return "'\(values[row])'"
            case .values(let values): return text(values[row])
            case .texts(let bytes, let ends):
                let part = Array(bytes[(row == 0 ? 0 : ends[row - 1])..<ends[row]])
                return type == .data ? text(.data(part)) : "'\(String(decoding: part, as: UTF8.self))'"
            }
        }
    }

    private static func text(_ value: SourceValue) throws -> String {
        switch value {
        case .value(let value): return text(value)
        case .object(_, let key): return "→\(key)"
        case .found(let place, let property, let value): return "→\(place).\(property)=\(text(value))"
        case .list(let values): return "[" + (try values.map { try text($0) }).joined(separator: ", ") + "]"
        case .long(let long):
            var bytes: [UInt8] = []
            try long.reader.forEachPart { bytes += Array($0) }
            #expect(bytes.count == long.count)
            return "long \(long.isText ? "text" : "data") \(bytes.count) \(hash(bytes))"
        case .embedded, .set, .map: return "unexpected"
        }
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .string(let value): "'\(value)'"
        case .data(let bytes): "data " + bytes.map { String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined()
        case .date(let value): DateText.format(value)
        case .uuid(let value): IdentifierText.format(value)
        case .objectId(let value): IdentifierText.format(value)
        case .decimal(let value): value.description
        default: "unexpected"
        }
    }

    static func hash(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }

    /// The database takes the classes as they are.
    static func expectCreatable(_ store: SQLiteStore) throws {
        var options = OpenOptions()
        options.inMemory = true
        let database = try Database.open("sqlite-\(UInt64.random(in: 0...UInt64.max))", options)
        defer { database.close() }
        try database.write { transaction in try transaction.createClasses(store.classes.map(\.schema)) }
    }
}
