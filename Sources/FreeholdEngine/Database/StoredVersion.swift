import Platform

/// A version of a file, and the session it was read in. Once the file is closed, it can check whether anything was
/// committed since.
public struct StoredVersion: Sendable {
    let identity: FileIdentity
    /// Random for each file: a file created after this one was deleted may have the same inode number, session number and version.
    let file: FileIdentifier
    let session: UInt64
    let version: UInt64

    init(_ snapshot: Snapshot) {
        let session = snapshot.core.session
        (identity, file) = (session.file.identity, session.header.file)
        (self.session, version) = (session.member.sessionNumber, snapshot.root.version)
    }

    /// Whether `file` is the same file and nothing was committed in it since. The caller holds its session byte exclusively.
    func isNewest(in file: any File) throws(SystemError) -> Bool {
        guard try file.status().identity == identity, try FirstPage(of: file).header?.file == self.file else { return false }
        return try file.standsStill(at: version, of: session)
    }
}

extension Snapshot {
    /// Identifies the version in its file, for `Database.deleteFiles(at:inMemory:unlessChangedSince:)`.
    public var storedVersion: StoredVersion { StoredVersion(self) }
}

extension DatabaseFiles {
    /// Removes the database if it is as it was judged; see `Database.deleteFiles(at:inMemory:unlessChangedSince:)`.
    static func delete(
        _ path: String, inMemory: Bool, unlessChangedSince judged: StoredVersion, _ system: any System
    ) throws(FreeholdError) -> Bool {
        do throws(FreeholdError) {
            return try delete(path, inMemory: inMemory, system) { file throws(SystemError) in try judged.isNewest(in: file) }
        } catch {
            // Another process has deleted it, or put another file in its place.
            guard error.code == .notFound || error.code == .fileReplaced else { throw error }
            return false
        }
    }
}
