import Platform

// The name of a data file is durable before a commit in it is acknowledged as durable. Otherwise a power cut could
// remove the name, and the commits with it.
//
// 1. A session with a writer leaves the "in use" record of the file's inode in the file. The folder is flushed before
//    the first such record is written. So a file that has one has a durable name, and opening it flushes nothing.
// 2. A file that gets its name by a rename (`UnfinishedFile`), a newly created file and a copy made by `cp` have no
//    such record. The first session of each flushes the folder, whichever process created the file and whether or not
//    it lives.
// 3. What a power cut leaves is on the disk, names included. So the records need not be durable: an older state of them
//    that comes back is harmless.

extension DataFile {
    /// Flushes the folder of the file unless a session was begun on it before (1). Call it before writing the "in use"
    /// record.
    func makeNameDurable(_ paths: SessionPaths, _ options: SessionOptions) throws(FreeholdError) {
        if options.inMemory || read(InUseRecord.self, at: FileLayout.inUse)?.place.inode == identity.inode { return }
        try translating("make the name of the file durable") { () throws(SystemError) in
            try file.synchronizeName(paths.data, system)
        }
    }
}

extension File {
    /// Makes the file's name, and all others in its folder, durable.
    func synchronizeName(_ path: String, _ system: any System) throws(SystemError) {
        do { try system.synchronizeDirectory(SessionPaths.folder(of: path)) } catch {
            // The user may write in this folder but not read it. Flushing the whole file system needs no permission.
            guard error.code == ErrorNumber.accessDenied else { throw error }
            try synchronizeFileSystem()
        }
    }
}
