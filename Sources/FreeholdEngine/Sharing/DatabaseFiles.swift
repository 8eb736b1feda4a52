import Platform

/// Deletes the files of a database.
enum DatabaseFiles {
    /// Removes the database at `path` with all its files; refused while any process has it open.
    ///
    /// - Parameter onlyIfNeverWritten: whether to keep a database that has a commit.
    static func delete(_ path: String, inMemory: Bool, onlyIfNeverWritten: Bool = false, _ system: any System) throws(FreeholdError) {
        // Checked under the lock: no process can commit between this check and the removal.
        _ = try delete(path, inMemory: inMemory, system) { file throws(SystemError) in
            if !onlyIfNeverWritten { return true }
            return try !file.hasVersionAboveFirst()
        }
    }

    /// Removes the database if `mayDelete` returns true. `mayDelete` gets the file with its session byte held.
    ///
    /// - Returns: whether the database was removed.
    static func delete(
        _ path: String, inMemory: Bool, _ system: any System, if mayDelete: (any File) throws(SystemError) -> Bool
    ) throws(FreeholdError) -> Bool {
        let paths = inMemory ? try InMemoryLocation.paths(of: path, system) : try SessionPaths.resolve(path, system)
        let liveness: any File
        do { liveness = try system.openFile(paths.data, .readWrite) } catch {
            throw FreeholdError(error, "open the database to remove it")
        }
        defer { liveness.close() }
        do {
            guard try liveness.tryLock(byte: LivenessByte.session, exclusive: true) else {
                throw FreeholdError(.inUse, "the database is open; close it in all processes first", path: paths.data)
            }
            guard try system.status(of: paths.data)?.identity == liveness.status().identity else {
                throw FreeholdError(.fileReplaced, "the file was replaced meanwhile", path: paths.data)
            }
            guard try mayDelete(liveness) else { return false }
            try? SyncSidecar.remove(paths, system)
            removeAuxiliaryFiles(paths, system)
            try system.removeFile(paths.data)
            return true
        } catch { throw FreeholdError(any: error, "remove the database") }
    }
}
