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
            let properties = properties(of: place)
            var cursor = try store.objects(of: place, after: nil), read = 0
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

    /// The inherited properties, from the outermost class on, then those of the class.
    private func properties(of place: Int) -> [PropertySchema] {
        var properties: [PropertySchema] = [], next: Int? = place
        while let current = next {
            let schema = store.classes[current].schema
            properties = schema.properties + properties
            next = schema.superclass.flatMap { name in store.classes.firstIndex { $0.schema.name.isSame(as: name) } }
        }
        return properties
    }

    private func line(_ property: PropertySchema, of name: String) -> String {
        let collection = property.collections.map(\.name).joined()
        return [
            "property", name, Self.escaped(property.name), property.type.name, property.isNullable ? "1" : "0",
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
            case .doubles(let all): return text(.double(all[row]))
            case .floats(let all): return "f:" + Self.hexadecimal(UInt64(all[row].bitPattern), 8)
            case .bools(let all): return "b:\(all[row] ? 1 : 0)"
            case .dates(let all): return text(.date(all[row]))
            case .strings(let all): return text(.string(all[row]))
            case .texts(let bytes, let ends):
                let part = bytes[(row == 0 ? 0 : ends[row - 1])..<ends[row]]
                return property.type == .data ? text(.data(Array(part))) : text(.string(String(decoding: part, as: UTF8.self)))
            case .values(let all): return text(all[row])
            }
        }
    }

    private func text(_ value: SourceValue) -> String {
        switch value {
        case .value(let value): return text(value)
        case .object(_, let key): return ">\(key)"
        case .list(let all): return "[" + all.map(text).joined(separator: ",") + "]"
        case .set(let all): return "(" + all.map(text).joined(separator: ",") + ")"
        case .long(let value):
            guard let bytes = try? value.all(), bytes.count == value.count else { return "?" }
            return value.isText ? text(.string(String(decoding: bytes, as: UTF8.self))) : text(.data(bytes))
        case .found, .embedded, .map: return "?"
        }
    }

    private func text(_ value: Value) -> String {
        switch value {
        case .null: return "-"
        case .bool(let flag): return "b:\(flag ? 1 : 0)"
        case .int(let number): return "i:\(number)"
        case .double(let number): return "d:" + Self.hexadecimal(number.bitPattern, 16)
        case .string(let text): return "s:" + Self.escaped(text)
        case .data(let bytes): return Self.text(bytes)
        case .date(let date): return "t:\(date.seconds)." + Self.padded(String(date.nanoseconds), 9)
        case .uuid(let id): return "u:" + Self.hexadecimal(id.high, 16) + Self.hexadecimal(id.low, 16)
        case .decimal(let number): return "m:" + Self.normal(number.description)
        case .list(let all): return "[" + all.map(text).joined(separator: ",") + "]"
        case .map(let entries):
            return "{" + entries.sortedByKey.map { Self.escaped($0.key) + "=" + text($0.value) }.joined(separator: ",") + "}"
        case .float, .objectId, .link, .set, .object: return "?"
        }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        if bytes.count <= 64 { return "x:" + bytes.map { hexadecimal(UInt64($0), 2) }.joined() }
        var low: UInt32 = 1, high: UInt32 = 0
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return "X:\(bytes.count):\(high << 16 | low)"
    }

    /// Digits without zeros at the end, and an exponent.
    private static func normal(_ text: String) -> String {
        let parts = text.split(separator: "E"), mantissa = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        let number = mantissa[mantissa.count - 1].split(separator: ".", omittingEmptySubsequences: false)
        var digits = number.joined(), exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - (number.count > 1 ? number[1].count : 0)
        digits = String(digits.drop { $0 == "0" })
        if digits.isEmpty { return "0" }
        while digits.hasSuffix("0") {
            digits.removeLast()
            exponent += 1
        }
        return (mantissa.count > 1 ? "-" : "") + digits + "E\(exponent)"
    }

    static func escaped(_ text: String) -> String {
        let kept = Set("\\[](){},=".unicodeScalars)
        return text.unicodeScalars.map { 33..<127 ~= $0.value && !kept.contains($0) ? String($0) : "\\\(String($0.value, radix: 16));" }.joined()
    }

    private static func hexadecimal(_ number: UInt64, _ count: Int) -> String { padded(String(number, radix: 16), count) }
    private static func padded(_ text: String, _ count: Int) -> String { String(repeating: "0", count: max(0, count - text.count)) + text }
}
