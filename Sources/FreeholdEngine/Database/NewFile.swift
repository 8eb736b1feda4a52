import Platform

/// A file that is created under another name and gets its own when it is complete and flushed.
struct NewFile {
    let path: String
    /// What it is, for messages: "the copy".
    let what: String
    let system: any System
    /// Permissions of the file, before the process's mask.
    var permissions: UInt32 = 0o644

    /// Runs `fill` with the other name, of an empty file, then renames. A file that has got the name meanwhile stays.
    func make(_ fill: (String) throws -> Void) throws {
        guard try status(of: path) == nil else { throw taken() }
        let unfinished = try UnfinishedFile(for: path, permissions: permissions, system)
        defer { unfinished.end() }
        do { try fill(unfinished.path) } catch { throw FreeholdError(any: error, "write \(what)") }
        do throws(SystemError) { try unfinished.take(name: path) } catch {
            if error.code == ErrorNumber.exists { throw taken() }
            throw FreeholdError(error, "rename \(what)")
        }
    }

    private func taken() -> FreeholdError {
        FreeholdError(.alreadyExists, "\(what) does not overwrite an existing file; remove it or choose another path", path: path)
    }

    private func status(of path: String) throws(FreeholdError) -> FileStatus? {
        do { return try system.status(of: path) } catch { throw FreeholdError(error, "read the status of the path of \(what)") }
    }
}
