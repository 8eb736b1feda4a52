/// The type of a property. Raw values are stored in the file's schema and never change.
public enum PropertyType: UInt8, Sendable, CaseIterable {
    case bool = 1
    /// Signed 64-bit integer.
    case int = 2
    case float = 3
    case double = 4
    /// UTF-8 text.
    case string = 5
    /// Arbitrary bytes.
    case data = 6
    /// Seconds and nanoseconds since 1970.
    case date = 7
    /// 16 bytes.
    case uuid = 8
    /// 12 bytes.
    case objectId = 9
    /// An object of another (or the same) class.
    case link = 10
    /// A decimal number of up to 34 digits.
    case decimal = 11
    /// A value of any type, or a link to an object of any class. Null is always allowed.
    case mixed = 12
}
