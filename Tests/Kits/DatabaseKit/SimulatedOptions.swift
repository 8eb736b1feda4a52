@testable import FreeholdEngine

extension OpenOptions {
    /// What a simulated machine's small files can bear.
    public static var simulated: OpenOptions {
        var options = OpenOptions()
        options.reserve = 1 << 26
        options.leastReserve = 1 << 20
        return options
    }

    /// The same; a third of all seeds encrypts, and keeps so little decrypted that blocks come and go.
    public static func simulated(seed: UInt64) -> OpenOptions {
        var options = simulated
        guard seed % 3 == 0 else { return options }
        options.encryptionKey = .forTests
        options.decryptedBytesLimit = 128 << 10
        return options
    }
}

extension EncryptionKey {
    /// The key of encrypted databases in tests.
    public static var forTests: EncryptionKey { forTests(0) }

    /// One of several.
    public static func forTests(_ number: UInt8) -> EncryptionKey {
        do { return try EncryptionKey((0..<64).map { $0 &* 7 &+ number }) } catch { fatalError("\(error)") }
    }
}
