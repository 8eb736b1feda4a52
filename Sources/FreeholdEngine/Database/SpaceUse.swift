/// The space that one version uses in the file, by class and property.
///
/// ```swift
/// let use = try snapshot.spaceUse()
/// for use in use.classes { print(use.name, use.bytes, use.properties.map(\.bytes)) }
/// ```
/// The sum of all parts, `usedBytes`, is `DatabaseInformation.usedBytes` of the same version.
public struct SpaceUse: Sendable {
    /// The version measured.
    public let version: Version
    /// The classes, in the order of the schema.
    public internal(set) var classes: [ClassUse]
    /// Bytes of the definitions of classes and properties.
    public internal(set) var schemaBytes: UInt64 = 0
    /// Bytes of the records of which pages are free.
    public internal(set) var spaceMapBytes: UInt64 = 0
    /// Bytes of the header pages.
    public internal(set) var headerBytes: UInt64 = 0
    /// Bytes of the block that refers to all classes, and of classes that Freehold keeps for itself.
    public internal(set) var otherBytes: UInt64 = 0
    /// Bytes of pages in use that hold no block of this version.
    public internal(set) var unusedBytes: UInt64 = 0

    /// Bytes of all pages in use: the sum of all parts.
    public var usedBytes: UInt64 {
        classes.reduce(schemaBytes + spaceMapBytes + headerBytes + otherBytes + unusedBytes) { $0 + $1.bytes }
    }

    /// The space that a class uses.
    ///
    /// A class that extends another one has its own properties only: objects of all these classes are stored together, so their
    /// inherited properties, `structureBytes` and `recentBytes` count for the topmost class.
    public struct ClassUse: Sendable {
        /// The class.
        public let name: String
        /// The properties that the class itself declares, in their order.
        public internal(set) var properties: [PropertyUse]
        /// The indexes over several properties that the class itself declares, also that of a primary key of several properties.
        public internal(set) var indexes: [IndexUse]
        /// The full-text indexes, and others that are computed from objects, that the class itself declares.
        public internal(set) var derivedIndexes: [DerivedUse] = []
        /// Bytes of object keys and of the tree that leads from them to the values.
        public internal(set) var structureBytes: UInt64 = 0
        /// Bytes of the objects inserted last, with all their values: at most 255 of them are stored row by row.
        public internal(set) var recentBytes: UInt64 = 0

        /// Bytes of all parts.
        public var bytes: UInt64 {
            let indexBytes = indexes.reduce(0) { $0 + $1.bytes } + derivedIndexes.reduce(0) { $0 + $1.bytes }
            return properties.reduce(structureBytes + recentBytes + indexBytes) { $0 + $1.bytes }
        }
    }

    /// The space that a property uses.
    public struct PropertyUse: Sendable {
        /// The property.
        public let name: String
        /// Bytes of its values: of those stored beside those of other objects, and of the dictionary of repeated strings.
        public internal(set) var valueBytes: UInt64 = 0
        /// Bytes of strings and data that are too long for that.
        public internal(set) var longValueBytes: UInt64 = 0
        /// Bytes of lists, sets and maps that are too large for that.
        public internal(set) var collectionBytes: UInt64 = 0
        /// Bytes of its index, also of one that is kept for a primary key, uniqueness or backlinks.
        public internal(set) var indexBytes: UInt64 = 0

        /// Bytes of all parts.
        public var bytes: UInt64 { valueBytes + longValueBytes + collectionBytes + indexBytes }
    }

    /// The space that an index over several properties uses.
    public struct IndexUse: Sendable {
        /// The properties, the most significant first.
        public let properties: [String]
        public internal(set) var bytes: UInt64 = 0
    }

    /// The space that a full-text index, or another derived index, uses.
    public struct DerivedUse: Sendable {
        /// What it is: `full text`, `places`, `vectors`, `collation`.
        public let kind: String
        /// The paths of its fields.
        public let fields: [String]
        /// The language of a full-text index, or the tag of a collation; nil if it has none.
        public let language: String?
        public internal(set) var bytes: UInt64 = 0
    }
}

extension Snapshot {
    /// Measures the space that this version uses in the file, by class and property.
    ///
    /// The cost is proportional to the number of blocks, of which those with numbers, dates and other values of a fixed length are
    /// not read. In an encrypted file the memory is that of one pass.
    ///
    /// - Parameter progress: receives the bytes measured and their total, from time to time. What it throws ends the measurement.
    /// - Throws: `FreeholdError` with a code of the band `.damaged` if a block is damaged, and what `progress` throws.
    public func spaceUse(progress: (_ doneBytes: UInt64, _ totalBytes: UInt64) throws -> Void = { _, _ in }) throws -> SpaceUse {
        let schema = try contents().schema
        guard let shadow = core.access.shadow else { return try SpaceMeter(root, schema, core.access, core.path).measure(progress) }
        guard let window = BlockWindow(beside: core.access, length: root.length, limit: shadow.windowLimit, trusting: true) else {
            throw FreeholdError(.outOfMemory, "too little address space to measure; raise the process's limit (ulimit -v)", path: core.path)
        }
        return try withExtendedLifetime(window) { try SpaceMeter(root, schema, window.access, core.path).measure(progress) }
    }
}
