import FreeholdEngine

/// Objects of one class, property by property.
public struct SourceBatch: Sendable {
    /// The objects' keys in the source, ascending.
    public var keys: [Int64]
    /// The values: a column for each property of the class, in its order.
    public var columns: [SourceColumn]

    public init(keys: [Int64], columns: [SourceColumn]) {
        self.keys = keys
        self.columns = columns
    }
}

/// The values of one property, one for each object of a batch.
public struct SourceColumn: Sendable {
    /// The form of the values.
    public enum Content: Sendable {
        /// Values of the property's own type, as the database takes them.
        case plain(ColumnValues.Content)
        /// Keys in the source of objects of the property's target class.
        case links([Int64])
        /// Anything: collections, mixed values, embedded objects, long values, links by another property.
        case any([SourceValue])
    }

    public var content: Content
    /// One bit per object, starting at the lowest bit of the first word; 1: the value is null. Nil: no value is null.
    public var nulls: [UInt64]?

    public init(_ content: Content, nulls: [UInt64]? = nil) {
        self.content = content
        self.nulls = nulls
    }
}

/// A value that the database cannot take as it is.
public indirect enum SourceValue: Sendable {
    /// A value, or a collection of values, without links.
    case value(Value)
    /// The object of a class, by its place in `SourceStore.classes`, with this key in the source. If there is no such object, null.
    case object(place: Int, key: Int64)
    /// The object of a class whose property has this value. If there is no such object, null.
    case found(place: Int, property: Int, value: Value)
    /// An embedded object: its values, in the order of the properties of its class.
    case embedded(place: Int, values: [SourceValue])
    /// A string or data of more than `SourceLimits.shortBytes`, read in parts.
    case long(SourceBytes)
    case list([SourceValue])
    case set([SourceValue])
    case map([(key: String, value: SourceValue)])
}

/// The bytes of a long value, read when they are needed.
public protocol SourceBytesReader: AnyObject, Sendable {
    /// Calls `body` with one part of the bytes after another.
    func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws
}

/// A long value.
public struct SourceBytes: Sendable {
    /// Whether it is a string, in UTF-8 that the source has checked.
    public let isText: Bool
    public let count: Int
    public let reader: any SourceBytesReader

    public init(isText: Bool, count: Int, reader: any SourceBytesReader) {
        self.isText = isText
        self.count = count
        self.reader = reader
    }
}
