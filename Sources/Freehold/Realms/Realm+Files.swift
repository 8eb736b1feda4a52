public import Foundation
import FreeholdEngine

/// Whole files.
extension Realm {
    /// Whether the configuration's file is there; for one in memory, whether anybody has it open.
    public static func fileExists(for configuration: Configuration) -> Bool {
        guard let terms = try? configuration.terms() else { return false }
        return (try? Database.exists(at: terms.path, inMemory: terms.isInMemory)) ?? false
    }

    /// Removes the configuration's file, with the files beside it that the library has made.
    ///
    /// - Returns: whether there was something to remove.
    /// - Throws: `Realm.Error` `.alreadyOpen` while anybody has the file open, in this process or another; `.filePermissionDenied`.
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

    /// Removes what a file that somebody removed by hand has left.
    private static func removeRemains(of terms: SharedDatabase.Terms) throws -> Bool {
        if terms.isInMemory { return false }
        var removed = false
        for path in [terms.path + ".lock", terms.path + ".management"] where FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
            removed = true
        }
        return removed
    }

    /// Writes a compact copy of what the realm shows, within a write transaction of what that has made so far.
    ///
    /// ```swift
    /// try realm.writeCopy(toFile: URL(fileURLWithPath: "people-2026.freehold"))
    /// ```
    /// - Parameters:
    ///   - fileURL: where; there must not be a file yet.
    ///   - encryptionKey: 64 bytes for an encrypted copy; nil for a plain one, whatever this file is.
    /// - Throws: `Realm.Error` `.fileExists`, `.fileNotFound` for a missing folder, `.filePermissionDenied`, `.outOfDiskSpace`; then nothing
    ///   is left behind.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        var configuration = Configuration(fileURL: fileURL)
        configuration.encryptionKey = encryptionKey
        try writeCopy(configuration: configuration)
    }

    /// Writes a compact copy of what the realm shows to the file, and under the key, of another configuration.
    public func writeCopy(configuration: Configuration) throws {
        let terms = try configuration.terms()
        guard !terms.isInMemory else {
            throw RealmError(.invalidInput, "a copy is written to a file; the configuration names '\(terms.path)' in memory")
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

    /// Writes a backup of the newest version: page by page, checked and flushed, while others write. It is as large as the file, opens
    /// under the same key, and takes its name only when it is whole.
    ///
    /// - Parameter progress: called now and then with the bytes copied and all bytes to copy.
    /// - Throws: as `writeCopy(toFile:encryptionKey:)`.
    public func backup(toFile fileURL: URL, progress: ((_ doneBytes: UInt64, _ totalBytes: UInt64) -> Void)? = nil) throws {
        guard core.enter() else { return }
        do { try core.shared.database.backup(to: fileURL.path, progress: progress) } catch let error as FreeholdError {
            throw RealmError(error)
        }
    }

    /// Makes the file smaller while this and other processes have it open, in short write transactions. What versions still held need
    /// stays.
    ///
    /// - Returns: the file's bytes before and after.
    /// - Throws: `Realm.Error`; within a write transaction it is a mistake.
    @discardableResult
    public func compact() throws -> (bytesBefore: UInt64, bytesAfter: UInt64) {
        guard core.enter() else { return (0, 0) }
        if isInWriteTransaction || configuration.readOnly {
            Misuse.report(isInWriteTransaction ? "Cannot compact a Realm within a write transaction." : "Can't perform transactions on read-only Realms.")
            return (0, 0)
        }
        // The version that this realm shows is let go, as it would keep its space; its objects show the newest one then.
        core.invalidate()
        do {
            let report = try core.shared.database.compact()
            return (report.lengthBefore, report.lengthAfter)
        } catch let error as FreeholdError {
            throw RealmError(error)
        }
    }

    /// 64 bytes from the system's source of randomness, for `Configuration.encryptionKey`. Without them the file cannot be read again.
    public static func generateEncryptionKey() -> Data { EncryptionKey.random().withBytes { Data($0) } }
}
