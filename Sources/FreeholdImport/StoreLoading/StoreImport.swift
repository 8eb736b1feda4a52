import FreeholdEngine

/// How far an import of a whole database is.
public struct StoreImportProgress: Sendable, Equatable {
    /// Objects written, those of the pass for links included.
    public var written: Int
    /// The number of objects to be written in all, counted in the same way.
    public var total: Int
    /// Whether another process, or another thread of this one, imports, and this one waits.
    public var isWaiting: Bool
}

/// The result of an import of a whole database.
public struct StoreImportSummary: Sendable, Equatable {
    /// What the source was: `Realm file, format 24`.
    public var format: String
    /// The classes, by name, each with the number of its objects.
    public var classes: [ImportedClass]
    /// Links whose target the source does not have: they are null.
    public var missingLinks: Int
    /// What was renamed, converted or lost.
    public var remarks: [SourceRemark]
    /// Whether this call did the last part of the import; false if it was done before.
    public var isNew: Bool

    /// A class that was imported.
    public struct ImportedClass: Sendable, Equatable {
        public var name: String
        public var count: Int

        public init(name: String, count: Int) {
            self.name = name
            self.count = count
        }
    }
}
