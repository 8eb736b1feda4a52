import Platform

extension Session {
    /// Wraps the data key under another user's key, in all its places, under the writer lock.
    ///
    /// The places are written one after another, each flushed: at any moment one of them is whole.
    func changeKey(to key: EncryptionKey, timeoutMilliseconds: Int) throws(FreeholdError) {
        guard let cipher = member.file.cipher else {
            throw FreeholdError(
                .notEncrypted, "the database is not encrypted, so it has no key to be changed; make an encrypted copy "
                    + "(`freehold copy --new-key-file`)", path: member.path)
        }
        let lease = try beginWrite(timeoutMilliseconds: timeoutMilliseconds)
        defer { abandonWrite(lease) }
        do {
            let newest = try FirstPage(of: member.file.file).keyRecords.first
            let record = try KeyRecord(
                cipher.dataKey, under: member.header.wrapping(key.master(cipher.cryptography), cipher.cryptography), of: member.header,
                generation: (newest?.generation ?? 0) + 1, member.system)
            for place in [FileLayout.spareKey] + FileLayout.keyCopies.reversed() {
                try requireUnderWay(lease)
                try record.withBytes { bytes throws(SystemError) in try member.file.file.write(bytes, at: place) }
                try flusher.synchronizeOutsideFlush()
            }
        } catch { throw FreeholdError(any: error, "change the key") }
    }
}
