import FreeholdEngine

@testable import FreeholdImport

/// All that a source has, as text: for each class its objects by key, and for each object its values.
struct RealmReading: Equatable {
    /// An object: its key, and its values.
    struct Row: Equatable {
        let key: Int64
        let values: [String]
    }

    var names: [String] = []
    /// In the order of `names`.
    var rows: [[Row]] = []
    /// How many batches there were.
    var batches = 0

    /// Reads all classes.
    init(_ store: any SourceStore) throws {
        for (place, described) in store.classes.enumerated() {
            names.append(described.schema.name)
            rows.append([])
            let cursor = try store.objects(of: place, after: nil)
            while let batch = try cursor.next() {
                batches += 1
                rows[place] += try Self.rows(of: batch, store)
            }
        }
    }

    /// The objects of a class after a key.
    static func rows(of place: Int, after key: Int64?, _ store: any SourceStore) throws -> [Row] {
        let cursor = try store.objects(of: place, after: key)
        var rows: [Row] = []
        while let batch = try cursor.next() { rows += try self.rows(of: batch, store) }
        return rows
    }

    private static func rows(of batch: SourceBatch, _ store: any SourceStore) throws -> [Row] {
        try batch.keys.indices.map { row in
            Row(key: batch.keys[row], values: try batch.columns.map { try text($0, row, store) })
        }
    }

    private static func text(_ column: SourceColumn, _ row: Int, _ store: any SourceStore) throws -> String {
        if let nulls = column.nulls, nulls[row >> 6] >> UInt64(row & 63) & 1 == 1 { return "-" }
        switch column.content {
        case .links(let keys): return "->\(keys[row])"
        case .any(let values): return try text(values[row], store, isPlace: false)
        case .plain(let content):
            let value: Value = switch content {
            case .ints(let numbers): .int(numbers[row])
            case .doubles(let numbers): .double(numbers[row])
            case .floats(let numbers): .float(numbers[row])
            case .bools(let flags): .bool(flags[row])
            case .dates(let dates): .date(dates[row])
            case .strings(let texts): .string(texts[row])
            case .values(let values): values[row]
            case .texts(let bytes, let ends): .data(Array(bytes[(row == 0 ? 0 : ends[row - 1])..<ends[row]]))
            }
            return value.testText
        }
    }

    /// - Parameter isPlace: whether links name their class.
    private static func text(_ value: SourceValue, _ store: any SourceStore, isPlace: Bool = true) throws -> String {
        switch value {
        case .value(let value): return value.testText
        case .object(let place, let key): return "->\(store.classes[place].schema.name)/\(key)"
        case .found: return "found"
        case .embedded(let place, let values):
            return "\(store.classes[place].schema.name){" + (try values.map { try text($0, store) }.joined(separator: ",")) + "}"
        case .long(let bytes):
            var all: [UInt8] = []
            try bytes.reader.forEachPart { all.append(contentsOf: $0) }
            return bytes.count == all.count ? Value.data(all).testText : "\(bytes.count) bytes said, \(all.count) read"
        case .list(let values): return "[" + (try values.map { try text($0, store) }.joined(separator: ",")) + "]"
        case .set(let values): return "<" + (try values.map { try text($0, store) }.sorted().joined(separator: ",")) + ">"
        case .map(let entries):
            let texts = try entries.map { "\(Value.string($0.key).testText):" + (try text($0.value, store)) }
            return "(" + texts.sorted().joined(separator: ",") + ")"
        }
    }
}

extension Value {
    /// The value to the last bit; strings and data are not told apart.
    var testText: String {
        switch self {
        case .null: "-"
        case .bool(let flag): flag ? "true" : "false"
        case .int(let number): "\(number)"
        case .float(let number): "f\(String(number.bitPattern, radix: 16))"
        case .double(let number): "d\(String(number.bitPattern, radix: 16))"
        case .string(let text): Value.data(Array(text.utf8)).testText
        case .data(let bytes): bytes.count < 200 ? "x" + String(decoding: bytes, as: UTF8.self).debugDescription + hex(bytes)
            : "\(bytes.count) bytes \(bytes.hashValue)"
        case .date(let date): "t\(date.seconds).\(date.nanoseconds)"
        case .uuid(let id): "u\(id.high).\(id.low)"
        case .objectId(let id): "o\(id.high).\(id.low)"
        case .decimal(let number): "m\(number.high).\(number.low)"
        case .link(let key): "link \(key)"
        case .object(let reference): "object \(reference)"
        case .list(let values), .set(let values): "[\(values.map(\.testText))]"
        case .map(let entries): "(\(entries.keys))"
        }
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.allSatisfy { $0 >= 32 && $0 < 127 } ? "" : "/" + bytes.map { String($0, radix: 16) }.joined(separator: " ")
    }
}
