/// A value of a property, of an entry of a map, or of an element of a list or set.
///
/// Numbers are compared by their bits, so that every value equals itself; strings by their bytes (`SyncValue+Equality`).
public enum SyncValue: Sendable {
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
    /// A collection that is one value: in a mixed property, or within another collection.
    indirect case list([SyncValue])
    indirect case set([SyncValue])
    /// A map that is one value, in the order of its keys' bytes. So is an embedded object in a list or map: its properties by name, and
    /// its class under `:class` if that is a subclass. What a new object has from the start may be left out.
    indirect case map([Entry])
    /// An entry of a map that is not there any more: null is a value of one.
    case absent

    /// An entry of a map that is one value.
    public struct Entry: Sendable {
        public var key: String
        public var value: SyncValue

        public init(key: String, value: SyncValue) {
            self.key = key
            self.value = value
        }
    }

    /// How many levels of collections a value may have.
    public static let maximumDepth = 100

    /// Whether it is null.
    public var isNull: Bool { if case .null = self { true } else { false } }

    /// Whether no map in it has a key twice, keys are in the order of their bytes, and it has no more levels than a message's value may.
    func isWellFormed(levels: Int = maximumDepth) -> Bool {
        switch self {
        case .list(let values), .set(let values): levels > 0 && values.allSatisfy { $0.isWellFormed(levels: levels - 1) }
        case .map(let entries):
            levels > 0 && zip(entries, entries.dropFirst()).allSatisfy { $0.key.precedes($1.key) }
                && entries.allSatisfy { $0.value.isWellFormed(levels: levels - 1) }
        default: true
        }
    }

    /// Calls `body` with the target of each link in it, at every depth.
    package func forEachLink(_ body: (SyncObject) -> Void) {
        switch self {
        case .link(let target): body(target)
        case .list(let values), .set(let values): for value in values { value.forEachLink(body) }
        case .map(let entries): for entry in entries { entry.value.forEachLink(body) }
        default: break
        }
    }

    /// The value with other links and identities, at every depth.
    package func mapping(_ link: (SyncObject) -> SyncObject, _ identity: (SyncIdentity) -> SyncIdentity) -> SyncValue {
        switch self {
        case .link(let target): .link(link(target))
        case .embedded(let one): .embedded(identity(one))
        case .list(let values): .list(values.map { $0.mapping(link, identity) })
        case .set(let values): .set(values.map { $0.mapping(link, identity) })
        case .map(let entries): .map(entries.map { Entry(key: $0.key, value: $0.value.mapping(link, identity)) })
        default: self
        }
    }
}
