/// One open file: a descriptor of its own, so byte locks taken through it belong to it alone.
///
/// A mapping keeps an open file description alive even in a forked child, and with it its locks. So the file that
/// carries liveness locks is opened apart from the one that is mapped.
public protocol File: AnyObject, Sendable {
    /// The path it was opened by, for messages.
    var path: String { get }

    // MARK: Bytes

    /// Reads until the buffer is full or the file ends.
    /// - Returns: the number of bytes read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Int

    /// Writes the whole buffer, or throws (then any part of it may have been written).
    func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(SystemError)

    /// Writes the whole buffer in short calls, so that others who write into the file hardly wait: the kernel lets one
    /// call at a time write into it.
    func writeInShortCalls(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(SystemError)

    /// Makes everything written through any descriptor of the file before this call durable. After a failure the
    /// written pages may be gone although a later call succeeds.
    func synchronizeData() throws(SystemError)

    /// Makes all changes on the file's file system durable, names too.
    func synchronizeFileSystem() throws(SystemError)

    /// Writes the range's changed pages to the disk and waits until they are there. Nothing is durable by it; a failure means what it
    /// does in `synchronizeData`, which through the same descriptor does not tell of it again.
    func writeBack(offset: Int, length: Int) throws(SystemError)

    /// The length in bytes.
    func length() throws(SystemError) -> Int

    /// Cuts the file, or extends it by a hole.
    func setLength(_ length: Int) throws(SystemError)

    /// Extends the file to at least this length; the new part reads as zeros. It never gets shorter, and no byte of it
    /// changes, whichever process extends it or writes into it meanwhile.
    func extend(to length: Int) throws(SystemError)

    /// Writes zeros, so that later writes into the range neither allocate nor change the file's length.
    func allocate(offset: Int, length: Int) throws(SystemError)

    /// Gives the range's storage back; it then reads as zeros.
    /// - Returns: false where the file system cannot.
    func punchHole(offset: Int, length: Int) throws(SystemError) -> Bool

    /// Tells the kernel how the range will be used. Only ever a hint.
    func advise(_ advice: AccessAdvice, offset: Int, length: Int)

    // MARK: Identity

    /// Device, inode, links, length, permissions and owner as they are now.
    func status() throws(SystemError) -> FileStatus

    /// The part of `status` that a writer looks at before every commit, without the file's times: a file whose times
    /// were asked for gets new ones, and a journal entry for them, with its very next write.
    func standing() throws(SystemError) -> FileStanding

    /// Sets permissions and owner group to those of `status`; a group that may not be set is left as it is, and gets no
    /// more than everybody.
    func setPermissions(like status: FileStatus) throws(SystemError)

    /// The kind of file system that holds the file.
    func fileSystem() throws(SystemError) -> FileSystemStatus

    // MARK: Memory

    /// Maps the file, shared, from its start. The range may reach beyond the file's end: growth becomes visible there.
    /// If the system refuses `reserve` bytes, half of it is tried, down to `minimum`.
    /// - Parameter dontFork: a child process does not inherit the range; there it is left inaccessible.
    func map(
        reserve: Int, minimum: Int, writable: Bool, dontFork: Bool
    ) throws(SystemError) -> Mapping

    // MARK: Byte locks (of the open file description; any offset, also beyond the end)

    /// Takes, upgrades or downgrades the lock of one byte.
    /// - Parameter exclusive: needs a file opened for writing; otherwise the lock is shared.
    /// - Returns: false if another descriptor's lock is in the way.
    func tryLock(byte: Int, exclusive: Bool) throws(SystemError) -> Bool

    /// `tryLock`, repeated with pauses up to the bound.
    func lock(byte: Int, exclusive: Bool, timeoutMilliseconds: Int) throws(SystemError) -> Bool

    /// Releases the byte. In a forked child it does nothing: the lock is the parent's.
    func unlock(byte: Int) throws(SystemError)

    /// Whether any other descriptor, of whatever process, holds a lock on the byte.
    func isLocked(byte: Int) throws(SystemError) -> Bool

    /// Whether any other descriptor, of whatever process, holds a lock on any byte of a range that is not empty.
    func isLocked(bytes: Range<Int>) throws(SystemError) -> Bool

    /// Closes the descriptor, and so releases its locks (unless a mapping or a forked child still holds it). A second
    /// call does nothing; any other call afterwards is a defect.
    func close()
}
