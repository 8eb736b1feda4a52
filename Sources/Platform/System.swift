/// The operating system, except for calls on an open file.
///
/// `LinuxSystem.shared` is the real one. The test kit has a simulated one, in which each simulated process is a
/// `System` of its own over common files. So code above this seam must not keep state "per process" in a global: key it
/// by the identity of the `System` in use.
///
/// Failures that a correct program can meet are thrown as `SystemError` or are results; failures that only a defect of
/// this library can cause (a bad descriptor, a bad address, an invalid argument) stop the process with a message.
public protocol System: AnyObject, Sendable {
    // MARK: Files and directories

    /// Opens `path`. Every descriptor is close-on-exec.
    func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> any File

    /// Removes the name of a file (or FIFO); processes that have it open keep it.
    func removeFile(_ path: String) throws(SystemError)

    /// Removes an empty directory.
    func removeDirectory(_ path: String) throws(SystemError)

    /// Renames `source` to `destination`, replacing an existing one, atomically.
    func renameFile(_ source: String, to destination: String) throws(SystemError)

    /// Renames `source` to `destination` unless that exists, atomically: then an error (`ErrorNumber.exists`), and
    /// nothing changes.
    func renameFile(_ source: String, toNew destination: String) throws(SystemError)

    /// The status of the file that `path` names, following symbolic links; nil if there is none.
    func status(of path: String) throws(SystemError) -> FileStatus?

    /// The path with every symbolic link resolved, so that auxiliary files are placed next to the real file.
    func resolvePath(_ path: String) throws(SystemError) -> String

    /// The target of the symbolic link at `path`; nil if that is not a symbolic link.
    func linkTarget(of path: String) throws(SystemError) -> String?

    /// Creates a directory.
    /// - Returns: false if the name exists already; an error (`ErrorNumber.notADirectory`) if that is a symbolic link.
    func makeDirectory(_ path: String, permissions: UInt32) throws(SystemError) -> Bool

    /// The names in a directory, without `.` and `..`, sorted. An error if `path` names a symbolic link.
    func listDirectory(_ path: String) throws(SystemError) -> [String]

    /// Makes created, removed and renamed names in the directory durable. An error (`ErrorNumber.accessDenied`) if this
    /// user may not read it.
    func synchronizeDirectory(_ path: String) throws(SystemError)

    /// Sets permissions and owner group of `path`, which this user has created, to those of `status`. If the group
    /// cannot be set, it is left unchanged and gets only the permissions of others. An error
    /// (`ErrorNumber.notPermitted`) if `path` names another user's file, a symbolic link or one of several names of a
    /// file.
    func setPermissions(of path: String, like status: FileStatus) throws(SystemError)

    /// The type of the file system of `path`.
    func fileSystem(of path: String) throws(SystemError) -> FileSystemStatus

    // MARK: Memory

    /// Unmaps a mapping. No pointer into it may be in use. In a forked child it does nothing: the range stays reserved
    /// there, so that a stale pointer faults.
    func unmap(_ mapping: Mapping)

    // MARK: Encryption

    /// The encryption library, loaded at the first call; throws if it is not installed.
    func loadCryptography() throws(SystemError) -> any Cryptography

    /// A stemmer of one of Snowball's algorithms, such as `german`. An error if libstemmer is not installed
    /// (`ErrorNumber.notFound`) or has no such algorithm (`ErrorNumber.notSupported`).
    func makeStemmer(_ algorithm: String) throws(SystemError) -> any Stemmer

    /// A collator of ICU for a BCP 47 language tag, such as `de-u-co-phonebk-kn`. ICU is loaded at the first call.
    func makeCollator(_ tag: String) throws(CollatorError) -> any Collator

    // MARK: Clock, randomness, identity

    /// A monotonic clock, comparable between the processes of one boot.
    var monotonicNanoseconds: UInt64 { get }

    /// Nanoseconds since 1970-01-01 UTC.
    var wallClockNanoseconds: Int64 { get }

