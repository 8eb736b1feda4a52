/// A SQLite database, opened for reading: its tables, and their rows as the last commit left them.
///
/// ```swift
/// let file = try SQLiteFile(path: "notes.sqlite")
/// for table in file.tables { print(table.name, table.columns.map(\.name)) }
/// ```
///
/// A database with a write-ahead log is read with it. One that a process left in the middle of a transaction is refused:
/// SQLite has to finish that first. While this value lives it has a reader's lock, so that writers in rollback mode wait
/// or fail as they do for any reader; writers of a log go on, and `checkUnchanged` notices them.
public final class SQLiteFile {
    /// The path it was opened by, without symbolic links.
    public let path: String
    /// The tables with rows, in the order of their creation; without those of SQLite itself and of virtual tables.
    public let tables: [SQLiteTable]
    /// What else the schema names, and is not read.
    let others: [SQLiteOther]
    let pages: SQLitePages
    private let handle: SQLiteHandle
    private let stamp: SQLiteStamp
    /// The change counter of the file itself; the log may have a newer one.
    private let counter: [UInt8]
    /// The state of the log; nil if there is none or it is empty.
    private let logStamp: SQLiteStamp?

    /// Opens a database.
    /// - Throws: `.notThisFormat`; `.unsupported` if it is encrypted, or has to be opened by SQLite first; `.changed` if a
    ///   program is writing to it; `.damaged`; `.system`.
    public init(path: String) throws(SourceError) {
        // SQLite puts a log beside the file that a symbolic link leads to.
        let path = SQLiteHandle.resolved(path)
        self.path = path
        guard let handle = try SQLiteHandle(existing: path) else { throw .system(path, 2) }
        let kind = try SQLiteStamp(handle)
        guard kind.isRegular else { throw SourceError(.notThisFormat, "\(path) is not a file") }
        try SQLiteEncryption.refuse(try handle.bytes(at: 0, count: SQLiteEncryption.sampleCount), size: kind.size)
        try SQLiteLock.take(handle)
        try SQLiteJournal.refuse(beside: handle)
        // After the lock: from here on the file stays as it is.
        stamp = try SQLiteStamp(handle)
        counter = try handle.bytes(at: 24, count: 4)
        let log = try SQLiteHandle(existing: path + "-wal")
        let logStamp = try log.map { log throws(SourceError) in try SQLiteStamp(log) }
        self.logStamp = logStamp?.size == 0 ? nil : logStamp
        pages = try SQLitePages(handle, size: stamp.size, log: try log.flatMap { log throws(SourceError) in try SQLiteLog(log) })
        self.handle = handle
        (tables, others) = try SQLiteSchema.read(pages)
    }

    /// Whether the first bytes of a file are those of a SQLite database: 16 bytes are enough.
    public static func recognizes(_ start: [UInt8]) -> Bool { start.starts(with: SQLiteHeader.magic) }

    /// The table of a name; ASCII letters of either case are the same.
    public func table(_ name: String) -> SQLiteTable? { tables.first { SQLiteName.isSame($0.name, name) } }

    /// The rows of a table, in ascending order of their keys.
    /// - Parameter key: the last key that is not wanted any more; nil for all rows.
    func rows(of table: SQLiteTable, after key: Int64?) throws(SourceError) -> SQLiteRows {
        SQLiteRows(try reader(of: table, after: key))
    }

    /// The rows of a table, in ascending order of their keys, for readers of many.
    /// - Parameter budget: what the walk may visit, if other walks share it.
    func reader(of table: SQLiteTable, after key: Int64?, budget: SQLiteBudget? = nil) throws(SourceError) -> SQLiteRowReader {
        try SQLiteRowReader(pages, table, after: key, budget: budget)
    }

    /// The row with a rowid; nil if there is none. Its values are valid as long as the result is.
    func row(of table: SQLiteTable, rowid: Int64) throws(SourceError) -> SQLiteRows? {
        let rows = try rows(of: table, after: rowid == Int64.min ? nil : rowid - 1)
        return try rows.next() && rows.key == rowid ? rows : nil
    }

    /// What the file is, for messages.
    public var format: String {
        let log = pages.log == nil ? "" : ", with a write-ahead log"
        return "SQLite database, \(pages.header.encoding.name), pages of \(pages.pageSize) bytes\(log)"
    }

    /// The content of the file as it was opened: changes with every commit.
    public var identity: SourceIdentity {
        var bytes = Array("SQLite 3".utf8) + pages.header.bytes + (pages.log?.stamp ?? [])
        for number in [UInt64(pages.count), stamp.size, UInt64(bitPattern: stamp.seconds), UInt64(bitPattern: stamp.nanoseconds)] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return SourceIdentity(bytes)
    }

    /// Compares the database and its log with what they were when they were opened.
    /// - Throws: `.changed` if another program has written to them, or put another file in their place.
    public func checkUnchanged() throws(SourceError) {
        let log = try SQLiteStamp(path: path + "-wal")
        let isSame = try SQLiteStamp(path: path) == stamp && (log?.size == 0 ? nil : log) == logStamp
        guard isSame, try handle.bytes(at: 24, count: 4).elementsEqual(counter), try isLogUnchanged() else {
            throw SourceError(.changed, "\(path) changed while it was being read; close the programs that use it, or import a copy")
        }
        try SQLiteJournal.refuse(beside: handle)
    }

    /// Reads from the file. What looks like damage may be the work of another program, and is reported as that.
    func watched<Result>(_ body: () throws(SourceError) -> Result) throws(SourceError) -> Result {
        do throws(SourceError) { return try body() } catch {
            if error.kind == .damaged { try checkUnchanged() }
            throw error
        }
    }

    private func isLogUnchanged() throws(SourceError) -> Bool {
        guard let log = pages.log else { return true }
        return try log.handle.bytes(at: 0, count: SQLiteLog.headerCount).elementsEqual(log.stamp.prefix(SQLiteLog.headerCount))
    }
}
