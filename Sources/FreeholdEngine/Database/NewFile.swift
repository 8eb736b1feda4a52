import Platform

/// A file that is made under another name and gets its own when it is whole and flushed.
struct NewFile {
    let path: String
    /// What it is, for messages: "the copy".
    let what: String
    let system: any System

    /// Runs `fill` with the other name, then renames. Whatever an unfinished run before has left is removed.
    func make(_ fill: (String) throws -> Void) throws {
        let temporary = path + ".unfinished"
        guard try status(of: path) == nil else {
            throw FreeholdError(.alreadyExists, "\(what) does not replace a file; remove it first or name another", path: path)
        }
        try Self.discard(temporary, system)
        do {
            try fill(temporary)
            do {
                try system.renameFile(temporary, to: path)
                try system.synchronizeDirectory(SessionPaths.folder(of: path))
            } catch { throw FreeholdError(any: error, "rename \(what)") }
            try Self.discard(temporary, system)
        } catch {
            try? Self.discard(temporary, system)
            throw error
        }
    }

    private func status(of path: String) throws(FreeholdError) -> FileStatus? {
        do { return try system.status(of: path) } catch { throw FreeholdError(error, "look at the place of \(what)") }
    }

    /// Removes a file that may be there, and its auxiliary files.
    static func discard(_ path: String, _ system: any System) throws(FreeholdError) {
        do throws(SystemError) {
            let data = try system.status(of: path), lock = try system.status(of: path + ".lock")
            if data == nil && lock == nil { return }
        } catch { throw FreeholdError(error, "look at an unfinished file") }
        try DatabaseFiles.delete(path, inMemory: false, system)
    }
}
