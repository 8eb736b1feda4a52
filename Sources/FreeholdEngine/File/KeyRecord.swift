import Platform

/// The data key of an encrypted file, wrapped under its user's key. Page 0 has two copies; either is enough.
///
/// Changing the key writes the spare copy, then the second, then the first, and flushes after each: if that is cut off,
/// both keys fit.
struct KeyRecord: HeaderRecord, Equatable {
    /// Grows with every change of key.
    var generation: UInt64
    var wrapped: WrappedKey

    static let magic: UInt64 = 0x3079_654B_6565_7246  // "FreeKey0"
    static let byteCount = 128
    static let layout = [
        LayoutField("magic", 0, 8), LayoutField("generation", 8, 8), LayoutField("key check", 16, 32),
        LayoutField("nonce", 48, 12), LayoutField("reserved", 60, 4), LayoutField("wrapped data key", 64, 32),
        LayoutField("tag", 96, 16), LayoutField("reserved", 112, 8), LayoutField("checksum", 120, 8),
    ]

    init(generation: UInt64, wrapped: WrappedKey) {
        self.generation = generation
        self.wrapped = wrapped
    }

    init?(fields: RecordFields) {
        generation = fields[8]
        wrapped = WrappedKey(
            check: (0..<4).map { fields[16 + 8 * $0] }, nonce: Nonce(counter: fields[48], word: fields[short: 56]),
            sealed: (0..<4).map { fields[64 + 8 * $0] }, tag: [fields[96], fields[104]])
    }

    func write(to fields: RecordFields) {
        fields[8] = generation
        for (index, word) in wrapped.check.enumerated() { fields[16 + 8 * index] = word }
        fields[48] = wrapped.nonce.counter
        fields[short: 56] = wrapped.nonce.word
        for (index, word) in wrapped.sealed.enumerated() { fields[64 + 8 * index] = word }
        for (index, word) in wrapped.tag.enumerated() { fields[96 + 8 * index] = word }
    }
}

extension FileHeader {
    /// The bytes that a wrapped key authenticates besides itself: all of the header, and the generation.
    ///
    /// Safe: eight bytes of a local value.
    func associated(generation: UInt64) -> [UInt8] {
        withBytes { Array($0) } + withUnsafeBytes(of: generation.littleEndian) { Array($0) }
    }

    func wrapping(_ master: SecretBytes, _ cryptography: any Cryptography) -> KeyWrapping {
        KeyWrapping(master: master, file: [file.high, file.low], cryptography: cryptography)
    }
}

extension KeyRecord {
    /// Wraps a file's data key under a user's key.
    init(
        _ dataKey: SecretBytes, under wrapping: KeyWrapping, of header: FileHeader, generation: UInt64, _ system: any System
    ) throws(SystemError) {
        let associated = header.associated(generation: generation)
        self.init(generation: generation, wrapped: try wrapping.wrap(dataKey, associated: associated, system))
    }
}

/// Loads the library that encrypts; the error says what to install.
func loadCryptography(_ system: any System, path: String) throws(FreeholdError) -> any Cryptography {
    do { return try system.loadCryptography() } catch {
        throw FreeholdError(
            .encryptionUnavailable, "an encrypted database needs libcrypto of OpenSSL, which is not installed; install it "
                + "(Debian and Ubuntu: libssl3, Fedora: openssl-libs, Alpine: libcrypto3)", path: path)
    }
}

extension FirstPage {
    /// The intact key records, the newest first.
    ///
    /// Safe: a first page has all its bytes.
    var keyRecords: [KeyRecord] {
        bytes.withUnsafeBytes { bytes in
            FileLayout.keyCopies.compactMap { KeyRecord.read(at: bytes.baseAddress! + $0) }
        }.sorted { $0.generation > $1.generation }
    }

    /// The cipher for the file's blocks; nil for a file that is not encrypted. Throws if the key does not fit.
    func cipher(
        _ header: FileHeader, _ key: EncryptionKey?, _ system: any System, path: String
    ) throws(FreeholdError) -> FileCipher? {
        guard header.isEncrypted else {
            if key == nil { return nil }
            throw FreeholdError(
                .notEncrypted, "a key was given, but the file is not encrypted; open it without a key (or write an encrypted copy: "
                    + "`freehold copy --new-key-file`)", path: path)
        }
        guard let key else {
            throw FreeholdError(.keyMissing, "the file is encrypted; open it with its key", path: path)
        }
        let cryptography = try loadCryptography(system, path: path)
        let wrapping = header.wrapping(key.master(cryptography), cryptography)
        let check = wrapping.check
        let records = keyRecords
        guard records.isEmpty || records.contains(where: { $0.wrapped.check == check }) else {
            throw FreeholdError(.wrongKey, "the file is encrypted with a different key; open it with the right key", path: path)
        }
        for record in records where record.wrapped.check == check {
            let dataKey = try translating("prepare the key") { () throws(SystemError) in
                try wrapping.unwrap(record.wrapped, associated: header.associated(generation: record.generation))
            }
            if let dataKey { return FileCipher(wrapping, dataKey: dataKey, system) }
        }
        throw FreeholdError(
            .corrupt, "the encryption record in the file's first page is damaged; restore the file from a backup", path: path)
    }
}
