import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// Salvage of encrypted files: what their key vouches for is read, and nothing else. `SalvageTests` destroys pages of them.
@Suite struct SalvageEncryptedTests {
    private typealias Secret = EncryptionTests
    private let machine = SimulatedSystem(seed: 51)

    private func code(_ key: UInt8?, on process: any System) -> FreeholdError.Code? {
        do {
            let report = try Database.salvage(from: Secret.path, to: "/salvaged", Secret.options(key), encryption: .none, on: process)
            return report.isComplete ? nil : .truncated
        } catch { return (error as? FreeholdError)?.code ?? .system }
    }

    @Test("another key, no key and a key for a plain file are told as such, and never taken for losses")
    func keysAreTold() throws {
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Secret.make(on: process)
        #expect(code(1, on: process) == .wrongKey)
        #expect(code(nil, on: process) == .keyMissing)
        #expect(try process.status(of: "/salvaged") == nil && process.status(of: "/salvaged.unfinished") == nil)
        // Nothing keeps the file closed afterwards.
        try Database.open(Secret.path, Secret.options(), on: machine.makeProcess()).close()
        #expect(code(0, on: process) == nil)
        try process.removeFile(Secret.path)
        try process.removeFile("/salvaged")
        try Secret.make(on: process, Secret.options(nil))
        #expect(code(0, on: process) == .notEncrypted)
    }

    @Test("one copy of header and key is enough, also after the key was changed; none is told as such")
    func keyCopies() throws {
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Secret.make(on: process)
        let database = try Database.open(Secret.path, Secret.options(), on: process)
        try database.changeKey(to: .forTests(1))
        _ = try database.backup(to: "/backup", on: process)
        database.close()
        for path in [Secret.path, "/backup"] {
            let whole = try Secret.bytes(of: path, on: process)
            for kept in [0, 1] {
                var bytes = whole
                let destroyed = kept == 0 ? FileLayout.spareHeader..<FileLayout.spareKey + 512 : 0..<FileLayout.page
                for place in destroyed { bytes[place] ^= 0x5A }
                try Secret.write(bytes, to: Secret.path, on: process)
                #expect(code(1, on: process) == nil, "\(path), copy \(kept)")
                try process.removeFile("/salvaged")
                #expect(code(0, on: process) == .wrongKey)
            }
            var bytes = whole
            for place in 0..<2 * FileLayout.page { bytes[place] ^= 0x5A }
            try Secret.write(bytes, to: Secret.path, on: process)
            #expect(code(1, on: process) == .corrupt)
        }
    }

    @Test("the new file is encrypted under the same key, another, or not at all")
    func newKeys() throws {
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Secret.make(on: process)
        for (number, encryption) in [CopyEncryption.same, .key(.forTests(1)), .none].enumerated() {
            let path = "/salvaged\(number)"
            let report = try Database.salvage(from: Secret.path, to: path, Secret.options(), encryption: encryption, on: process)
            #expect(report.isComplete && report.objects == 301)
            let key: UInt8? = [0, 1, nil][number]
            let database = try Database.open(path, Secret.options(key), on: process)
            #expect(try Secret.texts(database).count == 301 && database.check().isClean)
            database.close()
            let shown = String(decoding: try Secret.bytes(of: path, on: process), as: UTF8.self).contains("quick brown")
            #expect(shown == (key == nil))
        }
        #expect(machine.nonces.repeated.isEmpty)
    }

    @Test("what was changed by who has not the key does not come over, whoever would have found it")
    func forgeries() throws {
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Secret.make(on: process)
        let whole = try Secret.bytes(of: Secret.path, on: process)
        var random = SeededRandom(seed: 51)
        for _ in 0..<40 {
            var bytes = whole
            // The root and what it leads to may be gone: then every block is looked at by itself.
            if random.oneIn(2) { bytes.replaceSubrange(2 * 4096..<4 * 4096, with: [UInt8](repeating: 0, count: 8192)) }
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                bytes[Int.random(in: FileLayout.firstData..<bytes.count, using: &random)] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
            }
            try Secret.write(bytes, to: Secret.path, on: process)
            _ = try Database.salvage(from: Secret.path, to: "/forged", Secret.options(), encryption: .none, on: process)
            for text in try texts("/forged", on: process) { #expect(text.isEmpty || text.hasPrefix(Secret.marker)) }
            try DatabaseFiles.delete("/forged", inMemory: false, process)
        }
    }

    private func texts(_ path: String, on process: any System) throws -> [String] {
        let database = try Database.open(path, Secret.options(nil), on: process)
        defer { database.close() }
        // Where the schema is lost too the class has a made-up name.
        return try database.snapshot().classes.contains { $0.name == "Note" } ? Secret.texts(database) : []
    }

    @Test("what is decrypted on the way stays within the bound")
    func bounded() throws {
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Secret.make(on: process, rows: 60_000)
        let file = try DamagedFile(Secret.path, key: .forTests, decryptedBytesLimit: 256 << 10, process)
        #expect(file.length > 1 << 20)
        var salvage = Salvage(file), greatest = 0, objects = 0
        let target = try Database.open("/salvaged", Secret.options(nil), on: process)
        defer { target.close() }
        _ = try salvage.run(begin: { try target.beginWrite() }, each: {
            objects += 1
            greatest = max(greatest, file.decryptedBytes)
        })
        #expect(objects == 60_001 && greatest > 0)
        #expect(greatest <= 512 << 10, "\(greatest) bytes")
    }
}
