import Platform

/// Opens the session of a file for one process: begins it or joins it.
///
/// ```
/// session byte of the data inode
///   free ──exclusive──▶ recover, make the lock file, claim a slot, ready ──downgrade──▶ shared
///   held exclusively    wait: someone begins or ends the session
///   held shared         ready, of this file, and somebody lives in it: claim a slot.  Else: wait, in the end refuse;
///                       longer for processes that are just joining or leaving
/// ```
/// 1. The byte belongs to the data inode, so a removed lock file, a hard link or a renamed file cannot make a second
///    session: a lock file that does not fit while others hold the byte is refused.
/// 2. Only a process that holds the byte exclusively recovers, creates a lock file, or removes one. A process that may
///    not write the file cannot hold it so, and begins a session another way (`openReadOnly`).
/// 3. All members of a session hold its own byte of the data inode, and no process becomes one beside another session
///    (`becomeMember`).
final class SessionOpener {
    let paths: SessionPaths
    let options: SessionOptions
    let system: any System
    let verifier: any RootVerifier
    let file: any File
    let liveness: any File
    let status: FileStatus
    let isWritable: Bool
    /// Whether it may not join a session, because its mapping could show another file than the one that writers change.
    let mustReadAlone: Bool

    var identity: FileIdentity { status.identity }
    /// Whether other users may write the data file, and so the lock file, which has the same permissions.
    var isOpenToOthers: Bool { status.userID != system.userID || status.permissions & 0o022 != 0 }

    /// Time after which a lock file that still does not fit is refused.
    static let mismatchMilliseconds = 500

    init(
        _ path: String, _ options: SessionOptions, _ system: any System, _ verifier: any RootVerifier
    ) throws(FreeholdError) {
        self.options = options
        self.system = system
        self.verifier = verifier
        paths = options.inMemory
            ? try InMemoryLocation.paths(of: path, system) : try SessionPaths.resolve(path, system)
        isWritable = !options.readOnly
        let opened = try Self.openData(paths.data, options, system)
        (file, mustReadAlone) = isWritable ? (opened, false) : try FileSystemPolicy.copiedUp(opened, paths.data, system)
        do {
            status = try file.status()
            try FileSystemPolicy.check(file.fileSystem(), paths.data, isWritable: isWritable)
            liveness = try system.openFile(paths.data, isWritable ? .readWrite : .readOnly)
            guard try liveness.status().identity == status.identity else {
                throw FreeholdError(.fileReplaced, "the file was replaced while it was being opened", path: paths.data)
            }
        } catch {
            file.close()
            throw FreeholdError(any: error, "open the database")
        }
    }

    static func openData(
        _ path: String, _ options: SessionOptions, _ system: any System
    ) throws(FreeholdError) -> any File {
        let deadline = Deadline(options.openTimeoutMilliseconds, system)
        while true {
            do {
                return try system.openFile(path, options.readOnly ? .readOnly : .readWrite)
            } catch {
                guard error.code == ErrorNumber.notFound, options.createIfMissing, !options.readOnly else {
                    throw FreeholdError(error, "open the database")
                }
            }
            do {
                return try system.openFile(path, .createExclusive(permissions: options.fileMode))
            } catch {
                // Another process was faster: open its file. Or the path is a symbolic link that leads to nothing,
                // created since the path was resolved.
                guard error.code == ErrorNumber.exists else { throw FreeholdError(error, "make the database") }
                guard !deadline.hasPassed else {
                    throw FreeholdError(
                        .notFound, "the name is taken, and there is no file behind it: perhaps it is a symbolic link that leads to nothing",
                        path: path)
                }
                if try !isThere(path, system) { system.sleep(milliseconds: 1) }
            }
        }
    }

    private static func isThere(_ path: String, _ system: any System) throws(FreeholdError) -> Bool {
        try translating("look for the file") { () throws(SystemError) in try system.status(of: path) != nil }
    }

    /// Releases everything, when this process turns out to be in the session already.
    func abandon() {
        file.close()
        liveness.close()
    }

    /// Begins the session or joins it.
    func open(
        _ initial: MakeInitialContent
    ) throws(FreeholdError) -> Session {
        point("open.start", system)
        do throws(FreeholdError) {
            return isWritable ? try openWritable(initial) : try openReadOnly(initial)
        } catch {
            abandon()
            throw error
        }
    }

    private func openWritable(
        _ initial: MakeInitialContent
    ) throws(FreeholdError) -> Session {
        let deadline = Deadline(options.openTimeoutMilliseconds, system)
        // Counts from when the lock file was first seen not to fit: an opener that was stopped before has seen nothing
        // yet.
        var mismatch: Deadline?
        while true {
            if try lockSession(exclusive: true) {
                point("open.sessionLocked", system)
                return try begin(initial)
            }
            if try lockSession(exclusive: false) {
                let outcome = try join()
                if case .joined(let session) = outcome { return session }
                try unlockSession()
                if case .refused(let complaint) = outcome {
                    if mismatch?.hasPassed ?? false { throw complaint }
                    if mismatch == nil { mismatch = Deadline(Self.mismatchMilliseconds, system) }
                }
            }
            guard !deadline.hasPassed else { throw stillChanging() }
            system.sleep(milliseconds: 1)
        }
    }

    func lockSession(exclusive: Bool) throws(FreeholdError) -> Bool {
        try translating("lock the file") { () throws(SystemError) in
            try liveness.tryLock(byte: LivenessByte.session, exclusive: exclusive)
        }
    }

    func unlockSession() throws(FreeholdError) {
        try translating("unlock the file") { () throws(SystemError) in
            try liveness.unlock(byte: LivenessByte.session)
        }
    }

    func stillChanging() -> FreeholdError {
        FreeholdError(
            .busy, "another process has been opening or closing the database for "
                + "\(options.openTimeoutMilliseconds) ms; if it is stopped, continue or end it", path: paths.data)
    }
}
