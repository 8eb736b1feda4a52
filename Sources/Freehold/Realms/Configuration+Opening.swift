import Foundation
import FreeholdEngine

extension Realm.Configuration {
    /// The settings that all realms of the file in this process share.
    func terms() throws -> SharedDatabase.Terms {
        var terms = SharedDatabase.Terms(path: try place())
        terms.isReadOnly = readOnly
        terms.isInMemory = inMemoryIdentifier != nil
        terms.sleepingObserverBytes = sleepingObserverBytes
        if let encryptionKey {
            guard encryptionKey.count == EncryptionKey.byteCount else {
                throw RealmError(.invalidInput, "Encryption key must be exactly 64 bytes long, not \(encryptionKey.count); "
                    + "Realm.generateEncryptionKey() creates one", fileURL: fileURL)
            }
            terms.encryptionKey = Array(encryptionKey)
        }
        return terms
    }

    /// The file's path, or the in-memory name in the form that the engine accepts.
    private func place() throws -> String {
        if let inMemoryIdentifier { return Self.engineName(inMemoryIdentifier) }
        guard let fileURL, !fileURL.path.isEmpty else {
            throw RealmError(.fileAccess, "The configuration names neither a file nor an in-memory identifier.")
        }
        guard fileURL.isFileURL else {
            throw RealmError(.invalidInput, "'\(fileURL)' is not the URL of a file; create it with URL(fileURLWithPath:)", fileURL: fileURL)
        }
        return fileURL.path
    }

    /// Converts an identifier into an engine name. Whatever is not visible ASCII, slashes, percent signs and a leading dot
    /// are percent-encoded as in URLs.
    static func engineName(_ identifier: String) -> String {
        var name = ""
        for byte in identifier.utf8 {
            let isPlain = byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "%")
            if isPlain, !(byte == UInt8(ascii: ".") && name.isEmpty) {
                name.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                name += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return name
    }

    /// Prepares the file before this process opens it: creates the default folder, copies the seed file, compacts.
    func prepare(_ terms: SharedDatabase.Terms) throws {
        if terms.isInMemory { return }
        if readOnly {
            if deleteRealmIfMigrationNeeded { Misuse.report("Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set.") }
            if shouldCompactOnLaunch != nil { Misuse.report("Cannot set `shouldCompactOnLaunch` when `readOnly` is set.") }
            return
        }
        try Self.makeDefaultFolder(for: terms.path)
        if let seedFilePath { try SeedFile(path: seedFilePath.path, terms: terms).plant() }
        if let shouldCompactOnLaunch { try LaunchCompaction(terms: terms, isWanted: shouldCompactOnLaunch).run() }
    }
}
