import Platform

/// Secret bytes: left out of core dumps and, unless inherited, of forked children, and wiped before their memory is
/// released.
///
/// Safe throughout: the memory belongs to this object, and is changed in `init` only.
final class SecretBytes: @unchecked Sendable {
    private let memory: KeyMemory

    /// Creates `count` bytes, filled by `fill`.
    /// - Parameter inherited: whether forked children have them as well; one that uses others is stopped.
    init(count: Int, inherited: Bool = false, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        memory = KeyMemory(count: count, inherited: inherited)
        fill(memory.bytes)
    }

    /// Calls `body` with the bytes, which are valid inside it only.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(memory.bytes))
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
