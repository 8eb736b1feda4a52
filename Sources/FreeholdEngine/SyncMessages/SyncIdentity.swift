/// The identity of an embedded object, of an element of a list, or of a position in a list: the replica that made it, as a number of a
/// table beside it (a message's, a file's, a server's), and a count of that replica.
public struct SyncIdentity: RawRepresentable, Hashable, Comparable, Sendable {
    /// 24 bits of the replica's number, 40 bits of the count.
    public let rawValue: UInt64

    @inline(__always) public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The count is cut to 40 bits, the replica's number to 24.
    @inline(__always) public init(replica: Int, count: UInt64) {
        rawValue = UInt64(truncatingIfNeeded: replica) << 40 | count & Self.maximumCount
    }

    /// No identity: counts begin at 1.
    public static let none = Self(rawValue: 0)

    /// The largest count; larger ones fit no file.
    public static let maximumCount: UInt64 = 1 << 40 - 1

    /// How many replicas a table can have.
    public static let maximumReplicas = 1 << 24

    /// The replica's number in the table.
    @inline(__always) public var replica: Int { Int(rawValue >> 40) }

    /// The number that the replica gave, from 1 on.
    @inline(__always) public var count: UInt64 { rawValue & Self.maximumCount }

    @inline(__always) public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
