import FreeholdEngine
import FreeholdMerge

/// Values of mixed properties from JSON as PostgreSQL prints it: the inverse of `JSONText`, as far as that says what a value is.
///
/// A whole number is an integer, another one a double if that has exactly its digits, and a decimal else; `{"class": …, "key": …}` is a
/// link, all strings are strings.
struct JSONReading {
    private var rest: ArraySlice<UInt8>
    private let schema: SyncSchema

    /// Nil for what a property cannot have.
    ///
    /// - Parameter isLink: whether it must be a link.
    static func value(_ text: [UInt8], isLink: Bool, _ schema: SyncSchema) -> SyncValue? {
        var reading = JSONReading(rest: text[...], schema: schema)
        guard let value = reading.value(0) else { return nil }
        if isLink {
            switch value {
            case .link, .null: break
            default: return nil
            }
        }
        return value
    }

    private mutating func skip() { rest = rest.drop { $0 == UInt8(ascii: " ") } }

    private mutating func take(_ word: StaticString) -> Bool {
        skip()
        let bytes = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard rest.starts(with: bytes) else { return false }
        rest = rest.dropFirst(bytes.count)
        return true
    }

    private mutating func value(_ depth: Int) -> SyncValue? {
        if depth > SyncValue.maximumDepth { return nil }
        if take("null") { return .null }
        if take("true") { return .bool(true) }
        if take("false") { return .bool(false) }
        if take("[") { return list(depth) }
        if take("{") { return map(depth) }
        if rest.first == UInt8(ascii: "\"") { return string().map { .string($0) } }
        return number()
    }

    private mutating func list(_ depth: Int) -> SyncValue? {
        // The deepest level has no collections: messages and rows refuse them.
        if depth >= SyncValue.maximumDepth { return nil }
        var made: [SyncValue] = []
        if take("]") { return .list([]) }
        repeat {
            guard let one = value(depth + 1) else { return nil }
            made.append(one)
        } while take(",")
        return take("]") ? .list(made) : nil
    }

    private mutating func map(_ depth: Int) -> SyncValue? {
        if depth >= SyncValue.maximumDepth { return nil }
        var made: [SyncValue.Entry] = []
        if take("}") { return .map([]) }
        repeat {
            skip()
            guard let key = string(), take(":"), let one = value(depth + 1) else { return nil }
            made.append(.init(key: key, value: one))
        } while take(",")
        guard take("}") else { return nil }
        made.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let isLink = made.count == 2 && made[0].key.utf8.elementsEqual("class".utf8) && made[1].key.utf8.elementsEqual("key".utf8)
        return isLink ? link(made[0].value, made[1].value) : .map(made)
    }

    /// Nil for one that leads to no synced class.
    private func link(_ name: SyncValue, _ key: SyncValue) -> SyncValue? {
        guard case .string(let name) = name, let number = schema.classes.firstIndex(where: { $0.name.isSame(as: name) }) else { return nil }
        let made: SyncKey? = switch (schema.classes[number].key.type, key) {
        case (.int, .int(let number)): .int(number)
        case (.string, .string(let text)): .string(text)
        case (.uuid, .string(let text)): Self.hex(text, digits: 32).map { .uuid($0.high, $0.low) }
        case (.objectId, .string(let text)):
            // 24 digits: the last eight are the lower part.
            Self.hex(text, digits: 24).map { .objectID($0.high << 32 | $0.low >> 32, UInt32(truncatingIfNeeded: $0.low)) }
        default: nil
        }
        return made.map { .link(SyncObject(type: Int32(number), key: $0)) }
    }

    /// The digits' number, the last 16 of them as its lower half; hyphens are left out.
    private static func hex(_ text: String, digits: Int) -> (high: UInt64, low: UInt64)? {
        let found = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard found.count == digits, let low = UInt64(String(decoding: found.suffix(16), as: UTF8.self), radix: 16),
              let high = UInt64(String(decoding: found.dropLast(16), as: UTF8.self), radix: 16) else { return nil }
        return (high, low)
    }

    // MARK: Strings and numbers

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var bytes: [UInt8] = []
        while let one = rest.popFirst() {
            if one == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
            if one != UInt8(ascii: "\\") {
                bytes.append(one)
                continue
            }
            guard let kind = rest.popFirst() else { return nil }
            switch kind {
            case UInt8(ascii: "b"): bytes.append(8)
            case UInt8(ascii: "f"): bytes.append(12)
            case UInt8(ascii: "n"): bytes.append(10)
            case UInt8(ascii: "r"): bytes.append(13)
            case UInt8(ascii: "t"): bytes.append(9)
            case UInt8(ascii: "u"):
                // Of control characters only: PostgreSQL prints all others as they are.
                guard let code = UInt8(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16) else { return nil }
                rest = rest.dropFirst(4)
                bytes.append(code)
            default: bytes.append(kind)
            }
        }
        return nil
    }

    private mutating func number() -> SyncValue? {
        // PostgreSQL prints no exponents.
        let digits = rest.prefix { (UInt8(ascii: "-")...UInt8(ascii: "9")).contains($0) && $0 != UInt8(ascii: "/") }
        rest = rest.dropFirst(digits.count)
        let text = String(decoding: digits, as: UTF8.self)
        if let whole = Int64(text) { return .int(whole) }
        if let double = Double(text), double.isFinite, PlainNumber.text("\(double)").utf8.elementsEqual(text.utf8) {
            return .double(double.bitPattern)
        }
        return Self.decimal(text).map { .decimal($0.high, $0.low) }
    }

    /// A number that a decimal is exactly; nil for others. Zeros at the end that it has no room for are left out.
    static func decimal(_ text: String) -> Decimal128? {
        guard let made = Decimal128(text) else { return nil }
        if !made.isFinite { return made }
        let back = PlainNumber.text(made.description)
        return back.utf8.elementsEqual(text.utf8) || trimmed(back).elementsEqual(trimmed(text)) ? made : nil
    }

    private static func trimmed(_ text: String) -> [UInt8] {
        var made = Array(text.utf8)
        guard made.contains(UInt8(ascii: ".")) else { return made }
        while made.last == UInt8(ascii: "0") { made.removeLast() }
        if made.last == UInt8(ascii: ".") { made.removeLast() }
        return made
    }
}
