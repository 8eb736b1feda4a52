import FreeholdEngine
import Foundation

/// The key of encrypted databases: from a file, or asked for on the terminal. Never an argument or a part of a link, which others see.
enum KeyInput {
    /// - Returns: nil if no key was named and no database needs one.
    static func key(_ path: String?, for databases: [String]) throws -> EncryptionKey? {
        if let path { return try read(path) }
        guard databases.contains(where: needsKey) else { return nil }
        guard isatty(0) == 1 else { throw Failure("a database is encrypted; name the file with its key: --encryption-key-file FILE") }
        print("A database is encrypted. Path of the file with its key: ", terminator: "")
        fflush(nil)
        guard let line = readLine(), !line.isEmpty else { throw Failure("no key was named") }
        return try read(line)
    }

    private static func needsKey(_ path: String) -> Bool {
        var options = OpenOptions()
        options.createIfMissing = false
        do throws(FreeholdError) {
            try Database.open(path, options).close()
            return false
        } catch { return error.code == .keyMissing }
    }

    private static func read(_ path: String) throws -> EncryptionKey {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw Failure("the key file \(path) cannot be read") }
        defer { try? handle.close() }
        // One byte more than the most, to notice a longer file.
        let data = try handle.read(upToCount: 2 * EncryptionKey.byteCount + 3) ?? Data()
        if data.count == EncryptionKey.byteCount { return try EncryptionKey(data) }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
        var bytes: [UInt8] = [], digits = text[...]
        while digits.count >= 2, let byte = UInt8(digits.prefix(2), radix: 16) {
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        guard digits.isEmpty, bytes.count == EncryptionKey.byteCount else {
            throw Failure("\(path) is not a key file: a key is 64 bytes or 128 hexadecimal digits (`freehold key generate` creates one)")
        }
        return try EncryptionKey(bytes)
    }
}
