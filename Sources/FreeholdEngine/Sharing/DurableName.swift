import Platform

// The name of a data file is durable before a commit in it is acknowledged as durable: else a power cut takes the name, and the commits with it.
//
// 1. A session with a writer leaves the "in use" record of the file's inode in the file. Before its first record is written the folder is
//    flushed. So a file that has one has a durable name, and opening it flushes nothing.
// 2. A file that gets a name by a rename (`UnfinishedFile`) has no such record, nor has one that was created, nor a copy made by `cp`: the
//    first session of each flushes the folder, whoever created the file and whether that process still lives.
// 3. What a power cut leaves is on the disk, names too. So the records need not be: what comes back of an older state harms nobody.

extension DataFile {
    /// Flushes the folder of the file unless a session was begun on it before (1). To be called before the "in use" record is written.
    func makeNameDurable(_ paths: SessionPaths, _ options: SessionOptions) throws(FreeholdError) {
        if options.inMemory || read(InUseRecord.self, at: FileLayout.inUse)?.place.inode == identity.inode { return }
        try translating("make the name of the file durable") { () throws(SystemError) in
            try file.synchronizeName(paths.data, system)
        }
    }
}

extension File {
    /// Makes the name that the file has, and the others in its folder, durable.
    func synchronizeName(_ path: String, _ system: any System) throws(SystemError) {
        do { try system.synchronizeDirectory(SessionPaths.folder(of: path)) } catch {
            // A folder that this user may write in and not read. To flush the whole file system needs no permission.
            guard error.code == ErrorNumber.accessDenied else { throw error }
            try synchronizeFileSystem()
        }
    }
}
