/// Values and names in query syntax.
enum QueryText {
    /// Words that a query does not read as a name.
    private static let keywords: Set<String> = [
        "and", "or", "not", "in", "between", "beginswith", "contains", "endswith", "like", "matches", "text", "geowithin", "any", "some", "all",
        "none", "true", "false", "yes", "no", "nil", "null", "infinity", "inf", "nan", "self", "subquery", "truepredicate", "falsepredicate",
        "sort", "distinct", "limit", "offset", "nearest", "fuse", "group", "select", "asc", "desc", "ascending", "descending",
    ]

    static func name(_ name: String) -> String {
        guard let first = name.unicodeScalars.first, QueryLexer.beginsName(first), name.unicodeScalars.allSatisfy(QueryLexer.isInName),
              !keywords.contains(name.lowercased()), !isDate(name) else { return quoted(name, mark: "`") }
        return name
    }

    /// `; did you mean 'x'?` for the name that was probably meant, in backquotes if a query must quote it. A name that
    /// only begins with the given text counts too, as `unit-price` does for `unit`.
    static func suggestion(for name: String, among names: [String]) -> String {
        func spelled(_ name: String) -> String { Self.name(name) == name ? "'\(name)'" : Self.name(name) }
        let near = FreeholdEngine.suggestion(for: name, among: names, spelled: spelled)
        let longer = near.isEmpty ? names.first { $0.hasPrefix(name) && Self.name($0) != $0 } : nil
        return longer.map { "; did you mean \(spelled($0))?" } ?? near
    }

    /// Whether the name could be read as the beginning of a date, such as `T12`.
    private static func isDate(_ name: String) -> Bool { name.first == "T" && name.unicodeScalars.dropFirst().allSatisfy(QueryLexer.isDigit) }

    static func quoted(_ text: String, mark: Unicode.Scalar = "\"") -> String {
        var quoted = String.UnicodeScalarView([mark])
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": quoted.append(contentsOf: "\\n".unicodeScalars)
            case "\r": quoted.append(contentsOf: "\\r".unicodeScalars)
            case "\t": quoted.append(contentsOf: "\\t".unicodeScalars)
            case "\0": quoted.append(contentsOf: "\\0".unicodeScalars)
            case "\\", mark:
                quoted.append("\\")
                quoted.append(scalar)
            default: quoted.append(scalar)
            }
        }
        quoted.append(mark)
        return String(quoted)
    }

    /// A literal of a value; parsing it gives the same value.
    static func literal(_ value: Value) -> String {
        switch value {
        case .null: "NULL"
        case .bool(let flag): flag ? "true" : "false"
        case .int(let number): "\(number)"
        case .double(let number): double(number)
        case .float(let number): "float(\(number))"
        case .decimal(let number): "decimal(\"\(number)\")"
        case .string(let text): quoted(text)
        case .data(let bytes): "data(\"" + bytes.map(hexadecimal).joined() + "\")"
        case .date(let date): "date(\(date.seconds)\(date.nanoseconds == 0 ? "" : ", \(date.nanoseconds)"))"
        case .uuid(let id): "uuid(\"\(uuid(id))\")"
        case .objectId(let id): "oid(\"\(hexadecimal(id.high, 16))\(hexadecimal(UInt64(id.low), 8))\")"
        case .link(let key): "object(\(key))"
        case .object(let object): "object(\(object.classNumber), \(object.key))"
        case .list(let values), .set(let values): "{" + values.map(literal).joined(separator: ", ") + "}"
        case .map(let entries): "{" + entries.sorted { $0.key < $1.key }.map { "\(quoted($0.key)): \(literal($0.value))" }.joined(separator: ", ") + "}"
        }
    }

    private static func double(_ number: Double) -> String {
        if number.isNaN { return "nan" }
        if number.isInfinite { return number < 0 ? "-infinity" : "infinity" }
        return "\(number)"
    }

    private static func hexadecimal(_ byte: UInt8) -> String { hexadecimal(UInt64(byte), 2) }

    private static func hexadecimal(_ word: UInt64, _ digits: Int) -> String {
        let text = String(word, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func uuid(_ id: UniqueIdentifier) -> String {
        let text = Array(hexadecimal(id.high, 16) + hexadecimal(id.low, 16))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(text[$0]) }.joined(separator: "-")
    }
}
