@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// Keys derived from the user's lie where neither a core dump nor a forked child shows them.
@Suite struct KeyMemoryTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("keys.freehold") }

    init() throws { folder = try TemporaryFolder() }

    /// What a process derives that has the file open and has sealed the newest block, masked as `MemorySearch` takes it.
    private func derived(_ key: EncryptionKey) throws -> [String] {
        let file = try LinuxSystem.shared.openFile(path, .readOnly)
        defer { file.close() }
        var image = [UInt8](repeating: 0, count: try file.length())
        _ = try image.withUnsafeMutableBytes { buffer throws(SystemError) in try file.read(into: buffer, at: 0) }
        let page = try FirstPage(of: file), header = try #require(page.header)
        let cipher = try #require(try page.cipher(header, key, LinuxSystem.shared, path: path))
        let finder = ShadowOpener(cipher)
        var newest: (birth: UInt64, epoch: FileCipher.Epoch)?
        image.withUnsafeBytes { image in
            for start in stride(from: FileLayout.firstData, to: image.count, by: BlockLayout.granule) {
                let rest = UnsafeRawBufferPointer(rebasing: image[start...])
                guard (try? finder.reference(toBlockAt: start / BlockLayout.granule, in: rest, isWanted: { _ in true })) ?? nil != nil else { continue }
                let prefix = SealedPrefix(rest.baseAddress!)
                if prefix.birth >= newest?.birth ?? 0 { newest = (prefix.birth, prefix.epoch) }
            }
        }
        let records = cipher.dataKey.derive("freehold records 1", cipher.file, with: cipher.cryptography)
        let secrets = [cipher.master, cipher.dataKey, records, cipher.blockKey(try #require(newest).epoch)]
        return secrets.map { secret in secret.withBytes { Self.masked(Array($0)) } }
    }

    @Test("derived keys lie in pages that core dumps leave out, and no forked child has them")
    func keysAreHidden() throws {
        let process = try SpawnedProcess("ContractHelper", ["seal", path, "1"])
        #expect(try process.readLine() == "ready")
        process.send("commit 5")
        #expect(try process.readLine() == "done")
        let keys = try derived(try EncryptionKey((0..<64).map { $0 &+ 1 }))
        process.send("search " + keys.joined(separator: " "))
        let words = try #require(try process.readLine()).split(separator: " ")
        try #require(words.count == 8, "\(words)")
        // Different keys found, places, and places outside of such pages: the parent works with all of them, so the search sees them.
        #expect(words[1] == "\(keys.count)" && words[3] == "0", "\(words)")
        #expect(words[5...].allSatisfy { $0 == "0" }, "\(words)")
        // The child may open the database anew: it has the user's key.
        process.send("fork 1")
        #expect(try process.readLine() == "child 0 forked")
    }

    @Test("a child that is forked while another thread encrypts does not get the key from libcrypto's context")
    func contextsAreCleared() throws {
        let process = try SpawnedProcess("ContractHelper", ["seal", path, "1"])
        #expect(try process.readLine() == "ready")
        process.send("search-while-sealing " + Self.masked((0..<32).map { $0 &* 37 &+ 11 }))
        let words = try #require(try process.readLine()).split(separator: " ")
        try #require(words.count == 20, "\(words)")
        // The parent's context holds it, so the search would see it.
        #expect(words[1] == "1" && words[3] != "0", "\(words)")
        #expect(words[5...].allSatisfy { $0 == "0" }, "\(words)")
    }

    /// As `MemorySearch` takes it.
    private static func masked(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte ^ 0xA5, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
