import FreeholdEngine

/// How records become objects, and how bad records are treated.
public struct ImportOptions: Sendable {
    /// The class of the objects; created if it does not exist.
    public var className: String
    /// The primary key of a class that is created.
    public var primaryKey: String?
    /// By class of nested objects, the property that becomes its primary key: nested objects with the same key become
    /// one object.
    public var nestedKeys: TextMap<String> = [:]
    /// By property, the class it links to: its values are primary keys of that class, or nested objects.
    public var links: TextMap<String> = [:]
    /// By property (of a nested object: `Class.property`), the type to use instead of the inferred one.
    public var declaredTypes: TextMap<DeclaredType> = [:]
    /// Records per transaction, if bad records are skipped.
    public var batchSize = 10_000
    /// Whether a bad record is skipped; otherwise it stops the import, and nothing is written.
    public var skipsBadRecords = false
    /// Number of records from which types are inferred; fewer if they are long.
    public var sampleSize = 10_000

    /// Creates options for records of `className`, with default values.
    public init(into className: String) { self.className = className }
}

/// The result of an import.
public struct ImportSummary: Sendable, Equatable {
    /// Number of records that became objects.
    public var recordCount = 0
    /// Number of objects created from nested objects.
    public var nestedCount = 0
    /// Number of records skipped and of links without a target.
    public var badCount = 0
    /// Number of bytes read.
    public var byteCount = 0
    /// The classes created.
    public var createdClasses: [String] = []
    /// The properties added to existing classes, as `Class.property`.
    public var addedProperties: [String] = []
}
