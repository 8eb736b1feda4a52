import FreeholdEngine

@testable import FreeholdImport

/// What the reader makes of a store, in the form of `make_store.py`.
struct CoreDataDump {
    private let store: CoreDataStore

    init(_ store: CoreDataStore) { self.store = store }

    /// - Parameter batches: how many batches to read before the reading begins again after the last key; nil: one reading.
    func lines(restarting batches: Int? = nil) throws -> [String] {
        var lines: [String] = []
        for (place, described) in store.classes.enumerated() {
            let schema = described.schema
            lines.append("class \(schema.name) \(schema.superclass ?? "-") \(described.count)")
            for property in schema.properties { lines.append(line(property, of: schema.name)) }
            let properties = schema.properties
            var cursor = try store.objects(of: place, after: nil)
            var read = 0
            while let batch = try cursor.next() {
                for row in batch.keys.indices {
                    let values = zip(properties, batch.columns).map { text($1, row, $0) }
                    lines.append((["object \(schema.name) \(batch.keys[row])"] + values).joined(separator: " "))
                }
                read += 1
                if let batches, read % batches == 0 { cursor = try store.objects(of: place, after: batch.keys.last) }
            }
        }
        return lines
    }

    private func line(_ property: PropertySchema, of name: String) -> String {
        let collection = property.collections.map(\.name).joined()
        return [
            "property", name, ValueDump.escaped(property.name), property.type.name, property.isNullable ? "1" : "0",
            collection.isEmpty ? "-" : collection, property.linkTarget ?? "-", property.deleteRule.name, property.isUnique ? "1" : "0",
        ].joined(separator: " ")
    }

    private func text(_ column: SourceColumn, _ row: Int, _ property: PropertySchema) -> String {
        if let nulls = column.nulls, nulls[row >> 6] >> UInt64(row & 63) & 1 == 1 { return "-" }
        switch column.content {
        case .links(let keys): return ">\(keys[row])"
        case .any(let values): return text(values[row])
        case .plain(let content):
            switch content {
            case .ints(let all): return "i:\(all[row])"
            case .doubles(let all): return ValueDump.text(.double(all[row]))
            case .floats(let all): return "f:" + ValueDump.hexadecimal(UInt64(all[row].bitPattern), 8)
            case .bools(let all): return "b:\(all[row] ? 1 : 0)"
            case .dates(let all): return ValueDump.text(.date(all[row]))
            case .strings(let all): return ValueDump.text(.string(all[row]))
            case .texts(let bytes, let ends):
                let part = bytes[(row == 0 ? 0 : ends[row - 1])..<ends[row]]
                return property.type == .data
                    ? ValueDump.text(.data(Array(part))) : ValueDump.text(.string(String(decoding: part, as: UTF8.self)))
            case .values(let all): return ValueDump.text(all[row])
            }
        }
    }

    private func text(_ value: SourceValue) -> String {
        switch value {
        case .value(let value): return ValueDump.text(value)
        case .object(_, let key): return ">\(key)"
        case .list(let all): return "[" + all.map(text).joined(separator: ",") + "]"
        case .set(let all): return "(" + all.map(text).joined(separator: ",") + ")"
        case .long(let value):
            guard let bytes = try? value.all(), bytes.count == value.count else { return "?" }
            return value.isText ? ValueDump.text(.string(String(decoding: bytes, as: UTF8.self))) : ValueDump.text(.data(bytes))
        case .found, .embedded, .map: return "?"
        }
    }
}
