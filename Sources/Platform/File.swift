/// An open file with a descriptor of its own, so byte locks taken through it belong to it alone.
///
/// A mapping keeps an open file description alive even in a forked child, and with it its locks. So the file that
/// carries liveness locks is opened separately from the one that is mapped.
public protocol File: AnyObject, Sendable {
    /// The path it was opened with, for messages.
    var path: String { get }

    // MARK: Bytes

    /// Reads until the buffer is full or the file ends.
    /// - Returns: the number of bytes read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Int

    /// Writes the whole buffer, or throws (then any part of it may have been written).
    func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(SystemError)

    /// Writes the whole buffer in short calls, so that other writers of the file hardly wait: the kernel admits one
    /// writing call at a time.
    func writeInShortCalls(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(SystemError)

    /// Makes everything written through any descriptor of the file before this call durable. After a failure the
    /// written pages may be gone although a later call succeeds.
    func synchronizeData() throws(SystemError)

    /// Makes all changes on the file's file system durable, names too.
    func synchronizeFileSystem() throws(SystemError)

    /// Writes the range's changed pages to the disk and waits for them. This makes nothing durable. A failure means the
    /// same as in `synchronizeData`, which does not report it again through the same descriptor.
    func writeBack(offset: Int, length: Int) throws(SystemError)

    /// The length in bytes.
    func length() throws(SystemError) -> Int

    /// Cuts the file, or extends it with a hole.
    func setLength(_ length: Int) throws(SystemError)

    /// Extends the file to at least this length; the new part reads as zeros. It never gets shorter, and none of its
    /// bytes changes, even if other processes extend it or write into it meanwhile.
    func extend(to length: Int) throws(SystemError)

    /// Writes zeros, so that later writes into the range neither allocate nor change the file's length.
    func allocate(offset: Int, length: Int) throws(SystemError)

    /// Frees the range's storage; it then reads as zeros.
    /// - Returns: false if the file system does not support it.
    func punchHole(offset: Int, length: Int) throws(SystemError) -> Bool

    /// Tells the kernel how the range will be used. Only a hint.
    func advise(_ advice: AccessAdvice, offset: Int, length: Int)

    // MARK: Identity

    /// The present device, inode, links, length, permissions and owner.
    func status() throws(SystemError) -> FileStatus

    /// The part of `status` that a writer reads before every commit, without the file's times: reading the times of a
    /// file makes the very next write update them and add a journal entry.
    func standing() throws(SystemError) -> FileStanding

    /// Sets permissions and owner group to those of `status`. If the group cannot be set, it is left unchanged and gets
    /// only the permissions of others.
    func setPermissions(like status: FileStatus) throws(SystemError)

    /// The type of the file's file system.
    func fileSystem() throws(SystemError) -> FileSystemStatus

    // MARK: Memory

    /// Maps the file, shared, from its start. The range may extend beyond the file's end: growth becomes visible there.
    /// If the system refuses `reserve` bytes, half of it is tried, down to `minimum`.
    /// - Parameter dontFork: a child process does not inherit the range; it is inaccessible there.
    func map(
        reserve: Int, minimum: Int, writable: Bool, dontFork: Bool
    ) throws(SystemError) -> Mapping

    // MARK: Byte locks (of the open file description; any offset, also beyond the end)

    /// Takes, upgrades or downgrades the lock of one byte.
    /// - Parameter exclusive: requires a file opened for writing; otherwise the lock is shared.
    /// - Returns: false if another descriptor's lock is in the way.
    func tryLock(byte: Int, exclusive: Bool) throws(SystemError) -> Bool

    /// Repeats `tryLock` with pauses until the timeout.
    func lock(byte: Int, exclusive: Bool, timeoutMilliseconds: Int) throws(SystemError) -> Bool

    /// Releases the byte. In a forked child it does nothing: the lock is the parent's.
    func unlock(byte: Int) throws(SystemError)

    /// Whether any other descriptor, of any process, holds a lock on the byte.
    func isLocked(byte: Int) throws(SystemError) -> Bool

    /// Whether any other descriptor, of any process, holds a lock on any byte of a nonempty range.
    func isLocked(bytes: Range<Int>) throws(SystemError) -> Bool

    /// Closes the descriptor, which releases its locks (unless a mapping or a forked child still holds it). A second
    /// call does nothing; any other call afterwards is a defect.
    func close()
}
