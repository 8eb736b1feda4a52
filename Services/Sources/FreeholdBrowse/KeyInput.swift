import Foundation
import FreeholdEngine
import FreeholdTools

/// The key of encrypted databases: from a file, or asked for on the terminal. Never an argument or a part of a link, which others see.
enum KeyInput {
    /// - Returns: nil if no key was named and no database needs one.
    static func key(_ path: String?, for databases: [String]) throws -> EncryptionKey? {
        do {
            if let path { return try KeyReader.key(file: path, warn: warn) }
            guard let encrypted = databases.first(where: needsKey) else { return nil }
            guard isatty(0) == 1 else {
                throw Failure("\(encrypted) is encrypted; name the file with its key: --encryption-key-file FILE")
            }
            return try KeyReader.key(askedFor: encrypted, warn: warn)
        } catch let mistake as KeyReader.Mistake {
            throw Failure(mistake.description)
        }
    }

    private static func warn(_ sentence: String) {
        FileHandle.standardError.write(Data("freehold-browse: \(sentence)\n".utf8))
    }

    private static func needsKey(_ path: String) -> Bool {
        var options = OpenOptions()
        options.createIfMissing = false
        do throws(FreeholdError) {
            try Database.open(path, options).close()
            return false
        } catch { return error.code == .keyMissing }
    }
}
