import Platform

/// Creates a new database in an empty file.
///
/// The first copy of the header is written last, after everything else is flushed. So a file whose first copy is still
/// all zeros may be unfinished (`UnfinishedCreation`). A file whose first copy is torn is finished, and its second copy
/// is whole.
/// Its name becomes durable with its first session (`DurableName`).
struct Creation {
    let file: any File
    let system: any System
    /// The key of a database to be encrypted.
    var key: EncryptionKey?

    func run(_ content: MakeInitialContent) throws(FreeholdError) {
        var header = FileHeader(file: newIdentifier(), createdNanoseconds: system.wallClockNanoseconds)
        var lock: (cipher: FileCipher, record: KeyRecord)?
        if let key {
            header.blockPrefixLength = UInt32(FileCipher.prefixLength)
            lock = try makeLock(key, header)
        }
        let cipher = lock?.cipher
        let initial = try content(cipher)
        let length = FileLayout.pages(holding: FileLayout.firstData + initial.bytes.count)
        let root = Root(
            version: 1, lastFull: 1, length: UInt64(length), top: initial.top, readFeatures: initial.readFeatures,
            writeFeatures: initial.writeFeatures)
        precondition(root.isPlausible && root.top.birth == 1, "the first root must lie within the bytes given for it")
        let slot = DurableRecord(file: header.file, root: root, base: 0, session: 0)
        do throws(SystemError) {
            try file.setLength(0)
            try file.allocate(offset: 0, length: length)
            try write(slot, at: FileLayout.durableSlots[0], cipher)
            try write(ConfirmedRecord(slot), at: FileLayout.confirmed, cipher)
            if let lock {
                for copy in FileLayout.keyCopies + [FileLayout.spareKey] { try write(lock.record, at: copy) }
                try write(header, at: FileLayout.spareHeader)
            }
            try write(header, at: FileLayout.headerCopies[1])
            // Sealed blocks cannot be recognised again, so the records that identify a creation are on the disk before
            // them.
            if lock != nil { try file.synchronizeData() }
            try file.write(initial.bytes, at: FileLayout.firstData)
            try file.synchronizeData()
            try write(header, at: FileLayout.headerCopies[0])
        } catch { throw FreeholdError(error, "make the database") }
    }

    /// Creates the file's own data key, and the record that stores it wrapped.
    private func makeLock(_ key: EncryptionKey, _ header: FileHeader) throws(FreeholdError) -> (FileCipher, KeyRecord) {
        let cryptography = try loadCryptography(system, path: file.path)
        let wrapping = header.wrapping(key.master(cryptography), cryptography)
        let dataKey = SecretBytes(count: 32) { system.fillRandom($0) }
        let record = try translating("prepare the key") { () throws(SystemError) in
            try KeyRecord(dataKey, under: wrapping, of: header, generation: 1, system)
        }
        return (FileCipher(wrapping, dataKey: dataKey, system), record)
    }

    private func write(_ record: some HeaderRecord, at offset: Int, _ cipher: FileCipher? = nil) throws(SystemError) {
        try record.withBytes(at: offset, cipher) { bytes throws(SystemError) in try file.write(bytes, at: offset) }
    }

    private func newIdentifier() -> FileIdentifier {
        var words: (UInt64, UInt64) = (0, 0)
        // Safe: the tuple is sixteen contiguous bytes.
        withUnsafeMutableBytes(of: &words) { system.fillRandom($0) }
        return FileIdentifier(high: words.0, low: words.1)
    }
}
