import Platform

/// What a file with synced classes has been to the server, kept beside it: in `x.freehold.management/sync`. A file that was put back to
/// an older state, or that is another file's copy, does not fit to it.
///
/// ```
///  0  magic "FHsync 1"
///  8  replica, 16 bytes     the identity that the file had
/// 24  sealed u64            the last epoch that it may have sent; 0 for none
/// 32  closed u64            the version at the end of the last session; 0 before the first end
/// 40  session u64           the last session that began with the file
/// 48  checksum u64
/// ```
/// 1. A sidecar that is missing or damaged says that the file is a copy. So no write of it has to be whole or durable for safety, and
///    removing it is always right.
/// 2. It is written by the owner of the writer lock, or of the session byte.
/// 3. It is written before what it allows: a new identity before the commit that gives it, an epoch before that is sent, a session before
///    its first commit. `closed` is written after that version is durable.
/// 4. Epochs and sessions are durable before what they allow: a copy may have the commits that a power cut takes from the file.
struct SyncSidecar: HeaderRecord, Equatable {
    var replica: ReplicaIdentity
    var sealed: UInt64
    var closed: UInt64
    var session: UInt64

    static let magic: UInt64 = 0x3120_636E_7973_4846  // "FHsync 1"
    static let byteCount = 56
    static let layout = [
        LayoutField("magic", 0, 8), LayoutField("replica", 8, 16), LayoutField("sealed", 24, 8), LayoutField("closed", 32, 8),
        LayoutField("session", 40, 8), LayoutField("checksum", 48, 8),
    ]

    init(replica: ReplicaIdentity, sealed: UInt64 = 0, closed: UInt64 = 0, session: UInt64) {
        self.replica = replica
        self.sealed = sealed
        self.closed = closed
        self.session = session
    }

    init?(fields: RecordFields) {
        self.init(replica: ReplicaIdentity(high: fields[8], low: fields[16]), sealed: fields[24], closed: fields[32],
                  session: fields[40])
    }

    func write(to fields: RecordFields) {
        fields[8] = replica.high
        fields[16] = replica.low
        fields[24] = sealed
        fields[32] = closed
        fields[40] = session
    }

    // MARK: The file

    /// The sidecar of a database; nil if there is none that can be read.
    static func read(_ paths: SessionPaths, _ system: any System) throws(FreeholdError) -> SyncSidecar? {
        let file: any File
        do { file = try system.openFile(paths.syncSidecar, .readWriteUnlinked) } catch {
            if error.code == ErrorNumber.notFound || error.code == ErrorNumber.notADirectory { return nil }
            throw FreeholdError(error, "read what the file has been to the server")
        }
        defer { file.close() }
        var found: SyncSidecar?
        let count = byteCount
        do throws(SystemError) {
            // Safe: read into, and from, a buffer of the record's length.
            try withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { buffer throws(SystemError) in
                guard try file.read(into: buffer, at: 0) == count, let start = buffer.baseAddress else { return }
                found = read(at: start)
            }
        } catch { throw FreeholdError(error, "read what the file has been to the server") }
        return found
    }

    /// Writes the sidecar of a database, with permissions like those of the database.
    ///
    /// - Parameter isDurable: whether it is on the disk when this returns.
    func write(_ paths: SessionPaths, like data: any File, isDurable: Bool, _ system: any System) throws(FreeholdError) {
        do throws(SystemError) {
            let (file, isNew) = try Self.open(paths, like: data, system)
            defer { file.close() }
            try withBytes { bytes throws(SystemError) in try file.write(bytes, at: 0) }
            guard isDurable else { return }
            try file.synchronizeData()
            if isNew {
                try file.synchronizeName(paths.syncSidecar, system)
                try file.synchronizeName(paths.management, system)
            }
        } catch { throw FreeholdError(error, "write down what the file is to the server") }
    }

    private static func open(
        _ paths: SessionPaths, like data: any File, _ system: any System
    ) throws(SystemError) -> (any File, isNew: Bool) {
        var status = try data.status()
        // This throws for a symbolic link.
        try paths.makeManagement(like: status, system)
        do { return (try system.openFile(paths.syncSidecar, .readWriteUnlinked), false) } catch {
            guard error.code == ErrorNumber.notFound else { throw error }
        }
        let file = try system.openFile(paths.syncSidecar, .createExclusive(permissions: 0o600))
        status.permissions &= 0o666
        do { try file.setPermissions(like: status) } catch {
            file.close()
            throw error
        }
        return (file, true)
    }

    /// Forgets the last version and session, if there is a sidecar: another file, with numbers of its own, takes the database's name.
    static func forgetClosed(_ paths: SessionPaths, like data: any File, _ system: any System) throws(FreeholdError) {
        guard var sidecar = try read(paths, system), sidecar.closed > 0 || sidecar.session > 0 else { return }
        (sidecar.closed, sidecar.session) = (0, 0)
        try sidecar.write(paths, like: data, isDurable: false, system)
    }

