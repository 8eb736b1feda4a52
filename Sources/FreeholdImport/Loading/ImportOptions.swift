import FreeholdEngine

/// What to make of a text's records, and what to do about bad ones.
public struct ImportOptions: Sendable {
    /// The class the records become objects of; made if there is none.
    public var className: String
    /// The property that becomes the primary key of a class being made.
    public var primaryKey: String?
    /// By class of objects that stand within records, the property that becomes its primary key: objects with one key are one object.
    public var nestedKeys: TextMap<String> = [:]
    /// By property, the class it links to: its values are that class's primary keys, or objects to put into it.
    public var links: TextMap<String> = [:]
    /// By property (of a nested object: `Class.property`), the type to take instead of the one inferred.
    public var declaredTypes: TextMap<DeclaredType> = [:]
    /// Records in one transaction, if bad ones are skipped.
    public var batchSize = 10_000
    /// Whether a bad record is left out; else it stops the import, and nothing of it is written.
    public var skipsBadRecords = false
    /// Records from which types are inferred; fewer if they are long.
    public var sampleSize = 10_000

    /// Records of `className`, with no wishes beyond.
    public init(into className: String) { self.className = className }
}

/// What became of an import.
public struct ImportSummary: Sendable, Equatable {
    /// Records that became objects.
    public var recordCount = 0
    /// Objects made from what stood within records.
    public var nestedCount = 0
    /// Records left out, and links without a target.
    public var badCount = 0
    /// Bytes read.
    public var byteCount = 0
    /// Classes that were made.
    public var createdClasses: [String] = []
    /// Properties that were added to classes that were there before, as `Class.property`.
    public var addedProperties: [String] = []
}
