import FreeholdEngine

/// Values as plain text, for lists, CSV and messages; `ImportedValue.converted(to:)` parses them.
public enum ValueText {
    /// Appends the result of `format`.
    public static func append(_ value: Value, to output: inout [UInt8]) {
        switch value {
        case .null: break
        case .int(let number): DigitText.append(number, to: &output)
        case .double(let number): DigitText.append(number, to: &output)
        case .date(let time): DateText.append(time, to: &output)
        case .link(let key): DigitText.append(key.rawValue, to: &output)
        case .list, .set, .map: JSONText.append(value, to: &output)
        default:
            var text = format(value)
            text.withUTF8 { output.append(contentsOf: $0) }
        }
    }

    /// Formats a value; null is the empty string, a link its target's key, preceded in a mixed property by the number
    /// of its class.
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
        case .decimal(let value): value.description
        case .object(let value): "\(value.classNumber):\(value.key)"
        }
    }
}

extension JSONText {
    /// Appends a value: numbers, booleans and null as in JSON, a link as its target's key, lists and sets as arrays,
    /// maps as objects, other values as strings.
    public static func append(_ value: Value, to output: inout [UInt8]) {
        switch value {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool, .int, .link: ValueText.append(value, to: &output)
        case .date(let time):
            output.append(UInt8(ascii: "\""))
            DateText.append(time, to: &output)
            output.append(UInt8(ascii: "\""))
        case .string(let text): append(text, to: &output)
        case .double(let number): append(number, to: &output)
        case .float(let number) where number.isFinite: output.append(contentsOf: number.description.utf8)
        case .float(let number): append(Double(number), to: &output)
        case .list(let values), .set(let values): append(values, to: &output) { append($0, to: &$1) }
        case .map(let entries): append(entries, to: &output) { append($0, to: &$1) }
        default: append(ValueText.format(value), to: &output)
        }
    }

    /// Appends values as an array.
    private static func append(_ values: [Value], to output: inout [UInt8], _ element: (Value, inout [UInt8]) throws -> Void) rethrows {
        output.append(UInt8(ascii: "["))
        for (place, value) in values.enumerated() {
            if place > 0 { output.append(UInt8(ascii: ",")) }
            try element(value, &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    /// Appends the entries of a map as an object, in the order of their keys' bytes.
    private static func append(_ entries: TextMap<Value>, to output: inout [UInt8],
                               _ element: (Value, inout [UInt8]) throws -> Void) rethrows {
        output.append(UInt8(ascii: "{"))
        for (place, entry) in entries.sortedByKey.enumerated() {
            if place > 0 { output.append(UInt8(ascii: ",")) }
            append(entry.key, to: &output)
            output.append(UInt8(ascii: ":"))
            try element(entry.value, &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    /// The value as JSON without blanks.
    public static func format(_ value: Value) -> String {
        var output: [UInt8] = []
        append(value, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends a value of a mixed property so that its type is preserved on import: a type that JSON lacks is written
    /// as an object whose only name is the type, `{"$date":"2024-05-01T00:00:00Z"}`. A map that would be parsed as such
    /// an object is wrapped in `$map`.
    /// - Parameters:
    ///   - collections: the declared collections of the property, the outermost first: only their elements are mixed.
    ///   - link: formats a link's target, as a class's name and the object's key.
    public static func append(mixed value: Value, in collections: ArraySlice<CollectionKind> = [], to output: inout [UInt8],
                              link: (ObjectReference) throws -> (class: String, key: Value)) rethrows {
        switch value {
        case .null, .bool, .int, .string: append(value, to: &output)
        case .double(let number) where number.isFinite: append(number, to: &output)
        case .list(let values), .set(let values):
            try append(values, to: &output) { try append(mixed: $0, in: collections.dropFirst(), to: &$1, link: link) }
        case .map(let entries):
            let isAmbiguous = collections.isEmpty && entries.count == 1 && entries.first?.key.hasPrefix("$") == true
            if isAmbiguous { output.append(contentsOf: "{\"$map\":".utf8) }
            try append(entries, to: &output) { try append(mixed: $0, in: collections.dropFirst(), to: &$1, link: link) }
            if isAmbiguous { output.append(UInt8(ascii: "}")) }
        default: try append(tagged: value, to: &output, link: link)
        }
    }

    /// Appends a value with its type.
    private static func append(tagged value: Value, to output: inout [UInt8],
                               link: (ObjectReference) throws -> (class: String, key: Value)) rethrows {
        output.append(contentsOf: "{\"$\(value.type?.name ?? "")\":".utf8)
        if case .object(let reference) = value {
            let target = try link(reference)
            output.append(contentsOf: "{\"class\":".utf8)
            append(target.class, to: &output)
            output.append(contentsOf: ",\"key\":".utf8)
            append(target.key, to: &output)
            output.append(UInt8(ascii: "}"))
        } else {
            append(value, to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }
}
