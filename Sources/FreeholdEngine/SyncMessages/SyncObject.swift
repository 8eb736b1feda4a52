/// A primary key of a synced class. Strings are compared by their bytes (`SyncValue+Equality`).
public enum SyncKey: Sendable {
    case int(Int64)
    case string(String)
    /// 128 bits, big-endian.
    case uuid(UInt64, UInt64)
    /// 96 bits, big-endian.
    case objectID(UInt64, UInt32)
}

extension SyncKey: Comparable {
    /// An order of all keys, the same on every machine.
    public static func < (one: Self, other: Self) -> Bool {
        switch (one, other) {
        case (.int(let one), .int(let other)): one < other
        case (.string(let one), .string(let other)): one.utf8.lexicographicallyPrecedes(other.utf8)
        case (.uuid(let high, let low), .uuid(let otherHigh, let otherLow)): (high, low) < (otherHigh, otherLow)
        case (.objectID(let high, let low), .objectID(let otherHigh, let otherLow)): (high, low) < (otherHigh, otherLow)
        default: one.rank < other.rank
        }
    }

    private var rank: Int {
        switch self {
        case .int: 0
        case .string: 1
        case .uuid: 2
        case .objectID: 3
        }
    }
}

/// An object as a message names it: its class, as a number of the message's `SyncNames`, and its primary key.
public struct SyncObject: Hashable, Comparable, Sendable {
    /// The number of the class.
    public var type: Int32
    /// The primary key.
    public var key: SyncKey

    public init(type: Int32, key: SyncKey) {
        self.type = type
        self.key = key
    }

    public static func < (one: Self, other: Self) -> Bool {
        one.type != other.type ? one.type < other.type : one.key < other.key
    }
}
