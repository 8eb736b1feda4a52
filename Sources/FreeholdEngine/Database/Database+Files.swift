import Platform

extension Database {
    /// Removes the database at `path` with its auxiliary files; throws `.inUse` while anyone has it open.
    public static func deleteFiles(at path: String, inMemory: Bool = false) throws(FreeholdError) {
        try DatabaseFiles.delete(path, inMemory: inMemory, LinuxSystem.shared)
    }

    /// Writes a compact copy of the newest version to `path`, which must not exist; others may write meanwhile.
    public func copy(to path: String) throws {
        let copy = DatabaseCopy(source: self, path: path, system: LinuxSystem.shared)
        try copy.run()
    }
}