    /// Fills `buffer` with random bytes that are suitable for keys.
    func fillRandom(_ buffer: UnsafeMutableRawBufferPointer)

    /// Identifies the boot of this machine; nil if it is unknown (which counts as "another one").
    var bootIdentity: BootIdentity? { get }

    /// Distinguishes pid namespaces; 0 if it is unknown.
    var processNamespace: UInt64 { get }

    /// C library, word size and mutex layout: processes whose tags differ may not share a robust mutex.
    var layoutTag: UInt32 { get }

    /// Id and name of this process, for messages only; no decision depends on it.
    var process: ProcessIdentity { get }

    /// The user as whom this process opens files.
    var userID: UInt32 { get }

    /// Distinguishes the threads of this process, also from those that have ended.
    var threadIdentity: UInt { get }

    /// Number of forks between the process that loaded the library and this one. Files and databases opened in another
    /// generation may only be closed.
    var forkGeneration: UInt32 { get }

    /// The address of a number for hot paths to compare with its value at opening, instead of calling `forkGeneration`:
    /// it changes in a forked child, and stays readable there.
    var forkGenerationWord: UnsafePointer<UInt32> { get }

    // MARK: Waiting

    /// Sleeps until `wake` is called for the word, unless it already differs from `value`. The word may be in a shared
    /// mapping. May wake spuriously: re-read the word after every return.
    func wait(
        on word: UnsafePointer<UInt32>, whileEqual value: UInt32, timeoutMilliseconds: Int
    ) -> WaitOutcome

    /// Wakes up to `count` waiters of the word, in all processes.
    func wake(_ word: UnsafePointer<UInt32>, count: Int)

    /// Sleeps.
    func sleep(milliseconds: Int)

    /// Runs `body` on a new thread of this process.
    func startThread(_ name: StaticString, _ body: @escaping @Sendable () -> Void) throws(SystemError)

    // MARK: Robust mutexes in shared memory (`RobustMutex` has size, alignment and rules)

    /// Initialises a new, free mutex, whatever bytes are there.
    func initializeMutex(at address: UnsafeMutableRawPointer)

    /// Takes the mutex, waiting until the timeout.
    func lockMutex(at address: UnsafeMutableRawPointer, timeoutMilliseconds: Int) -> MutexOutcome

    /// Takes the mutex if no wait is needed; else `.timedOut`.
    func tryLockMutex(at address: UnsafeMutableRawPointer) -> MutexOutcome

    /// Declares the guarded state repaired, after `.ownerDied` and before unlocking.
    func makeMutexConsistent(at address: UnsafeMutableRawPointer)

    /// Releases the mutex.
    /// - Returns: false if this thread does not own it, or no longer does: another pid namespace has taken it.
    @discardableResult
    func unlockMutex(at address: UnsafeMutableRawPointer) -> Bool

    // MARK: Notify pipes

    /// Creates a FIFO.
    /// - Returns: false if the name exists already.
    func makeNotifyPipe(_ path: String, permissions: UInt32) throws(SystemError) -> Bool

    /// Opens a FIFO for receiving notifications.
    func openNotifyPipeForReading(_ path: String) throws(SystemError) -> any NotifyPipe

    /// Opens a FIFO for notifying its reader; nil if no process has it open for reading, or it does not exist.
    func openNotifyPipeForWriting(_ path: String) throws(SystemError) -> (any NotifyPipe)?

    // MARK: Tests

    /// A named point at which tests kill, stop or interleave processes. Call it through the free function `point`.
    func point(_ name: StaticString)
}

extension System {
    /// For systems whose processes never fork: a word that never changes.
    public var forkGenerationWord: UnsafePointer<UInt32> { neverForks }
}

/// Safe unchecked: made once, never changed, never freed.
private nonisolated(unsafe) let neverForks: UnsafePointer<UInt32> = {
    let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
    word.initialize(to: 0)
    return UnsafePointer(word)
}()
