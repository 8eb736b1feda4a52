import FreeholdEngine

/// A SQLite database as a source of objects: tables become classes, rows objects.
///
/// ```swift
/// let store = try SQLiteStore(path: "notes.sqlite")
/// for remark in store.remarks { print(remark.place, remark.text) }
/// ```
///
/// | in the database | becomes |
/// |---|---|
/// | a table | a class of the same name; the order of its objects is that of the rowids, or of the primary key WITHOUT ROWID |
/// | `INTEGER PRIMARY KEY` | the primary key; the object key is the rowid |
/// | another primary key | the primary key, of one or several properties, if its values can be one |
/// | a foreign key of one column | a link, if all values can be found in the other table's key |
/// | `UNIQUE`, indexes | unique and indexed properties, indexes over several |
/// | `NOT NULL` | a property that is not null |
/// | a column | a property, whose type the declared type and the values decide (`SQLiteTypeChoice`) |
///
/// Opening reads all rows once: the types hold for every value. Whatever is changed or left out is in `remarks`.
public final class SQLiteStore: SourceStore {
    private let file: SQLiteFile
    private let plans: [SQLitePlan]
    public let classes: [SourceClass]
    public let remarks: [SourceRemark]
    public let ownerlessLinks: Int
    public let identity: SourceIdentity

    /// Opens a database.
    public convenience init(path: String, options: SQLiteStoreOptions = SQLiteStoreOptions()) throws(SourceError) {
        try self.init(SQLiteFile(path: path), options: options)
    }

    /// Reads an open database.
    /// - Throws: `.invalidOption` if the options do not fit it; `.damaged`; `.system`.
    public init(_ file: SQLiteFile, options: SQLiteStoreOptions = SQLiteStoreOptions()) throws(SourceError) {
        self.file = file
        let planner = try file.watched { () throws(SourceError) in try SQLitePlanner(file, options) }
        (plans, classes, remarks) = (planner.plans, planner.classes, planner.remarks.all)
        ownerlessLinks = planner.ownerlessLinks
        identity = SourceIdentity(file.identity.bytes + Self.fingerprint(planner.classes))
    }

    public var format: String { file.format }

    public func objects(of place: Int, after key: Int64?) throws(SourceError) -> any SourceCursor {
        let plan = plans[place]
        var lists: [SQLiteJoinLists] = []
        for join in plan.joins { lists.append(try SQLiteJoinLists(file, join)) }
        return SQLiteCursor(file, try file.reader(of: plan.table, after: key), plan, lists)
    }

    public func checkUnchanged() throws(SourceError) { try file.checkUnchanged() }

    /// Other options make other classes, into which an interrupted import cannot go on (FNV-1a).
    private static func fingerprint(_ classes: [SourceClass]) -> [UInt8] {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(classes.map(\.schema))".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3  // Safe: the hash wraps by its definition.
        }
        return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }
    }
}
