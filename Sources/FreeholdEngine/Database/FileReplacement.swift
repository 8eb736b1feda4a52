import Platform

/// Rewrites a file, object by object, and replaces it by the new one, while no process has it open.
///
/// ```
/// copy one version ──▶ session byte exclusively ──▶ nothing committed since? ──▶ remove the auxiliary files ──▶ rename
///        ▲                                                   │ else
///        └───────────────────────────────────────────────────┘
/// ```
/// 1. What is compared is the version that was copied, not the one that is newest after copying.
/// 2. From the comparison to the rename the session byte of the old file is held, so nobody opens it and commits.
/// 3. The auxiliary files are removed before the rename: those found afterwards belong to whoever has opened the new file.
/// 4. The new file is whole and flushed before it gets the name. A process that is opening the old one finds that its name leads to another
///    file, and begins again (`SessionRegistry`).
struct FileReplacement {
    let path: String
    let options: OpenOptions
    let system: any System

    private static let mostAttempts = 3

    func run() throws -> CompactReport {
        let paths = try SessionPaths.resolve(path, system)
        for _ in 0..<Self.mostAttempts {
            if let lengths = try attempt(paths) {
                return CompactReport(lengthBefore: lengths.before, lengthAfter: lengths.after, passes: 1, movedBlocks: 0)
            }
        }
        throw inUse(paths)
    }

    /// Returns the lengths before and after; nil if others have written meanwhile.
    private func attempt(_ paths: SessionPaths) throws -> (before: UInt64, after: UInt64)? {
        let permissions = try permissions(paths)
        let unfinished = try UnfinishedFile(for: paths.data, permissions: permissions, system)
        defer { unfinished.end() }
        let source = try copy(paths, to: unfinished.path)
        point("replace.copied", system)
        let old = try requireAlone(paths)
        defer { old.close() }
        point("replace.alone", system)
        do {
            let before = try old.status()
            guard try source.isNewest(in: old) else { return nil }
            try unfinished.setPermissions(like: before)
            let after = try unfinished.length()
            removeAuxiliaryFiles(paths, system)
            try SyncSidecar.forgetClosed(paths, like: old, system)
            point("replace.cleared", system)
            try unfinished.replace(paths.data)
            return (UInt64(before.length), UInt64(after))
        } catch { throw FreeholdError(any: error, "put the compacted file in place") }
    }

    private func permissions(_ paths: SessionPaths) throws -> UInt32 {
        let file = try requireAlone(paths)
        defer { file.close() }
        return try translating("read the status of the database") { () throws(SystemError) in try file.status().permissions }
    }

    private func copy(_ paths: SessionPaths, to temporary: String) throws -> StoredVersion {
        let source = try Database.open(paths.data, options, on: system)
        defer { source.close() }
        let snapshot = try source.snapshot()
        defer { snapshot.end() }
        let copy = DatabaseCopy(
            source: source, path: temporary, system: system, key: options.encryptionKey, content: .snapshot(snapshot), options: options,
            keepsIdentity: true)
        try copy.fill(temporary)
        return snapshot.storedVersion
    }

    /// The file that has the name, held so that nobody can open the database.
    private func requireAlone(_ paths: SessionPaths) throws(FreeholdError) -> any File {
        let file: any File
        do { file = try system.openFile(paths.data, .readWrite) } catch { throw FreeholdError(error, "open the database") }
        let isAlone = try translating("lock the file") { () throws(SystemError) in
            guard try file.tryLock(byte: LivenessByte.session, exclusive: true) else { return false }
            return try system.status(of: paths.data)?.identity == file.status().identity
        }
        if isAlone { return file }
        file.close()
        throw inUse(paths)
    }

    private func inUse(_ paths: SessionPaths) -> FreeholdError {
        FreeholdError(.inUse, "the database is open; close it in all processes first, or compact it in place", path: paths.data)
    }
}
