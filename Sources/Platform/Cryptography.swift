/// AES-256-GCM and HMAC-SHA-256, from a library that is loaded when a database is first encrypted; also AES-256-CBC and
/// HMAC-SHA-224, to read encrypted files of other databases.
///
/// Part of the seam so that tests can record every nonce, and run without the library.
public protocol Cryptography: AnyObject, Sendable {
    /// HMAC-SHA-256 of `message` under a key of at most 64 bytes: 32 bytes, written to `code`.
    func authenticate(
        _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into code: UnsafeMutableRawBufferPointer)

    /// Creates a cipher that encrypts with a key of 32 bytes.
    func makeSealer(key: UnsafeRawBufferPointer) throws(SystemError) -> any Sealer

    /// Creates a cipher that decrypts with a key of 32 bytes.
    func makeOpener(key: UnsafeRawBufferPointer) throws(SystemError) -> any Opener

    /// HMAC-SHA-224 of `message` under a key of at most 64 bytes: 28 bytes, written to `code`. For files of other
    /// databases.
    func authenticateShort(
        _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into code: UnsafeMutableRawBufferPointer)

    /// AES-256-CBC without padding, for files of other databases: decrypts or encrypts `input`, a multiple of 16 bytes,
    /// to `output`, which has the same length.
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - vector: the initialization vector, 16 bytes.
    func chain(
        _ direction: CipherDirection, _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer,
        key: UnsafeRawBufferPointer, vector: UnsafeRawBufferPointer) throws(SystemError)
}

/// Which way a cipher is used.
public enum CipherDirection: Sendable {
    case encrypt, decrypt
}

/// 96 bits that are used only once with a key.
public struct Nonce: Sendable, Hashable {
    public var counter: UInt64
    public var word: UInt32

    public init(counter: UInt64, word: UInt32 = 0) {
        self.counter = counter
        self.word = word
    }

    /// The twelve bytes: the counter, then the word, lowest byte first.
    public func withBytes<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        var bytes = (counter.littleEndian, UInt64(word).littleEndian)
        // Safe: the tuple is sixteen contiguous bytes.
        return withUnsafeBytes(of: &bytes) { body($0.baseAddress!.assumingMemoryBound(to: UInt8.self)) }
    }
}

/// Encrypts; used by one thread at a time.
public protocol Sealer: AnyObject {
    /// Replaces the key with another one of 32 bytes.
    func setKey(_ key: UnsafeRawBufferPointer)

    /// Encrypts `plain` to `sealed`, which have the same length and may be the same memory.
    /// - Parameters:
    ///   - associated: additional data that the tag authenticates.
    ///   - tag: 16 bytes, written.
    func seal(
        _ plain: UnsafeRawBufferPointer, to sealed: UnsafeMutableRawPointer, _ nonce: Nonce,
        associated: UnsafeRawBufferPointer, tag: UnsafeMutableRawPointer)
}

/// Decrypts; used by one thread at a time.
public protocol Opener: AnyObject {
    /// Replaces the key with another one of 32 bytes.
    func setKey(_ key: UnsafeRawBufferPointer)

    /// Decrypts `sealed` to `plain`, which have the same length.
    /// - Returns: whether the bytes and the associated data are authentic; if not, `plain` holds garbage.
    func open(
        _ sealed: UnsafeRawBufferPointer, to plain: UnsafeMutableRawPointer, _ nonce: Nonce,
        associated: UnsafeRawBufferPointer, tag: UnsafeRawPointer) -> Bool
}
