import Platform

/// A copy of one version, object by object, into a new file: compact, and every block of the source is checked on
/// the way.
///
/// The copy is made under another name and renamed when it is whole and flushed.
struct DatabaseCopy {
    let source: Database
    let path: String
    let system: any System

    /// Objects written in one transaction, so that memory stays bounded.
    private static let batch = 200_000

    func run() throws {
        let temporary = path + ".copying"
        guard try status(of: path) == nil else {
            throw FreeholdError(.alreadyExists, "a copy does not replace a file; remove it first or name another", path: path)
        }
        try Database.discard(temporary, system)
        do {
            try fill(temporary)
            do { try system.renameFile(temporary, to: path) } catch { throw FreeholdError(error, "rename the copy") }
            try Database.discard(temporary, system)
        } catch {
            try? Database.discard(temporary, system)
            throw error
        }
    }

    private func status(of path: String) throws(FreeholdError) -> FileStatus? {
        do { return try system.status(of: path) } catch { throw FreeholdError(error, "look at the copy's place") }
    }

    private func fill(_ temporary: String) throws {
        let snapshot = try source.snapshot()
        defer { snapshot.end() }
        let target = try Database.open(temporary, OpenOptions(), on: system)
        defer { target.close() }
        var transaction = try target.beginWrite()
        let schema = try snapshot.schema()
        transaction.adopt(schema)
        for stored in schema.classes {
            var waiting = 0
            let table = try snapshot.table(stored.name)
            try table.forEach { row in
                try transaction.copy(row, stored)
                waiting += 1
                if waiting == Self.batch {
                    waiting = 0
                    try transaction.commit(.processCrash)
                    transaction = try target.beginWrite()
                }
                return true
            }
            try transaction.raiseNextKey(of: stored, to: table.state.root.nextKey)
        }
        try transaction.commit(.full)
    }
}

extension Database {
    /// Removes whatever is left of an unfinished copy.
    fileprivate static func discard(_ path: String, _ system: any System) throws(FreeholdError) {
        do throws(SystemError) {
            let data = try system.status(of: path)
            let lock = try system.status(of: path + ".lock")
            if data == nil && lock == nil { return }
        } catch { throw FreeholdError(error, "look at the copy's place") }
        try DatabaseFiles.delete(path, inMemory: false, system)
    }
}
