import Platform

/// A file written anew, object by object, and put in the place of the one it was made from, while nobody has that open.
///
/// The new file is whole and flushed before it gets the name; who opens the database in that moment finds that its name leads
/// to another file by now and begins again (`SessionOpener`).
struct FileReplacement {
    let path: String
    let options: OpenOptions
    let system: any System

    func run() throws -> CompactReport {
        let paths = try SessionPaths.resolve(path, system)
        let temporary = paths.data + ".compacting"
        try requireAlone(paths).close()
        try NewFile.discard(temporary, system)
        do {
            var lengths: (UInt64, UInt64)?
            for _ in 0..<3 where lengths == nil { lengths = try replace(paths, by: temporary) }
            guard let lengths else { throw inUse(paths) }
            return CompactReport(lengthBefore: lengths.0, lengthAfter: lengths.1, passes: 1, movedBlocks: 0)
        } catch {
            try? NewFile.discard(temporary, system)
            throw error
        }
    }

    /// Returns the lengths before and after; nil if others have written meanwhile.
    private func replace(_ paths: SessionPaths, by temporary: String) throws -> (UInt64, UInt64)? {
        let version = try copy(paths, to: temporary)
        let old = try requireAlone(paths)
        defer { old.close() }
        do {
            guard try old.newestVersion() == version else {
                try NewFile.discard(temporary, system)
                return nil
            }
            let before = try old.status()
            try system.setPermissions(of: temporary, like: before)
            let after = try system.status(of: temporary)?.length ?? 0
            try system.renameFile(temporary, to: paths.data)
            try system.synchronizeDirectory(SessionPaths.folder(of: paths.data))
            removeAuxiliaryFiles(paths, system)
            return (UInt64(before.length), UInt64(after))
        } catch { throw FreeholdError(any: error, "put the compacted file in place") }
    }

    private func copy(_ paths: SessionPaths, to temporary: String) throws -> UInt64 {
        let source = try Database.open(paths.data, options, on: system)
        defer { source.close() }
        try DatabaseCopy(source: source, path: temporary, system: system, key: options.encryptionKey, options: options).fill(temporary)
        return try source.core().session.memory.newest.version
    }

    /// The file, held so that nobody can open the database.
    private func requireAlone(_ paths: SessionPaths) throws(FreeholdError) -> any File {
        let file: any File
        do { file = try system.openFile(paths.data, .readWrite) } catch { throw FreeholdError(error, "open the database") }
        let isAlone = try translating("lock the file") { () throws(SystemError) in
            try file.tryLock(byte: LivenessByte.session, exclusive: true)
        }
        if isAlone { return file }
        file.close()
        throw inUse(paths)
    }

    private func inUse(_ paths: SessionPaths) -> FreeholdError {
        FreeholdError(.inUse, "the database is open; close it in all processes first, or compact it in place", path: paths.data)
    }
}
