import Platform

/// A file under a name that no other process uses (`x.freehold.unfinished-1f2e3d4c`), until it is complete and gets its
/// final name.
///
/// 1. Its maker holds a byte of it locked from its creation until it has its name. So a file under such a name whose byte can be had
///    was left by a run that was killed, and the next run that makes a file for the same name removes it.
/// 2. The byte and then the name are looked at before anything is written: a file that another run took for a leftover is given up.
/// 3. It was filled in a session of its own, and gets its name without that session's mark: so the first session under the name makes that
///    durable (`DurableName`), should this process be stopped or killed before it does.
final class UnfinishedFile {
    /// Its present name.
    let path: String
    private let system: any System
    private let file: any File
    private let identity: FileIdentity

    private static let suffix = ".unfinished-"
    private static let digits = 8

    /// Creates an empty file beside `path`.
    init(for path: String, permissions: UInt32, _ system: any System) throws(FreeholdError) {
        self.system = system
        Self.removeLeftovers(of: path, system)
        while true {
            let name = path + Self.suffix + Self.randomDigits(system)
            do {
                let file = try system.openFile(name, .createExclusive(permissions: permissions | 0o600))
                point("make.created", system)
                let identity = try file.status().identity
                if try file.tryLock(byte: LivenessByte.making, exclusive: true), try system.status(of: name)?.identity == identity {
                    (self.path, self.file, self.identity) = (name, file, identity)
                    return
                }
                file.close()
            } catch {
                guard error.code == ErrorNumber.exists else { throw FreeholdError(error, "create a temporary file") }
            }
        }
    }

    /// Gives the flushed file the name `path`, which must be free: else throws `ErrorNumber.exists`.
    func take(name path: String) throws(SystemError) {
        try clearMark()
        try system.renameFile(self.path, toNew: path)
        point("make.named", system)
        try file.synchronizeName(path, system)
    }

    /// Replaces the file named `path` by this one, which is flushed.
    func replace(_ path: String) throws(SystemError) {
        try clearMark()
        try system.renameFile(self.path, to: path)
        point("replace.renamed", system)
        try file.synchronizeName(path, system)
    }

    /// Removes the "in use" record (3). It need not be on the disk: after a power cut the name is what the disk has.
    private func clearMark() throws(SystemError) {
        try file.write([UInt8](repeating: 0, count: InUseRecord.byteCount + FileCipher.codeLength), at: FileLayout.inUse)
    }

    func length() throws(SystemError) -> Int { try file.length() }

    func setPermissions(like status: FileStatus) throws(SystemError) { try file.setPermissions(like: status) }

    /// Removes the file if it has not got its name, and releases it.
    func end() {
        if (try? system.status(of: path))??.identity == identity {
            removeAuxiliaryFiles(SessionPaths(data: path), system)
            try? system.removeFile(path)  // else the next run does it
        }
        file.close()
    }

    // MARK: leftovers

    /// Removes the files that killed runs have left beside `path`. What cannot be removed harms nobody.
    private static func removeLeftovers(of path: String, _ system: any System) {
        let prefix = SessionPaths.name(of: path) + suffix
        for found in (try? system.listDirectory(SessionPaths.folder(of: path))) ?? []
        where found.utf8.count == prefix.utf8.count + digits && found.utf8.starts(with: prefix.utf8) {
            removeLeftover(path + suffix + String(decoding: found.utf8.suffix(digits), as: UTF8.self), system)
        }
    }

    /// Nobody has it open, and it is still the file of that name once its bytes are held.
    private static func removeLeftover(_ path: String, _ system: any System) {
        guard let file = try? system.openFile(path, .readWrite) else { return }
        defer { file.close() }
        for byte in [LivenessByte.making, LivenessByte.session] {
            guard (try? file.tryLock(byte: byte, exclusive: true)) == true else { return }
        }
        guard let identity = try? file.status().identity, (try? system.status(of: path))??.identity == identity else { return }
        removeAuxiliaryFiles(SessionPaths(data: path), system)
        try? system.removeFile(path)
    }

    private static func randomDigits(_ system: any System) -> String {
        var number: UInt32 = 0
        // Safe: the bytes of one integer.
        withUnsafeMutableBytes(of: &number) { system.fillRandom($0) }
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}
