/// Everything Freehold asks of the operating system that is not a call on an open file.
///
/// `LinuxSystem.shared` is the real one. The test kit has a simulated one, in which each simulated process is a `System`
/// of its own over common files; so nothing above this seam may keep state "per process" in a global: key it by the
/// identity of the `System` in use.
///
/// What can happen to a correct program is thrown as `SystemError` or is a result; what only a defect of ours can cause
/// (a bad descriptor, a bad address, an invalid argument) stops the process with a message.
public protocol System: AnyObject, Sendable {
    // MARK: Files and directories

    /// Opens `path`. Every descriptor is close-on-exec.
    func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> any File

    /// Removes the name of a file (or FIFO); processes that have it open keep it.
    func removeFile(_ path: String) throws(SystemError)

    /// Removes an empty directory.
    func removeDirectory(_ path: String) throws(SystemError)

    /// Gives `source` the name `destination`, replacing what had it, atomically.
    func renameFile(_ source: String, to destination: String) throws(SystemError)

    /// Gives `source` the name `destination` unless that is taken, atomically: then an error (`ErrorNumber.exists`), and nothing changes.
    func renameFile(_ source: String, toNew destination: String) throws(SystemError)

    /// What `path` names now, following symbolic links; nil if nothing.
    func status(of path: String) throws(SystemError) -> FileStatus?

    /// The path with every symbolic link resolved, so that auxiliary files stand beside the real one.
    func resolvePath(_ path: String) throws(SystemError) -> String

    /// What the symbolic link at `path` says; nil if that is no symbolic link.
    func linkTarget(of path: String) throws(SystemError) -> String?

    /// Makes a directory.
    /// - Returns: false if something of that name was there already; an error (`ErrorNumber.notADirectory`) if that is a symbolic link.
    func makeDirectory(_ path: String, permissions: UInt32) throws(SystemError) -> Bool

    /// The names in a directory, without `.` and `..`, sorted. An error if `path` names a symbolic link.
    func listDirectory(_ path: String) throws(SystemError) -> [String]

    /// Makes created, removed and renamed names in the directory durable. An error (`ErrorNumber.accessDenied`) if this user may not read it.
    func synchronizeDirectory(_ path: String) throws(SystemError)

    /// Sets permissions and owner group of `path`, which this user has made, to those of `status`. A group that may not be set is left as it
    /// is, and gets no more than everybody. An error (`ErrorNumber.notPermitted`) if `path` names another user's file, a symbolic link or
    /// one of several names of a file.
    func setPermissions(of path: String, like status: FileStatus) throws(SystemError)

    /// The kind of file system that holds `path`.
    func fileSystem(of path: String) throws(SystemError) -> FileSystemStatus

    // MARK: Memory

    /// Gives a mapping's addresses back. Nobody may hold a pointer into it. In a forked child it does nothing: the range
    /// stays reserved there, so that a stale pointer faults.
    func unmap(_ mapping: Mapping)

    // MARK: Encryption

    /// The library that encrypts, loaded at the first call; throws if there is none.
    func loadCryptography() throws(SystemError) -> any Cryptography

    // MARK: Clock, randomness, identity

    /// A clock that never goes back, comparable between the processes of one boot.
    var monotonicNanoseconds: UInt64 { get }

    /// Nanoseconds since 1970-01-01 UTC.
    var wallClockNanoseconds: Int64 { get }

    /// Fills `buffer` with random bytes fit for keys.
    func fillRandom(_ buffer: UnsafeMutableRawBufferPointer)

    /// Which boot of which machine this is; nil if it cannot be told (which counts as "another one").
    var bootIdentity: BootIdentity? { get }

    /// Tells pid namespaces apart; 0 if it cannot be told.
    var processNamespace: UInt64 { get }

    /// C library, word size and mutex layout: processes whose tags differ may not share a robust mutex.
    var layoutTag: UInt32 { get }

    /// Id and name of this process, for messages only; nothing is decided by it.
    var process: ProcessIdentity { get }

    /// The user on whose behalf this process opens files.
    var userID: UInt32 { get }

    /// Distinguishes the threads of this process, also from those that have ended.
    var threadIdentity: UInt { get }

    /// How many forks lie between the process that loaded the library and this one. What was opened under another
    /// generation may only be closed.
    var forkGeneration: UInt32 { get }

    /// Where the number stands that a hot path may compare with what it was when it opened, instead of calling
    /// `forkGeneration`: it changes in a forked child, and stays readable there.
    var forkGenerationWord: UnsafePointer<UInt32> { get }

    // MARK: Waiting

    /// Sleeps until `wake` is called for the word, unless it differs from `value` already. The word may lie in a shared
    /// mapping. May wake without reason: re-read the word after every return.
    func wait(
        on word: UnsafePointer<UInt32>, whileEqual value: UInt32, timeoutMilliseconds: Int
    ) -> WaitOutcome

    /// Wakes up to `count` waiters of the word, of all processes.
    func wake(_ word: UnsafePointer<UInt32>, count: Int)

    /// Sleeps.
    func sleep(milliseconds: Int)

    /// Runs `body` on a new thread of this process.
    func startThread(_ name: StaticString, _ body: @escaping @Sendable () -> Void) throws(SystemError)

    // MARK: Robust mutexes in shared memory (`RobustMutex` has size, alignment and rules)

    /// Makes a new, free mutex of whatever bytes are there.
    func initializeMutex(at address: UnsafeMutableRawPointer)

    /// Takes the mutex, waiting up to the bound.
    func lockMutex(at address: UnsafeMutableRawPointer, timeoutMilliseconds: Int) -> MutexOutcome

    /// Takes the mutex if that needs no wait; else `.timedOut`.
    func tryLockMutex(at address: UnsafeMutableRawPointer) -> MutexOutcome

    /// Declares what the mutex guards repaired, after `.ownerDied` and before unlocking.
    func makeMutexConsistent(at address: UnsafeMutableRawPointer)

    /// Gives the mutex back.
    /// - Returns: false if this thread does not own it (any more): another pid namespace has taken it away.
    @discardableResult
    func unlockMutex(at address: UnsafeMutableRawPointer) -> Bool

    // MARK: Notify pipes

    /// Makes a FIFO.
    /// - Returns: false if something of that name was there already.
    func makeNotifyPipe(_ path: String, permissions: UInt32) throws(SystemError) -> Bool

    /// Opens a FIFO to be told through it.
    func openNotifyPipeForReading(_ path: String) throws(SystemError) -> any NotifyPipe

    /// Opens a FIFO to tell its reader; nil if nobody has it open for reading, or it is gone.
    func openNotifyPipeForWriting(_ path: String) throws(SystemError) -> (any NotifyPipe)?

    // MARK: Tests

    /// A named moment, where tests kill, stop or interleave processes. Call it through the free function `point`.
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
