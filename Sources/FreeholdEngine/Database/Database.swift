import Platform
import Synchronization

/// A database file, open in this process and possibly in many others at the same time.
///
/// ```swift
/// let database = try Database.open("people.freehold")
/// try database.write { transaction in
///     try transaction.createClass(ClassSchema("Person", primaryKey: "id", [
///         PropertySchema("id", .int), PropertySchema("name", .string),
///     ]))
///     try transaction.insert(into: "Person", key: .int(1), [("name", .string("Ada"))])
/// }
/// print(try database.snapshot().table("Person").count)
/// ```
/// Use it from any thread. Opening a file again in one process shares its locks and costs little.
public final class Database: Sendable {
    // In a forked child these may be locked for good, by a thread that it does not have.
    private let state: Mutex<DatabaseCore?>
    let lockTimeoutMilliseconds: Int
    /// The key it was opened with, for copies.
    private let ownKey: Mutex<EncryptionKey?>
    /// The file's path, symbolic links resolved (for a database in memory: where it lives).
    public let path: String
    let system: any System
    private let forkGeneration: UInt32

    /// Opens the file at `path`, creating it if necessary.
    ///
    /// Throws `.notFound`, `.permissionDenied`, `.notADatabase`, `.unsupportedFormat`, `.unsupportedFileSystem`,
    /// `.corrupt`, `.copiedWhileOpen` and others; every message says what to do.
    public static func open(_ path: String, _ options: OpenOptions = OpenOptions()) throws(FreeholdError) -> Database {
        try open(path, options, on: LinuxSystem.shared)
    }

    /// Opens a file on a given system: tests pass a simulated one.
    static func open(_ path: String, _ options: OpenOptions, on system: any System) throws(FreeholdError) -> Database {
        if !options.inMemory { try requireFile(path, on: system) }
        let session = try Session.open(path, options.session, system, verifier: TreeVerifier(), initial: FirstVersion.make)
        let core = try DatabaseCore(session, decryptedBytesLimit: options.decryptedBytesLimit, parkedLimit: options.parkedLimit, threadLimit: options.threadLimit)
        let database = Database(core, options)
        do throws(FreeholdError) { try core.confirmIdentity(timeoutMilliseconds: options.lockTimeoutMilliseconds) } catch {
            database.close()
            throw error
        }
        return database
    }

    /// Refuses devices, pipes and sockets, which cannot be written and cut as a file can. What cannot be looked at is left to the opening.
    static func requireFile(_ path: String, on system: any System) throws(FreeholdError) {
        guard let status = try? system.status(of: path), status.kind == .fifo || status.kind == .other else { return }
        throw FreeholdError(.notADatabase, "'\(path)' is a device, pipe or socket; a database is a regular file", path: path)
    }

    private init(_ core: DatabaseCore, _ options: OpenOptions) {
        path = core.path
        system = core.session.system
        forkGeneration = core.session.system.forkGeneration
        lockTimeoutMilliseconds = options.lockTimeoutMilliseconds
        state = Mutex(core)
        ownKey = Mutex(options.encryptionKey)
    }

    func noteKey(_ key: EncryptionKey) { ownKey.withLock { $0 = key } }

    /// The key of an encrypted database.
    func key() throws(FreeholdError) -> EncryptionKey? {
        _ = try core()
        return ownKey.withLock { $0 }
    }

    private var isForked: Bool { system.forkGeneration != forkGeneration }

    func core() throws(FreeholdError) -> DatabaseCore {
        if isForked { throw Membership.forkedError(path) }
        if let core = state.withLock({ $0 }) { return core }
        throw FreeholdError(.closed, "the database was closed; open it again", path: path)
    }

    /// Closes the database. Snapshots and transactions still held keep the file open until they end.
    ///
    /// The last process to close a database flushes the commits that are not durable yet, and reports nothing if that
    /// fails: `.full` commits were durable when they returned, and `.processCrash` commits may be lost, as in a power
    /// cut. Call `flush()` first to receive errors.
    public func close() {
        if isForked {
            _ = state.withLockIfAvailable { $0 = nil }
            _ = ownKey.withLockIfAvailable { $0 = nil }
            return
        }
        state.withLock { $0 = nil }
        ownKey.withLock { $0 = nil }
    }

    /// Holds the newest version for reading.
    public func snapshot() throws(FreeholdError) -> Snapshot { try Snapshot(core: core()) }

    /// Begins a write; waits until every other writer, of any process, has ended.
    ///
    /// - Parameter timeoutMilliseconds: how long to wait (0: try once; nil: as the options say). Then throws `.busy`,
    ///   whose message names the process that writes.
    public func beginWrite(timeoutMilliseconds: Int? = nil) throws(FreeholdError) -> WriteTransaction {
        let core = try core()
        let lease = try core.beginWrite(timeoutMilliseconds: timeoutMilliseconds ?? lockTimeoutMilliseconds)
        do {
            return try WriteTransaction(core: core, lease: lease)
        } catch {
            core.session.abandonWrite(lease)
            throw error
        }
    }

    /// Runs `body` in a write and commits its changes; if it throws, rolls back and rethrows.
    @discardableResult
    public func write<Result>(durability: Durability = .full, _ body: (WriteTransaction) throws -> Result) throws -> Result {
        let transaction = try beginWrite()
        let result: Result
        do {
            result = try body(transaction)
        } catch {
            transaction.rollback()
            throw error
        }
        if !transaction.isFinished { try transaction.commit(durability) }
        return result
    }

    /// Begins to write a string or data of up to 4 GiB piece by piece, while others commit. See `LargeValueWriter`.
    ///
    /// - Parameter expectedByteCount: the value's length, if it is known; it may become longer or shorter. Then it lies
    ///   in few pieces. More than 4 GiB are refused at once.
    /// - Throws: `.valueTooLarge`, `.readOnly`, `.closed`.
    public func beginLargeValue(expectedByteCount: Int? = nil) throws(FreeholdError) -> LargeValueWriter {
        try LargeValueWriter(core(), expecting: expectedByteCount, timeoutMilliseconds: lockTimeoutMilliseconds)
    }

    /// Waits until a version above `version` can be read.
    ///
    /// - Returns: that version, or nil after the timeout.
    public func waitForChange(after version: Version, timeoutMilliseconds: Int) throws(FreeholdError) -> Version? {
        try core().session.waitForChange(after: version.rawValue, timeoutMilliseconds: timeoutMilliseconds).map { Version($0) }
    }
}
