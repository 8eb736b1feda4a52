import Platform
import Testing

/// The ciphers for encrypted files of other databases, against published values.
///
/// Safe throughout: the buffers are arrays, of the lengths that the calls need.
@Suite struct ForeignCipherTests {
    private let cryptography: any Cryptography

    init() throws { cryptography = try LinuxSystem.shared.loadCryptography() }

    @Test("HMAC-SHA-224 gives the value of RFC 4231")
    func theShortCodeIsThatOfTheStandard() {
        var code = [UInt8](repeating: 0, count: 28)
        Array("what do ya want for nothing?".utf8).withUnsafeBytes { message in
            Array("Jefe".utf8).withUnsafeBytes { key in
                code.withUnsafeMutableBytes { cryptography.authenticateShort(message, key: key, into: $0) }
            }
        }
        #expect(code == bytes("a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"))
    }

    @Test("AES-256-CBC without padding gives the value of NIST SP 800-38A, and back")
    func chainingIsThatOfTheStandard() throws {
        let plain = bytes("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
        let sealed = try chained(.encrypt, plain)
        #expect(sealed == bytes("f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"))
        #expect(try chained(.decrypt, sealed) == plain)
    }

    private func chained(_ direction: CipherDirection, _ input: [UInt8]) throws -> [UInt8] {
        let key = bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"), vector = (0..<16).map { UInt8($0) }
        var output = [UInt8](repeating: 0, count: input.count)
        try output.withUnsafeMutableBytes { output in
            try input.withUnsafeBytes { input in
                try key.withUnsafeBytes { key in
                    try vector.withUnsafeBytes {
                        try cryptography.chain(direction, input, to: output.baseAddress!, key: key, vector: $0)
                    }
                }
            }
        }
        return output
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
    }
}
