/// One value of a property, of any type: what dynamic callers (command line, C, importers) read and write.
/// Typed readers avoid it on hot paths.
public enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    case string(String)
    case data([UInt8])
    case date(Timestamp)
    case uuid(UniqueIdentifier)
    case objectId(ObjectIdentifier12)
    case link(ObjectKey)
    case list([Value])
    /// Each element once, in the order in which sets keep them; given to a set in any order.
    case set([Value])
    case map([String: Value])

    /// The type this value has, or nil for null and for collections.
    public var type: PropertyType? {
        switch self {
        case .null, .list, .set, .map: nil
        case .bool: .bool
        case .int: .int
        case .float: .float
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .uuid: .uuid
        case .objectId: .objectId
        case .link: .link
        }
    }
}

extension Value {
    /// What kind of collection it is; nil for a single value.
    public var collectionKind: CollectionKind? {
        switch self {
        case .list: .list
        case .set: .set
        case .map: .map
        default: nil
        }
    }

    /// How many elements a collection has; 0 for a single value.
    public var elementCount: Int {
        switch self {
        case .list(let values), .set(let values): values.count
        case .map(let entries): entries.count
        default: 0
        }
    }
}

/// The 16 bytes of a UUID, in text order, as two big-endian words (so that comparing them compares the text).
public struct UniqueIdentifier: Hashable, Sendable {
    public var high: UInt64
    public var low: UInt64
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// The 12 bytes of an ObjectId, in text order: the first eight as a big-endian word, then four.
public struct ObjectIdentifier12: Hashable, Sendable {
    public var high: UInt64
    public var low: UInt32
    public init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }
}