    /// Removes the sidecar of a database: the next writer to open it gives it another identity.
    static func remove(_ paths: SessionPaths, _ system: any System) throws(FreeholdError) {
        do { try system.removeFile(paths.syncSidecar) } catch {
            if error.code == ErrorNumber.notFound || error.code == ErrorNumber.notADirectory { return }
            throw FreeholdError(error, "remove what the file has been to the server")
        }
    }
}

// MARK: What a session does with it

extension Session.Parts {
    /// Removes the sidecar if commits may be lost: another session was under way, and did not end under this boot, a version is known to
    /// have been newer, or a session that the file knows nothing of. Called before the session writes its "in use" record, which hides
    /// these; so a process that is killed before leaves the same for the next one.
    ///
    /// - Parameters:
    ///   - newest: the newest version.
    ///   - highest: the highest version seen.
    func dropSidecarIfCommitsMayBeLost(_ newest: Root, highest: UInt64) throws(FreeholdError) {
        try SyncSidecar.dropIfCommitsMayBeLost(newest, highest: highest, file, place, paths, options, system)
    }

    /// Notes that a session has begun, after its "in use" record: a file that shows an earlier session to a later opener was put back.
    func noteSession(_ number: UInt64, _ newest: Root) throws(FreeholdError) {
        try SyncSidecar.note(session: number, newest, file, paths, options, system)
    }
}

extension Session {
    /// Does so in a session that a process without write permission has begun.
    func dropSidecarIfCommitsMayBeLost(_ newest: Root) throws(FreeholdError) {
        try SyncSidecar.dropIfCommitsMayBeLost(newest, highest: member.memory.versionFloor.load(), member.file, member.place, member.paths,
                                               member.options, member.system)
    }

    /// Does so in a session that a process without write permission has begun.
    func noteSession(_ newest: Root) throws(FreeholdError) {
        try SyncSidecar.note(session: member.sessionNumber, newest, member.file, member.paths, member.options, member.system)
    }

    /// A sidecar for an identity that the file gets in this session.
    func newSidecar(_ replica: ReplicaIdentity) -> SyncSidecar { SyncSidecar(replica: replica, session: member.sessionNumber) }

    /// The sidecar; nil if there is none that can be read, or none is kept.
    func syncSidecar() throws(FreeholdError) -> SyncSidecar? { try SyncSidecar.read(member.paths, system) }

    /// Whether the files of a database have a sidecar if it has synced classes.
    var keepsSyncSidecar: Bool { member.isWritable && !member.options.inMemory }

    /// Writes the sidecar. The caller owns the writer lock.
    func write(_ sidecar: SyncSidecar, isDurable: Bool = false) throws(FreeholdError) {
        if keepsSyncSidecar { try sidecar.write(member.paths, like: member.file.file, isDurable: isDurable, system) }
    }

    /// Notes the last version of a session, which is durable: a file that has an older one when it is opened was put back. The session byte
    /// is held exclusively.
    func closeSidecar() {
        let newest = member.memory.newest.read().root
        guard newest.writeFeatures & FormatFeatures.sync != 0, var sidecar = try? syncSidecar(),
              sidecar.closed != newest.version else { return }
        sidecar.closed = newest.version
        // Without it an older version is found: a file that was put back is noticed less often.
        try? write(sidecar)
    }
}

extension SyncSidecar {
    fileprivate static func dropIfCommitsMayBeLost(
        _ newest: Root, highest: UInt64, _ file: DataFile, _ place: FilePlace, _ paths: SessionPaths, _ options: SessionOptions,
        _ system: any System
    ) throws(FreeholdError) {
        guard newest.writeFeatures & FormatFeatures.sync != 0, !options.inMemory else { return }
        let before = file.read(InUseRecord.self, at: FileLayout.inUse)
        let wasCut = before.map { $0.isInUse && !$0.place.isSameBoot(as: place) } ?? false
        let isEarlier = try read(paths, system).map { $0.session > before?.session ?? 0 } ?? false
        if wasCut || isEarlier || highest > newest.version { try remove(paths, system) }
    }

    fileprivate static func note(
        session: UInt64, _ newest: Root, _ file: DataFile, _ paths: SessionPaths, _ options: SessionOptions, _ system: any System
    ) throws(FreeholdError) {
        guard newest.writeFeatures & FormatFeatures.sync != 0, !options.inMemory, var sidecar = try read(paths, system) else { return }
        sidecar.session = session
        try sidecar.write(paths, like: file.file, isDurable: true, system)
    }
}

extension SessionPaths {
    /// What the file has been to a sync server.
    var syncSidecar: String { management + "/sync" }

    /// Creates the folder for notify pipes and the sidecar: users who may read the file may enter, users who may write it may put
    /// something there.
    func makeManagement(like status: FileStatus, _ system: any System) throws(SystemError) {
        guard try system.makeDirectory(management, permissions: 0o700) else { return }
        var folder = status
        folder.permissions = status.permissions & 0o666 | (status.permissions & 0o444) >> 2
        try system.setPermissions(of: management, like: folder)
    }
}
