/// One value of a property, of any type: dynamic callers (command line, C, importers) read and write it.
/// Typed readers avoid it on hot paths.
///
/// Two strings are equal if their bytes are, as in files.
public enum Value: Sendable {
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
    /// A link in a property that links to one class only.
    case link(ObjectKey)
    case list([Value])
    /// A set: each element once, in the stored order of sets; the caller may pass elements in any order.
    case set([Value])
    case map(TextMap<Value>)
    case decimal(Decimal128)
    /// A link in a mixed property.
    case object(ObjectReference)

    /// The type of this value, or nil for null and for collections. Both kinds of links count as links.
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
        case .link, .object: .link
        case .decimal: .decimal
        }
    }
}

extension Value {
    /// The kind of collection; nil for a single value.
    public var collectionKind: CollectionKind? {
        switch self {
        case .list: .list
        case .set: .set
        case .map: .map
        default: nil
        }
    }

    /// The number of elements of a collection; 0 for a single value.
    public var elementCount: Int {
        switch self {
        case .list(let values), .set(let values): values.count
        case .map(let entries): entries.count
        default: 0
        }
    }
}

extension Value {
    /// Whether both values are identical to the last bit: equal numbers may differ in digits (1.0 and 1.00) or sign (0
    /// and -0).
    func isIdentical(to other: Value) -> Bool {
        switch (self, other) {
        case (.decimal(let one), .decimal(let other)): one.high == other.high && one.low == other.low
        case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern
        case (.float(let one), .float(let other)): one.bitPattern == other.bitPattern
        case (.list(let some), .list(let others)), (.set(let some), .set(let others)): some.elementsEqual(others) { $0.isIdentical(to: $1) }
        case (.map(let some), .map(let others)):
            some.count == others.count && some.allSatisfy { others[$0.key]?.isIdentical(to: $0.value) ?? false }
        default: self == other
        }
    }
}

extension Value {
    /// Whether a unique column treats both as one value: strings are compared by bytes, and NaN equals itself.
    func isFiled(as other: Value) -> Bool {
        switch (self, other) {
        case (.double(let one), .double(let other)): one == other || one.isNaN && other.isNaN
        case (.float(let one), .float(let other)): one == other || one.isNaN && other.isNaN
        default: self == other
        }
    }
}

extension Value: Hashable {
    public static func == (one: Value, other: Value) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.int(let one), .int(let other)): one == other
        case (.float(let one), .float(let other)): one == other
        case (.double(let one), .double(let other)): one == other
        case (.string(let one), .string(let other)): one.isSame(as: other)
        case (.data(let one), .data(let other)): one == other
        case (.date(let one), .date(let other)): one == other
        case (.uuid(let one), .uuid(let other)): one == other
        case (.objectId(let one), .objectId(let other)): one == other
        case (.link(let one), .link(let other)): one == other
        case (.list(let one), .list(let other)), (.set(let one), .set(let other)): one == other
        case (.map(let one), .map(let other)): one == other
        case (.decimal(let one), .decimal(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let flag): hasher.combine(flag)
        case .int(let number): hasher.combine(number)
        case .float(let number): hasher.combine(number)
        case .double(let number): hasher.combine(number)
        case .string(let text): hasher.combine(ExactText(text))
        case .data(let bytes): hasher.combine(bytes)
        case .date(let date): hasher.combine(date)
        case .uuid(let id): hasher.combine(id)
        case .objectId(let id): hasher.combine(id)
        case .link(let key): hasher.combine(key)
        case .list(let values), .set(let values): hasher.combine(values)
        case .map(let entries): hasher.combine(entries)
        case .decimal(let number): hasher.combine(number)
        case .object(let reference): hasher.combine(reference)
        }
    }
}

/// A reference to an object of any class. `Table.reference(to:)` creates one; a snapshot finds its table
/// (`table(of:)`).
public struct ObjectReference: Hashable, Sendable {
    /// The class's position among the classes of its file, which never changes.
    public var classNumber: Int
    public var key: ObjectKey
    public init(classNumber: Int, key: ObjectKey) {
        self.classNumber = classNumber
        self.key = key
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
