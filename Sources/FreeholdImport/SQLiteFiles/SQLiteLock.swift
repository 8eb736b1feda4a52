import Glibc

/// SQLite's lock of a reader on a database, kept until the value ends.
///
///     byte 0x4000_0000          pending: a writer waits for the readers to end
///     byte 0x4000_0001          reserved: a writer prepares a commit
///     the 510 bytes after it    shared by readers, exclusive while a commit is written
///
/// While it is held, no process changes the file of a database in rollback mode, and in the mode of a log none removes the
/// log. It is of the newer kind (OFD), which has nothing to do with the locks of a SQLite in the same process; those stay,
/// too, when the file is closed (`SourceDescriptor`).
enum SQLiteLock {
    /// `F_OFD_GETLK` of Linux, which Swift does not import.
    private static let getLock: Int32 = 36

    private static let pending: Int64 = 0x4000_0000
    private static let reserved: Int64 = 0x4000_0001
    private static let shared: Int64 = 0x4000_0002
    private static let sharedCount: Int64 = 510

    /// Takes the lock; it goes with the handle.
    /// - Throws: `.changed` if a writer is at work. A file system without locks is no error: `checkUnchanged` notices writers.
    static func take(_ handle: SQLiteHandle) throws(SourceError) {
        for (start, count) in [(pending, 1), (shared, sharedCount)] {
            if try !set(handle, F_RDLCK, start, count) {
                throw SourceError(.changed, "another program is writing to the database; try again when it has finished")
            }
        }
        _ = try set(handle, F_UNLCK, pending, 1)
    }

    /// Whether another program prepares a commit.
    static func isReserved(_ handle: SQLiteHandle) -> Bool {
        var lock = Self.lock(F_WRLCK, reserved, 1)
        // Safe: the record lives until the call ends.
        return withUnsafeMutablePointer(to: &lock) { fcntl(handle.number, getLock, $0) } == 0 && lock.l_type != Int16(F_UNLCK)
    }

    /// - Returns: false if another program's lock is in the way.
    private static func set(_ handle: SQLiteHandle, _ kind: Int32, _ start: Int64, _ count: Int64) throws(SourceError) -> Bool {
        var lock = Self.lock(kind, start, count)
        while true {
            // Safe: the record lives until the call ends.
            if withUnsafeMutablePointer(to: &lock, { fcntl(handle.number, SourceDescriptor.setLock, $0) }) == 0 { return true }
            switch errno {
            case EINTR: continue
            case EAGAIN, EACCES: return false
            case ENOLCK, EINVAL, EOPNOTSUPP, ENOSYS: return true
            default: throw .system(handle.path, errno)
            }
        }
    }

    private static func lock(_ kind: Int32, _ start: Int64, _ count: Int64) -> flock {
        flock(l_type: Int16(kind), l_whence: Int16(SEEK_SET), l_start: off_t(start), l_len: off_t(count), l_pid: 0)
    }
}
