public import Foundation
import FreeholdEngine

/// Operations on whole files.
extension Realm {
    /// Whether the configuration's file exists; for an in-memory database, whether any process has it open.
    public static func fileExists(for configuration: Configuration) -> Bool {
        guard let terms = try? configuration.terms() else { return false }
        return (try? Database.exists(at: terms.path, inMemory: terms.isInMemory)) ?? false
    }

    /// Deletes the configuration's file, and the files beside it that the library created.
    ///
    /// - Returns: whether there was anything to delete.
    /// - Throws: `Realm.Error` `.alreadyOpen` while this or another process has the file open; `.filePermissionDenied`.
    @discardableResult
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        let terms = try configuration.terms()
        do {
            guard try Database.exists(at: terms.path, inMemory: terms.isInMemory) else { return try removeRemains(of: terms) }
            try Database.deleteFiles(at: terms.path, inMemory: terms.isInMemory)
            return true
        } catch let error as FreeholdError {
            throw RealmError(error)
        }
    }

    /// Removes the library's files beside a database file that was deleted by hand.
    private static func removeRemains(of terms: SharedDatabase.Terms) throws -> Bool {
        if terms.isInMemory { return false }
        var removed = false
        for path in [terms.path + ".lock", terms.path + ".management"] where FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
            removed = true
        }
        return removed
    }

    /// Writes a compact copy of the realm's version to a new file. Within a write transaction the copy includes the
    /// changes so far.
    ///
    /// ```swift
    /// try realm.writeCopy(toFile: URL(fileURLWithPath: "people-2026.freehold"))
    /// ```
    /// - Parameters:
    ///   - fileURL: the file to create; it must not exist yet.
    ///   - encryptionKey: 64 bytes for an encrypted copy; nil for a plain one, whether or not this file is encrypted.
    /// - Throws: `Realm.Error` `.fileExists`, `.fileNotFound` for a missing folder, `.filePermissionDenied`,
    ///   `.outOfDiskSpace`; then nothing is left behind.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        var configuration = Configuration(fileURL: fileURL)
        configuration.encryptionKey = encryptionKey
        try writeCopy(configuration: configuration)
    }

    /// Writes a compact copy of the realm's version to the file, and with the key, of another configuration.
    public func writeCopy(configuration: Configuration) throws {
        let terms = try configuration.terms()
        guard !terms.isInMemory else {
            throw RealmError(.invalidInput, "a copy needs a file; the configuration names '\(terms.path)' in memory")
        }
        guard core.enter() else { return }
        do {
            try Configuration.makeDefaultFolder(for: terms.path)
            let encryption = try terms.encryptionKey.map { CopyEncryption.key(try EncryptionKey($0)) } ?? .none
            let database = core.shared.database
            if let transaction = core.transaction {
                try database.copy(transaction, to: terms.path, encryption: encryption)
            } else {
                try database.copy(core.held(), to: terms.path, encryption: encryption)
            }
        } catch let error as FreeholdError {
            throw RealmError(error)
        }
    }

    /// Writes a backup of the newest version, page by page, checked and flushed, while others write. The backup is as
    /// large as the file, opens with the same key, and gets its name only once it is complete.
    ///
    /// - Parameter progress: called from time to time with the bytes copied and the total bytes to copy.
    /// - Throws: the errors of `writeCopy(toFile:encryptionKey:)`.
    public func backup(toFile fileURL: URL, progress: ((_ doneBytes: UInt64, _ totalBytes: UInt64) -> Void)? = nil) throws {
        guard core.enter() else { return }
        do { try core.shared.database.backup(to: fileURL.path, progress: progress) } catch let error as FreeholdError {
            throw RealmError(error)
        }
    }

    /// Compacts the file in short write transactions, while this and other processes have it open. Pages that held
    /// versions need stay.
    ///
    /// - Returns: the file's size in bytes before and after.
    /// - Throws: `Realm.Error`. A call within a write transaction, or of a read-only realm, is misuse.
    @discardableResult
    public func compact() throws -> (bytesBefore: UInt64, bytesAfter: UInt64) {
        guard core.enter() else { return (0, 0) }
        if isInWriteTransaction || configuration.readOnly {
            Misuse.report(isInWriteTransaction ? "Cannot compact a Realm within a write transaction." : "Can't perform transactions on read-only Realms.")
            return (0, 0)
        }
        // The realm releases its version, which would keep its space; its objects then show the newest version.
        core.invalidate()
        do {
            let report = try core.shared.database.compact()
            return (report.lengthBefore, report.lengthAfter)
        } catch let error as FreeholdError {
            throw RealmError(error)
        }
    }

    /// Creates a random 64-byte key for `Configuration.encryptionKey`. A file cannot be read again without its key.
    public static func generateEncryptionKey() -> Data { EncryptionKey.random().withBytes { Data($0) } }
}
