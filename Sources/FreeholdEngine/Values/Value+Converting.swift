extension Value {
    /// The value converted to another type, or nil if that would lose information: numbers and bools among each other,
    /// numbers and bools to and from their text, seconds to and from dates, text to and from its UTF-8 bytes.
    public func converted(to type: PropertyType) -> Value? {
        if self == .null || self.type == type || type == .mixed { return self }
        switch (self, type) {
        case (.bool(let flag), .int): return .int(flag ? 1 : 0)
        case (.int(let number), .bool): return number == 0 || number == 1 ? .bool(number == 1) : nil
        case (.int(let number), .double): return Int64(exactly: Double(number)) == number ? .double(Double(number)) : nil
        case (.int(let number), .float): return Int64(exactly: Float(number)) == number ? .float(Float(number)) : nil
        case (.int(let number), .date): return .date(Timestamp(seconds: number))
        case (.float(let number), .double): return .double(Double(number))
        case (.double(let number), .float): return Double(Float(number)) == number || number.isNaN ? .float(Float(number)) : nil
        case (.double(let number), .int): return Int64(exactly: number).map { .int($0) }
        case (.float(let number), .int): return Int64(exactly: number).map { .int($0) }
        case (.date(let date), .int): return date.nanoseconds == 0 ? .int(date.seconds) : nil
        case (.string(let text), .data): return .data(Array(text.utf8))
        case (.data(let bytes), .string): return String(validating: bytes, as: UTF8.self).map { .string($0) }
        case (.int(let number), .decimal): return .decimal(Decimal128(number))
        case (.decimal(let number), .int): return Int64(exactly: number).map { .int($0) }
        case (_, .string): return text.map { .string($0) }
        case (.string(let text), _): return Self.parsed(text, type)
        default: return nil
        }
    }

    private var text: String? {
        switch self {
        case .bool(let flag): "\(flag)"
        case .int(let number): "\(number)"
        case .float(let number): "\(number)"
        case .double(let number): "\(number)"
        case .decimal(let number): "\(number)"
        default: nil
        }
    }

    private static func parsed(_ text: String, _ type: PropertyType) -> Value? {
        switch type {
        case .bool: Bool(text).map { .bool($0) }
        case .int: Int64(text).map { .int($0) }
        case .float: Float(text).map { .float($0) }
        case .double: Double(text).map { .double($0) }
        case .decimal: Decimal128(text).map { .decimal($0) }
        default: nil
        }
    }
}

extension Value {
    /// The number as a double, rounded if necessary.
    var double: Double? {
        switch self {
        case .int(let number): Double(number)
        case .float(let number): Double(number)
        case .double(let number): number
        case .decimal(let number): Double(number)
        default: nil
        }
    }
}
