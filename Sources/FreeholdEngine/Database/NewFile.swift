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
        try discard(temporary)
        do {
            try fill(temporary)
            do {
                try system.renameFile(temporary, to: path)
                try system.synchronizeDirectory(folder)
            } catch { throw FreeholdError(any: error, "rename \(what)") }
            try discard(temporary)
        } catch {
            try? discard(temporary)
            throw error
        }
    }

    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func status(of path: String) throws(FreeholdError) -> FileStatus? {
        do { return try system.status(of: path) } catch { throw FreeholdError(error, "look at the place of \(what)") }
    }

    /// Removes the file and its auxiliary files.
    private func discard(_ path: String) throws(FreeholdError) {
        let data = try status(of: path), lock = try status(of: path + ".lock")
        if data == nil && lock == nil { return }
        try DatabaseFiles.delete(path, inMemory: false, system)
    }
}
