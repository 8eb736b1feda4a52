import FreeholdEngine

/// What can be said of a Core Data store that it does not say itself.
public struct CoreDataStoreOptions: Sendable {
    /// Attributes that allow external storage, `Entity.attribute`. Needed only where no value is in a file: the others are
    /// recognised.
    public var externalAttributes: [String]

    public init(externalAttributes: [String] = []) { self.externalAttributes = externalAttributes }
}

/// A store of Core Data or SwiftData, which is a SQLite database: its entities as classes.
///
/// ```swift
/// let store = try CoreDataStore(SQLiteFile(path: "default.store"))
/// for place in store.classes { print(place.schema.name, place.count) }
/// for remark in store.remarks { print(remark.place, remark.text) }
/// ```
///
/// Names, types, relationships and delete rules are those of the model that the store keeps. A store without one is read
/// with the names and types of its columns. Opening reads every row once.
public final class CoreDataStore: SourceStore {
    public let format: String
    public let classes: [SourceClass]
    public let remarks: [SourceRemark]
    public let identity: SourceIdentity

    private let file: SQLiteFile
    private let reads: [ReadClass]
    private let external: ExternalData
    /// The relationships of the classes that were read last, which share a table.
    private var links: [(rows: LinkRows, index: LinkIndex)] = []
    private var linksTable = -1

    /// Whether a database is a store of Core Data or SwiftData.
    public static func recognizes(_ file: SQLiteFile) -> Bool {
        guard let entities = file.table("Z_PRIMARYKEY"), let metadata = file.table("Z_METADATA") else { return false }
        return ["Z_ENT", "Z_NAME"].allSatisfy { entities.position(of: $0) != nil } && metadata.position(of: "Z_UUID") != nil
    }

    /// Reads the model of a store, and every row once.
    /// - Throws: `.notThisFormat` if the database is not a store of Core Data; what is wrong with the file; `.invalidOption`.
    public init(_ file: SQLiteFile, options: CoreDataStoreOptions = CoreDataStoreOptions()) throws(SourceError) {
        guard Self.recognizes(file) else { throw SourceError(.notThisFormat, "the database is not a store of Core Data") }
        self.file = file
        external = ExternalData(storePath: file.path)
        var reader = StoreReader(file, external)
        reads = try file.watched { () throws(SourceError) in try reader.classes(options) }
        let counts = reader.counts
        classes = reads.enumerated().map {
            SourceClass($0.element.schema, count: counts[$0.offset], sourceName: file.tables[$0.element.table].name)
        }
        remarks = reader.sortedRemarks
        format = "Core Data store\(reader.hasModel ? "" : " without its model"), \(file.format)"
        identity = SourceIdentity(Array("Core Data".utf8) + file.identity.bytes)
    }

    public func objects(of place: Int, after key: Int64?) throws(SourceError) -> any SourceCursor {
        let read = reads[place]
        if read.table != linksTable { (links, linksTable) = ([], read.table) }
        var indexes: [LinkIndex?] = []
        for property in read.properties {
            guard case .links(let rows, _, _) = property.source else {
                indexes.append(nil)
                continue
            }
            indexes.append(try index(rows))
        }
        return try CoreDataCursor(read, of: file, after: key, external: external, links: indexes)
    }

    private func index(_ rows: LinkRows) throws(SourceError) -> LinkIndex {
        if let known = links.first(where: { $0.rows == rows }) { return known.index }
        let index = try file.watched { () throws(SourceError) in try LinkIndex(rows, of: file) }
        links.append((rows, index))
        return index
    }

    public func checkUnchanged() throws(SourceError) { try file.checkUnchanged() }
}
