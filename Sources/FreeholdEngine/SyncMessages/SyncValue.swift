/// A value of a property, of an entry of a map, or of an element of a list or set.
///
/// Numbers are compared by their bits, so that every value equals itself.
public enum SyncValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    /// The bits of a `Float`.
    case float(UInt32)
    /// The bits of a `Double`.
    case double(UInt64)
    /// High and low bits of a decimal of 128 bits.
    case decimal(UInt64, UInt64)
    /// Seconds since 1970, and nanoseconds.
    case timestamp(Int64, Int32)
    case uuid(UInt64, UInt64)
    case objectID(UInt64, UInt32)
    case string(String)
    case data([UInt8])
    /// The identity of the target, whether or not that is there.
    indirect case link(SyncObject)
    /// An embedded object; its properties are registers of their own.
    case embedded(SyncIdentity)

    /// Whether it is null.
    public var isNull: Bool { if case .null = self { true } else { false } }
}
