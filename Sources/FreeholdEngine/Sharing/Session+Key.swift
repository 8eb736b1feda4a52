import Platform

extension Session {
    /// Wraps the data key under another user's key, in all its places, under the writer lock.
    ///
    /// The places are written one after another, each flushed: at any moment one of them is whole.
    func changeKey(to key: EncryptionKey, timeoutMilliseconds: Int) throws(FreeholdError) {
        guard let cipher = file.cipher else {
            throw FreeholdError(
                .notEncrypted, "the database is not encrypted, so it has no key to be changed; make an encrypted copy "
                    + "(`freehold copy --new-key-file`)", path: path)
        }
        let lease = try beginWrite(timeoutMilliseconds: timeoutMilliseconds)
        defer { abandonWrite(lease) }
        do {
            let newest = try FirstPage(of: file.file).keyRecords.first
            let record = try KeyRecord(
                cipher.dataKey, under: header.wrapping(key.master(cipher.cryptography), cipher.cryptography), of: header,
                generation: (newest?.generation ?? 0) + 1, system)
            for place in [FileLayout.spareKey] + FileLayout.keyCopies.reversed() {
                try requireUnderWay(lease)
                try record.withBytes { bytes throws(SystemError) in try file.file.write(bytes, at: place) }
                try synchronizeOutsideFlush()
            }
        } catch { throw FreeholdError(any: error, "change the key") }
    }
}
