import Platform

extension Database {
    /// Removes the database at `path` with its auxiliary files; throws `.inUse` while any process has it open.
    public static func deleteFiles(at path: String, inMemory: Bool = false) throws(FreeholdError) {
        try DatabaseFiles.delete(path, inMemory: inMemory, LinuxSystem.shared)
    }

    /// Removes the database at `path` with all its files, unless something was committed in it: for a file that a
    /// program created and then did not fill.
    ///
    /// - Throws: `.inUse` while any process has it open.
    public static func deleteFilesIfNeverWritten(at path: String) throws(FreeholdError) {
        try DatabaseFiles.delete(path, inMemory: false, onlyIfNeverWritten: true, LinuxSystem.shared)
    }

    /// Removes the database at `path` with its auxiliary files, unless another process has committed in it since `judged` was read, has only
    /// opened it, or has put another file in its place.
    ///
    /// A program that deletes a database because of what it read there closes it first, and another program may do the same meanwhile: this
    /// deletes what was judged and nothing else.
    ///
    /// - Returns: false if the database is left as it is, or does not exist any more: open it again and judge anew.
    /// - Throws: `.inUse` while any process has it open.
    public static func deleteFiles(at path: String, inMemory: Bool = false, unlessChangedSince judged: StoredVersion) throws(FreeholdError) -> Bool {
        try DatabaseFiles.delete(path, inMemory: inMemory, unlessChangedSince: judged, LinuxSystem.shared)
    }

    /// Whether there is a database at `path`, or one in memory by that name.
    ///
    /// - Throws: `.permissionDenied` if that cannot be determined, `.invalidArgument` for an invalid name.
    public static func exists(at path: String, inMemory: Bool = false) throws(FreeholdError) -> Bool {
        do throws(FreeholdError) {
            let system = LinuxSystem.shared
            let paths = inMemory ? try InMemoryLocation.paths(of: path, system) : try SessionPaths.resolve(path, system)
            return try translating("look for the database") { () throws(SystemError) in try system.status(of: paths.data) } != nil
        } catch {
            if error.code == .notFound { return false }
            throw error
        }
    }

    /// Writes a compact copy of the newest version to `path`, which must not exist; others may write meanwhile.
    ///
    /// - Parameter encryption: the key of the copy; the copy has a data key of its own in any case.
    public func copy(to path: String, encryption: CopyEncryption = .same) throws {
        try copy(to: path, encryption: encryption, on: LinuxSystem.shared)
    }

    /// Writes a compact copy of a held version to `path`, which must not exist.
    public func copy(_ snapshot: Snapshot, to path: String, encryption: CopyEncryption = .same) throws {
        try copy(.snapshot(snapshot), to: path, encryption: encryption, on: LinuxSystem.shared)
    }

    /// Writes a compact copy of a write transaction's present state to `path`, which must not exist.
    public func copy(_ transaction: WriteTransaction, to path: String, encryption: CopyEncryption = .same) throws {
        try copy(.transaction(transaction), to: path, encryption: encryption, on: LinuxSystem.shared)
    }

    func copy(
        _ content: DatabaseCopy.Content? = nil, to path: String, encryption: CopyEncryption, _ options: OpenOptions = OpenOptions(),
        on system: any System
    ) throws {
        let target: EncryptionKey? = switch encryption {
        case .same: try key()
        case .key(let other): other
        case .none: nil
        }
        let copy = DatabaseCopy(source: self, path: path, system: system, key: target, content: content, options: options)
        try copy.run()
    }

    /// Changes the key that opens the database; the old one does not open it any more. Costs two small writes:
    /// encrypted data stays as it is, and processes that have the database open continue.
    ///
    /// Who knows the old key and kept an old copy of the file's first page can still read what is written later: where a
    /// key became known to others, make an encrypted copy under a new one. If this is cut off by a crash, both keys open the
    /// database until it is done again. Throws `.notEncrypted` for a plain file.
    public func changeKey(to key: EncryptionKey) throws(FreeholdError) {
        try core().session.changeKey(to: key, timeoutMilliseconds: lockTimeoutMilliseconds)
        noteKey(key)
    }
}

/// How a copy is encrypted.
public enum CopyEncryption: Sendable {
    /// As the source is: under the same key, or not.
    case same
    /// Encrypted under this key.
    case key(EncryptionKey)
    /// Not encrypted.
    case none
}
