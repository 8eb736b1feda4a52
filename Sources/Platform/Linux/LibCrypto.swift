import CShims

/// OpenSSL's libcrypto, loaded on first use.
///
/// Safe throughout: buffers belong to the calls they are passed to and have the lengths that the protocol asks for.
final class LibCrypto: Cryptography {
    static let shared = LibCrypto()

    /// The library, or the error of loading it.
    static func load() throws(SystemError) -> LibCrypto {
        let result = freehold_shim_cryptography_load()
        if result < 0 { throw SystemError(code: -result, call: "dlopen", path: "libcrypto.so.3") }
        return shared
    }

    func authenticate(
        _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into code: UnsafeMutableRawBufferPointer
    ) {
        precondition(key.count <= 64 && code.count == 32, "a key has at most 64 bytes, a code 32")
        freehold_shim_hmac(key.bytes, key.count, message.bytes, message.count, code.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }

    func makeSealer(key: UnsafeRawBufferPointer) throws(SystemError) -> any Sealer { LibCryptoSealer(try cipher(key, opens: 0)) }

    func makeOpener(key: UnsafeRawBufferPointer) throws(SystemError) -> any Opener { LibCryptoOpener(try cipher(key, opens: 1)) }

    func authenticateShort(
        _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into code: UnsafeMutableRawBufferPointer
    ) {
        precondition(key.count <= 64 && code.count == 28, "a key has at most 64 bytes, a code 28")
        freehold_shim_hmac_short(
            key.bytes, key.count, message.bytes, message.count, code.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }

    func chain(
        _ direction: CipherDirection, _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer,
        key: UnsafeRawBufferPointer, vector: UnsafeRawBufferPointer
    ) throws(SystemError) {
        precondition(key.count == 32 && vector.count == 16 && input.count % 16 == 0, "blocks, keys and vectors have whole lengths")
        let done = freehold_shim_chain(
            key.bytes, vector.bytes, direction == .decrypt ? 1 : 0, input.bytes, output.assumingMemoryBound(to: UInt8.self),
            Int32(input.count))
        if done != 1 { throw SystemError(code: ErrorNumber.outOfMemory, call: "EVP_CIPHER_CTX_new", path: "") }
    }

    private func cipher(_ key: UnsafeRawBufferPointer, opens: Int32) throws(SystemError) -> OpaquePointer {
        precondition(key.count == 32, "a key has 32 bytes")
        guard let cipher = freehold_shim_cipher_new(key.bytes, opens) else {
            throw SystemError(code: ErrorNumber.outOfMemory, call: "EVP_CIPHER_CTX_new", path: "")
        }
        return cipher
    }
}

/// Safe throughout: the cipher lives as long as its object.
private final class LibCryptoSealer: Sealer {
    private let cipher: OpaquePointer

    init(_ cipher: OpaquePointer) { self.cipher = cipher }

    deinit { freehold_shim_cipher_free(cipher) }

    func setKey(_ key: UnsafeRawBufferPointer) { setCipherKey(cipher, key) }

    func seal(
        _ plain: UnsafeRawBufferPointer, to sealed: UnsafeMutableRawPointer, _ nonce: Nonce,
        associated: UnsafeRawBufferPointer, tag: UnsafeMutableRawPointer
    ) {
        let done = nonce.withBytes { nonce in
            freehold_shim_seal(
                cipher, nonce, associated.bytes, Int32(associated.count), plain.bytes,
                sealed.assumingMemoryBound(to: UInt8.self), Int32(plain.count), tag.assumingMemoryBound(to: UInt8.self))
        }
        precondition(done >= 0, wipedKeys)
        precondition(done == 1, "libcrypto refused to encrypt")
    }
}

/// Safe throughout: the cipher lives as long as its object.
private final class LibCryptoOpener: Opener {
    private let cipher: OpaquePointer

    init(_ cipher: OpaquePointer) { self.cipher = cipher }

    deinit { freehold_shim_cipher_free(cipher) }

    func setKey(_ key: UnsafeRawBufferPointer) { setCipherKey(cipher, key) }

    func open(
        _ sealed: UnsafeRawBufferPointer, to plain: UnsafeMutableRawPointer, _ nonce: Nonce,
        associated: UnsafeRawBufferPointer, tag: UnsafeRawPointer
    ) -> Bool {
        let done = nonce.withBytes { nonce in
            freehold_shim_open(
                cipher, nonce, associated.bytes, Int32(associated.count), sealed.bytes,
                plain.assumingMemoryBound(to: UInt8.self), Int32(sealed.count), tag.assumingMemoryBound(to: UInt8.self))
        }
        precondition(done >= 0, wipedKeys)
        return done == 1
    }
}

private func setCipherKey(_ cipher: OpaquePointer, _ key: UnsafeRawBufferPointer) {
    precondition(key.count == 32, "a key has 32 bytes")
    freehold_shim_cipher_set_key(cipher, key.bytes)
}

extension UnsafeRawBufferPointer {
    fileprivate var bytes: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension LinuxSystem {
    public func loadCryptography() throws(SystemError) -> any Cryptography { try LibCrypto.load() }
}
