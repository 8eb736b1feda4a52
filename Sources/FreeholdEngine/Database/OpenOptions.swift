/// How to open a database.
public struct OpenOptions: Sendable {
    /// Open for reading only. On a read-only medium no lock file is needed then; elsewhere it is a promise that nobody
    /// writes while the lock file can't be used.
    public var readOnly = false
    /// Create the file if there is none.
    public var createIfMissing = true
    /// The path is an identifier: the database lives in memory, shared by all processes of this user that name it, and
    /// ends with the last of them.
    public var inMemory = false
    /// Permissions of a new file, before the process's mask; auxiliary files take the data file's.
    public var fileMode: UInt32 = 0o644
    /// The key of an encrypted database; a new file opened with one is encrypted. Opening throws `.keyMissing` without it,
    /// `.wrongKey` with another, `.notEncrypted` if the file is plain.
    public var encryptionKey: EncryptionKey?
    /// The approximate number of bytes of an encrypted file that this process keeps decrypted in memory, beyond what
    /// the snapshots and the transaction it holds at the moment have read.
    public var decryptedBytesLimit = 256 << 20
    /// How long a write waits for another writer, unless it says otherwise.
    public var lockTimeoutMilliseconds = 10_000
    /// How long a `.full` commit waits to become durable; then it throws `.notYetDurable`.
    public var flushTimeoutMilliseconds = 10_000

    /// How many bytes of the file may be kept for a version that is parked (`Snapshot.park`) before a commit of this process
    /// takes it away; nil: any number.
    public var parkedBytesLimit: UInt64? = 256 << 20
    /// How many versions may be committed since a parked version before a commit of this process takes it away; nil:
    /// any number.
    public var parkedVersionsLimit: UInt64?

    /// How many threads may work on one query of a large class; nil: as many as the environment's `FREEHOLD_THREADS`
    /// says, or else as there are processors. 1 leaves everything to the calling thread.
    public var threadLimit: Int?

    var parkedLimit: ParkedLimit { ParkedLimit(versions: parkedVersionsLimit, bytes: parkedBytesLimit) }

    /// Address space to reserve for the file, and the minimum to accept: tests take little.
    var reserve = DataFile.usualReserve
    var leastReserve = DataFile.leastReserve

    public init() {}

    /// Options that open for reading only.
    public static var readOnly: OpenOptions {
        var options = OpenOptions()
        options.readOnly = true
        options.createIfMissing = false
        return options
    }

    var session: SessionOptions {
        var session = SessionOptions()
        session.readOnly = readOnly
        session.createIfMissing = createIfMissing && !readOnly
        session.inMemory = inMemory
        session.fileMode = fileMode
        session.encryptionKey = encryptionKey
        session.flushTimeoutMilliseconds = flushTimeoutMilliseconds
        session.reserve = reserve
        session.leastReserve = leastReserve
        return session
    }
}
