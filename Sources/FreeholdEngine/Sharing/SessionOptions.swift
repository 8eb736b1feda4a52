/// How a process takes part in a session.
struct SessionOptions: Sendable {
    /// Open for reading only; then a read-only medium may be read without any lock.
    var readOnly = false
    var createIfMissing = true
    /// The path is an identifier; the files live in memory and are deleted with the last process.
    var inMemory = false
    /// Permissions of a new file, before the process's mask.
    var fileMode: UInt32 = 0o644
    /// The key of an encrypted database.
    var encryptionKey: EncryptionKey?
    /// How long to wait for other processes that begin or end the session.
    var openTimeoutMilliseconds = 10_000
    /// How long a `.full` commit waits for its flush.
    var flushTimeoutMilliseconds = 10_000
    /// Address space to reserve for the file.
    var reserve = DataFile.usualReserve
    var leastReserve = DataFile.leastReserve
}
