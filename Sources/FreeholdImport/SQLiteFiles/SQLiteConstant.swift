/// Computes a column's default that is an expression, as SQLite does for rows that were written before the column was added.
///
/// SQLite adds a column to a table with rows only if its default is a literal, with signs, CAST and parentheses. Of these,
/// anything whose value depends on the version of SQLite or on how it writes real numbers is not computed.
struct SQLiteConstant {
    /// Parentheses and signs within one another, at most.
    private static let maximumDepth = 16

    private var tokens: SQLiteTokenReader

    /// The value for a column of this affinity; nil if it is not known.
    static func value(of expression: String, _ affinity: SQLiteAffinity) -> SQLiteCell? {
        var constant = SQLiteConstant(tokens: SQLiteTokenReader(expression))
        let value = constant.value(affinity, 0)
        return constant.tokens.isAtEnd ? value : nil
    }

    private mutating func value(_ affinity: SQLiteAffinity, _ depth: Int) -> SQLiteCell? {
        guard depth < Self.maximumDepth else { return nil }
        if tokens.take(symbol: "(") {
            let value = value(affinity, depth + 1)
            return tokens.take(symbol: ")") ? value : nil
        }
        if tokens.take(symbol: "+") { return value(affinity, depth + 1) }
        if tokens.take(symbol: "-") {
            if tokens.isAtNumber { return literal(affinity, isNegative: true) }
            return value(affinity, depth + 1).flatMap(Self.negative).flatMap { Self.apply(affinity, $0) }
        }
        return tokens.take("CAST") ? cast(affinity, depth) : literal(affinity, isNegative: false)
    }

    private mutating func literal(_ affinity: SQLiteAffinity, isNegative: Bool) -> SQLiteCell? {
        guard let literal = tokens.literal(isNegative: isNegative, isEnclosed: true),
            case .value(let cell) = SQLiteDefault(literal, affinity) else { return nil }
        return cell
    }

    /// Takes `(expression AS type)`.
    private mutating func cast(_ affinity: SQLiteAffinity, _ depth: Int) -> SQLiteCell? {
        guard tokens.take(symbol: "(") else { return nil }
        // The type is not known yet: the value is computed once more when it is, for at most 2^16 times in all.
        var inner = self
        guard value(.blob, depth + 1) != nil, tokens.take("AS") else { return nil }
        let type = SQLiteAffinity(declared: tokens.typeName(), isStrict: false)
        guard tokens.take(symbol: ")") else { return nil }
        return inner.value(type, depth + 1).flatMap { Self.cast($0, to: type) }.flatMap { Self.apply(affinity, $0) }
    }

    private static func cast(_ cell: SQLiteCell, to type: SQLiteAffinity) -> SQLiteCell? {
        switch (cell, type) {
        case (.null, _), (.text, .text), (.int, .integer), (.int, .numeric), (.real, .numeric), (.real, .real): cell
        case (.int(let value), .text): .text(Array(String(value).utf8))
        case (.int(let value), .real): .real(Double(value))
        case (.real(let value), .integer): value.magnitude < 0x1p62 ? .int(Int64(value)) : nil
        default: nil
        }
    }

    private static func negative(_ cell: SQLiteCell) -> SQLiteCell? {
        switch cell {
        case .null: .null
        case .int(let value): value == Int64.min ? nil : .int(-value)
        // The integer -2^63 is written as a negative number that is too large for an integer.
        case .real(let value): value.magnitude < 0x1p62 ? .real(-value) : nil
        case .text(let bytes): Int64(String(decoding: bytes, as: UTF8.self)).flatMap { $0 == Int64.min ? nil : .int(-$0) }
        case .blob, .long: nil
        }
    }

    private static func apply(_ affinity: SQLiteAffinity, _ cell: SQLiteCell) -> SQLiteCell? {
        switch (cell, affinity) {
        case (.int(let value), _): affinity.applied(toInt: value)
        case (.real, .text): nil
        case (.real, .blob): cell
        case (.real(let value), _): affinity.applied(toReal: value)
        case (.text(let bytes), _): affinity.applied(toText: String(decoding: bytes, as: UTF8.self))
        case (.null, _), (.blob, _), (.long, _): cell
        }
    }
}
