import FreeholdEngine

/// Values that no object is likely to have: a unique property that cannot be null gets one while two objects exchange
/// their values.
enum SpareValue {
    /// A random value; nil for types with too few of them.
    static func value(of type: PropertyType) -> Value? {
        let one = UInt64.random(in: .min ... .max), other = UInt64.random(in: .min ... .max)
        return switch type {
        case .int: .int(Int64(bitPattern: one))
        case .double: .double(Double(one))
        case .decimal: .decimal(Decimal128(Int64(bitPattern: one)))
        case .string: .string("\(one) \(other)")
        case .data: .data(Array("\(one) \(other)".utf8))
        case .date: .date(Timestamp(seconds: Int64(bitPattern: one >> 2)))
        case .uuid: .uuid(UniqueIdentifier(high: one, low: other))
        case .objectId: .objectId(ObjectIdentifier12(high: one, low: UInt32(truncatingIfNeeded: other)))
        case .bool, .float, .link, .mixed: nil
        }
    }
}
