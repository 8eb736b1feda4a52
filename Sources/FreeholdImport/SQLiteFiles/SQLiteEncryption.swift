/// Encrypted databases (SQLCipher, SEE and others): they have no format of their own, so they are known by what they lack.
enum SQLiteEncryption {
    /// The bytes from the start of the file that are read.
    static let sampleCount = 4096

    /// Throws if a file is empty, encrypted, or not a database.
    /// - Parameter start: the first `sampleCount` bytes, or the whole file.
    static func refuse(_ start: [UInt8], size: UInt64) throws(SourceError) {
        if start.isEmpty { throw SourceError(.notThisFormat, "the file is empty") }
        if start.starts(with: SQLiteHeader.magic) {
            // Some keep the header readable, but nothing after it.
            guard start.count > 512, start[100] != 13, start[100] != 5, isRandom(start[100...]) else { return }
        } else {
            guard size % 512 == 0, start.count >= 512, isRandom(start[...]) else {
                throw SourceError(.notThisFormat, "the file is not a SQLite database")
            }
        }
        throw SourceError(.unsupported, "the file seems to be encrypted (SQLCipher, SEE); export it without a key first, "
            + "in SQLCipher by ATTACH 'plain.db' AS plain KEY '' and SELECT sqlcipher_export('plain')")
    }

    /// Whether all 256 bytes occur about equally often: chi-squared is around 255 for random bytes, and in the thousands for
    /// anything else.
    private static func isRandom(_ bytes: ArraySlice<UInt8>) -> Bool {
        var counts = [Double](repeating: 0, count: 256)
        for byte in bytes { counts[Int(byte)] += 1 }
        let expected = Double(bytes.count) / 256
        return counts.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected } < 400
    }
}
