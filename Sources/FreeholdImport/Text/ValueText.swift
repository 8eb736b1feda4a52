import FreeholdEngine

/// Values as plain text, as lists, CSV and messages show them; `ImportedValue.converted(to:)` reads them back.
public enum ValueText {
    /// Writes a value; null is the empty text, a link its target's key.
    public static func format(_ value: Value) -> String {
        switch value {
        case .null: ""
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .float(let value): value.description
        case .double(let value): value.description
        case .string(let value): value
        case .data(let value): Base64Text.format(value)
        case .date(let value): DateText.format(value)
        case .uuid(let value): IdentifierText.format(value)
        case .objectId(let value): IdentifierText.format(value)
        case .link(let value): String(value.rawValue)
        case .list, .set, .map: JSONText.format(value)
        }
    }
}

extension JSONText {
    /// Appends a value: numbers, truth values and null as JSON has them, a link as its target's key, lists
    /// and sets as arrays, maps as objects, the rest as text.
    public static func append(_ value: Value, to output: inout [UInt8]) {
        switch value {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool, .int, .link: output.append(contentsOf: ValueText.format(value).utf8)
        case .double(let number): append(number, to: &output)
        case .float(let number) where number.isFinite: output.append(contentsOf: number.description.utf8)
        case .float(let number): append(Double(number), to: &output)
        case .list(let values), .set(let values):
            output.append(UInt8(ascii: "["))
            for (place, value) in values.enumerated() {
                if place > 0 { output.append(UInt8(ascii: ",")) }
                append(value, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .map(let entries): append(entries, to: &output)
        default: append(ValueText.format(value), to: &output)
        }
    }

    /// The entries of a map as an object, in the order of their keys' bytes.
    private static func append(_ entries: [String: Value], to output: inout [UInt8]) {
        output.append(UInt8(ascii: "{"))
        for (place, entry) in entries.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }).enumerated() {
            if place > 0 { output.append(UInt8(ascii: ",")) }
            append(entry.key, to: &output)
            output.append(UInt8(ascii: ":"))
            append(entry.value, to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    /// The value as JSON without blanks.
    public static func format(_ value: Value) -> String {
        var output: [UInt8] = []
        append(value, to: &output)
        return String(decoding: output, as: UTF8.self)
    }
}
