/// AES-256-GCM and HMAC-SHA-256, from a library that is looked for when a database is first encrypted.
///
/// Part of the seam so that tests can note every nonce that is used, and do without the library.
public protocol Cryptography: AnyObject, Sendable {
    /// HMAC-SHA-256 of `message` under a key of at most 64 bytes: 32 bytes, written to `code`.
    func authenticate(
        _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into code: UnsafeMutableRawBufferPointer)

    /// What encrypts under a key of 32 bytes.
    func makeSealer(key: UnsafeRawBufferPointer) throws(SystemError) -> any Sealer

    /// What decrypts under a key of 32 bytes.
    func makeOpener(key: UnsafeRawBufferPointer) throws(SystemError) -> any Opener
}

/// 96 bits that are used once under a key.
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
    /// Takes another key of 32 bytes.
    func setKey(_ key: UnsafeRawBufferPointer)

    /// Encrypts `plain` to `sealed`, as many bytes, which may be the same memory.
    /// - Parameters:
    ///   - associated: what the tag vouches for besides.
    ///   - tag: 16 bytes, written.
    func seal(
        _ plain: UnsafeRawBufferPointer, to sealed: UnsafeMutableRawPointer, _ nonce: Nonce,
        associated: UnsafeRawBufferPointer, tag: UnsafeMutableRawPointer)
}

/// Decrypts; used by one thread at a time.
public protocol Opener: AnyObject {
    /// Takes another key of 32 bytes.
    func setKey(_ key: UnsafeRawBufferPointer)

    /// Decrypts `sealed` to `plain`, as many bytes.
    /// - Returns: whether these are the bytes that were sealed, so associated; if not, `plain` holds garbage.
    func open(
        _ sealed: UnsafeRawBufferPointer, to plain: UnsafeMutableRawPointer, _ nonce: Nonce,
        associated: UnsafeRawBufferPointer, tag: UnsafeRawPointer) -> Bool
}
