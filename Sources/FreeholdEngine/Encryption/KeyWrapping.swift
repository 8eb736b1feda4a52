import Platform

/// The data key of a file as stored in the file: sealed under a key of its user.
struct WrappedKey: Equatable, Sendable {
    /// Identifies the user's key.
    var check: [UInt64]
    /// The nonce: random, as a key wraps a few times in its life.
    var nonce: Nonce
    var sealed: [UInt64]
    var tag: [UInt64]
}

/// Seals a data key under a user's key, and opens it.
///
/// Safe throughout: buffers have the lengths that the words give them.
struct KeyWrapping {
    let master: SecretBytes
    /// The file's identifier, two words.
    let file: [UInt64]
    let cryptography: any Cryptography

    /// The 32 bytes that identify the user's key.
    var check: [UInt64] { master.derive("freehold key check 1", file, with: cryptography).withBytes(Self.words) }

    private var wrappingKey: SecretBytes { master.derive("freehold wrapping 1", file, with: cryptography) }

    /// Seals the data key.
    ///
    /// - Parameter associated: the other bytes to authenticate.
    func wrap(_ dataKey: SecretBytes, associated: [UInt8], _ system: any System) throws(SystemError) -> WrappedKey {
        var random: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &random) { system.fillRandom($0) }
        let nonce = Nonce(counter: random.0, word: UInt32(truncatingIfNeeded: random.1))
        let sealer = try wrappingKey.withBytes { key throws(SystemError) in try cryptography.makeSealer(key: key) }
        var sealed = [UInt64](repeating: 0, count: 4), tag = [UInt64](repeating: 0, count: 2)
        sealed.withUnsafeMutableBytes { sealed in
            tag.withUnsafeMutableBytes { tag in
                associated.withUnsafeBytes { associated in
                    dataKey.withBytes {
                        sealer.seal($0, to: sealed.baseAddress!, nonce, associated: associated, tag: tag.baseAddress!)
                    }
                }
            }
        }
        return WrappedKey(check: check, nonce: nonce, sealed: sealed, tag: tag)
    }

    /// Opens the data key; nil if it, or the associated bytes, differ from those that were wrapped.
    func unwrap(_ wrapped: WrappedKey, associated: [UInt8]) throws(SystemError) -> SecretBytes? {
        let opener = try wrappingKey.withBytes { key throws(SystemError) in try cryptography.makeOpener(key: key) }
        var isIntact = false
        let dataKey = SecretBytes(count: 32) { plain in
            wrapped.sealed.withUnsafeBytes { sealed in
                wrapped.tag.withUnsafeBytes { tag in
                    associated.withUnsafeBytes {
                        isIntact = opener.open(
                            sealed, to: plain.baseAddress!, wrapped.nonce, associated: $0, tag: tag.baseAddress!)
                    }
                }
            }
        }
        return isIntact ? dataKey : nil
    }

    private static func words(_ bytes: UnsafeRawBufferPointer) -> [UInt64] {
        stride(from: 0, to: bytes.count, by: 8).map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)) }
    }
}
