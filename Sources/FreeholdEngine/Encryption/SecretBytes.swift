import Platform

/// Bytes that nobody else should see: wiped before their memory is given back.
///
/// Safe throughout: the memory belongs to this object, and is changed in `init` only.
final class SecretBytes: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer

    /// So many bytes, filled by `fill`.
    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        memory = .allocate(byteCount: count, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        fill(memory)
    }

    deinit {
        wipe(memory)
        memory.deallocate()
    }

    /// Calls `body` with the bytes, which are valid inside it only.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(memory))
    }

    /// HMAC-SHA-256 under this key of a label, a file's identifier and more words.
    func derive(_ label: StaticString, _ words: [UInt64], with cryptography: any Cryptography) -> SecretBytes {
        var message = label.withUTF8Buffer { Array($0) } + [0]
        for word in words { withUnsafeBytes(of: word.littleEndian) { message += Array($0) } }
        return derive(message, with: cryptography)
    }

    /// HMAC-SHA-256 of a message under this key.
    func derive(_ message: [UInt8], with cryptography: any Cryptography) -> SecretBytes {
        SecretBytes(count: 32) { code in
            message.withUnsafeBytes { message in
                withBytes { cryptography.authenticate(message, key: $0, into: code) }
            }
        }
    }
}
