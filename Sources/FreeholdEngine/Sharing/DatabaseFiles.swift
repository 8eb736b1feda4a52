import Platform

/// A database's files as things that can be removed.
enum DatabaseFiles {
    /// Removes the database at `path` with all its files; refused while anybody has it open.
    ///
    /// - Parameter onlyIfNeverWritten: whether a database stays in which anything was committed.
    static func delete(_ path: String, inMemory: Bool, onlyIfNeverWritten: Bool = false, _ system: any System) throws(FreeholdError) {
        // Looked at under the lock: nobody can commit between this and the removal.
        _ = try delete(path, inMemory: inMemory, system) { file throws(SystemError) in
            if !onlyIfNeverWritten { return true }
            return try !file.hasVersionAboveFirst()
        }
    }

    /// Removes the database where `mayDelete` says so, which gets the file with its session byte held. Returns whether it did.
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
            removeAuxiliaryFiles(paths, system)
            try system.removeFile(paths.data)
            return true
        } catch { throw FreeholdError(any: error, "remove the database") }
    }
}
