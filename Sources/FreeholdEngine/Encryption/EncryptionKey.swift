import Platform

/// The 64-byte key of an encrypted database. Anyone who has it can read the database; without it the data is lost.
///
/// ```swift
/// let key = EncryptionKey.random()
/// try key.withBytes { keychain.store($0) }
/// var options = OpenOptions()
/// options.encryptionKey = key
/// let database = try Database.open("people.freehold", options)
/// ```
/// All copies of a key share one piece of memory, which is left out of core dumps and wiped when the last of them goes. A forked
/// child has the key too, so that it can open the database anew.
public struct EncryptionKey: Sendable {
    /// Bytes of a key.
    public static let byteCount = 64

    private let secret: SecretBytes

    /// A key of 64 bytes; throws `.invalidArgument` if there are fewer or more. Wipe your own copy afterwards.
    public init(_ bytes: some Collection<UInt8>) throws(FreeholdError) {
        guard bytes.count == Self.byteCount else {
            throw FreeholdError(.invalidArgument, "an encryption key has \(Self.byteCount) bytes, not \(bytes.count)")
        }
        secret = SecretBytes(count: Self.byteCount, inherited: true) { $0.copyBytes(from: bytes) }
    }

    private init(_ secret: SecretBytes) { self.secret = secret }

    /// A new key from the system's source of randomness.
    public static func random() -> EncryptionKey { random(LinuxSystem.shared) }

    static func random(_ system: any System) -> EncryptionKey {
        EncryptionKey(SecretBytes(count: byteCount, inherited: true) { system.fillRandom($0) })
    }

    /// Calls `body` with the 64 bytes, which are valid inside it only.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try secret.withBytes(body)
    }

    /// The master secret, from which all other keys are derived.
    func master(_ cryptography: any Cryptography) -> SecretBytes {
        let label: StaticString = "freehold master 1"
        return withBytes { halves in
            let message = SecretBytes(count: label.utf8CodeUnitCount + 32) { message in
                label.withUTF8Buffer { message.copyBytes(from: $0) }
                UnsafeMutableRawBufferPointer(rebasing: message[label.utf8CodeUnitCount...]).copyBytes(from: halves[..<32])
            }
            let key = UnsafeRawBufferPointer(rebasing: halves[32...])
            return SecretBytes(count: 32) { code in
                message.withBytes { cryptography.authenticate($0, key: key, into: code) }
            }
        }
    }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible {
    /// A fixed description that never shows the bytes.
    public var description: String { "an encryption key" }
    public var debugDescription: String { description }
}
