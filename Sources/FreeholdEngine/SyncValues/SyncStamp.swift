/// When a write was made, by a hybrid logical clock: 48 bits of milliseconds since 1970, then 16 bits of a counter.
///
/// Stamps are ordered as their `rawValue` is. Two replicas can give the same stamp; the larger `ReplicaIdentity` is then the later one.
public struct SyncStamp: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt64

    @inline(__always) public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The first stamp of a millisecond. Times before 1970 and after the year 10889 give the nearest stamp there is.
    public init(milliseconds: Int64) {
        rawValue = UInt64(min(max(milliseconds, 0), Self.maximumMilliseconds)) << Self.counterBits
    }

    /// Before every stamp that a clock gives.
    public static let none = Self(rawValue: 0)

    /// The last millisecond that a stamp can name.
    public static let maximumMilliseconds: Int64 = 1 << 48 - 1

    private static let counterBits: UInt64 = 16

    /// Milliseconds since 1970.
    public var milliseconds: Int64 { Int64(rawValue >> Self.counterBits) }

    /// The number of the stamp within its millisecond.
    public var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

    /// The next stamp; a full counter carries into the milliseconds. The last stamp of all is its own successor.
    @inline(__always) public var successor: Self {
        // Safe: the maximum is excluded.
        Self(rawValue: rawValue == .max ? rawValue : rawValue &+ 1)
    }

    @inline(__always) public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

extension SyncStamp: CustomStringConvertible {
    /// Milliseconds and counter: `1764000000000.3`.
    public var description: String { "\(milliseconds).\(counter)" }
}
