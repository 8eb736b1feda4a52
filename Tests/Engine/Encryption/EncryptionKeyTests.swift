import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// Other keys for the same data, and copies under other keys.
@Suite struct EncryptionKeyTests {
    private typealias Secret = EncryptionTests

    private func code(_ key: UInt8?, _ path: String = Secret.path, on system: any System) -> FreeholdError.Code? {
        do {
            let database = try Database.open(path, Secret.options(key), on: system)
            defer { database.close() }
            return try Secret.texts(database).count == 301 && database.check().isClean ? nil : .corrupt
        } catch { return (error as? FreeholdError)?.code ?? .system }
    }

    @Test("a changed key opens, the old one does not, and who has the database open goes on")
    func changed() throws {
        let machine = SimulatedSystem(seed: 41)
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Secret.make(on: process)
        let other = try Database.open(Secret.path, Secret.options(), on: machine.makeProcess())
        let database = try Database.open(Secret.path, Secret.options(), on: process)
        try database.changeKey(to: .forTests(1))
        #expect(try Secret.texts(other).count == 301)
        try other.write { transaction in
            let notes = try transaction.table("Note")
            try transaction.set(ObjectKey(3), in: notes, notes.column("text"), to: .string("since"))
        }
        #expect(try Secret.texts(database).contains("since"))
        #expect(code(0, on: machine.makeProcess()) == .wrongKey)
        #expect(code(1, on: machine.makeProcess()) == nil)
        // A copy has the key that the database has now.
        try database.copy(to: "/copy.freehold", encryption: .same, .simulated, on: process)
        #expect(code(1, "/copy.freehold", on: process) == nil)
        // Not the handle's own doing: the same handle in another process knows its first key.
        other.close()
        database.close()
        #expect(code(1, on: process) == nil && code(0, on: process) == .wrongKey)
        for key in [2, 3, 0] as [UInt8] {
            let database = try Database.open(Secret.path, Secret.options(key == 2 ? 1 : key == 3 ? 2 : 3), on: process)
            try database.changeKey(to: .forTests(key))
            database.close()
        }
        #expect(code(0, on: process) == nil)
        #expect(machine.nonces.repeated.isEmpty)
    }

    @Test("a crash while the key is changed leaves one that fits")
    func crash() throws {
        let machine = SimulatedSystem(seed: 42)
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Secret.make(on: process)
        let database = try Database.open(Secret.path, Secret.options(), on: process)
        let first = machine.operationCount
        try database.changeKey(to: .forTests(1))
        let last = machine.operationCount
        database.close()
        var fits: Set<String> = []
        for crash in machine.crashCases(from: first, seed: 7, subsets: 4, torn: 4) where crash.place <= last {
            let image = machine.image(crash)
            defer { image.discard() }
            let old = code(0, on: image.makeProcess()), new = code(1, on: image.makeProcess())
            #expect(old == nil || new == nil, "\(crash): \(String(describing: old)), \(String(describing: new))")
            fits.insert("\(old == nil) \(new == nil)")
            if crash.place == last { #expect(new == nil && old == .wrongKey) }
        }
        #expect(fits.contains("true false") && fits.contains("false true"), "\(fits)")
    }

    @Test("copies are encrypted under the same key, another, or not at all, each with a data key of its own")
    func copies() throws {
        let machine = SimulatedSystem(seed: 43)
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Secret.make(on: process)
        let database = try Database.open(Secret.path, Secret.options(), on: process)
        try database.copy(to: "/same.freehold", encryption: .same, .simulated, on: process)
        try database.copy(to: "/other.freehold", encryption: .key(.forTests(1)), .simulated, on: process)
        try database.copy(to: "/plain.freehold", encryption: .none, .simulated, on: process)
        database.close()
        #expect(code(0, "/same.freehold", on: process) == nil && code(1, "/same.freehold", on: process) == .wrongKey)
        #expect(code(1, "/other.freehold", on: process) == nil && code(0, "/other.freehold", on: process) == .wrongKey)
        #expect(code(nil, "/plain.freehold", on: process) == nil && code(0, "/plain.freehold", on: process) == .notEncrypted)
        let plain = try Database.open("/plain.freehold", Secret.options(nil), on: process)
        try plain.copy(to: "/again.freehold", encryption: .key(.forTests(2)), .simulated, on: process)
        #expect(throws: FreeholdError.self) { try plain.changeKey(to: .forTests(2)) }
        plain.close()
        #expect(code(2, "/again.freehold", on: process) == nil)
        let keys = try [Secret.path, "/same.freehold", "/other.freehold"].map { path in
            try Secret.bytes(of: path, on: process)[FileLayout.keyCopies[0] + 64..<FileLayout.keyCopies[0] + 96]
        }
        #expect(Set(keys).count == 3)
    }

    @Test("a key has 64 bytes and shows none of them")
    func keyValues() throws {
        #expect(throws: FreeholdError.self) { try EncryptionKey([UInt8](repeating: 1, count: 63)) }
        #expect(throws: FreeholdError.self) { try EncryptionKey([]) }
        let key = EncryptionKey.random()
        #expect("\(key)" == "an encryption key" && String(reflecting: key) == "an encryption key")
        let bytes = key.withBytes { Array($0) }
        #expect(bytes.count == 64 && Set(bytes).count > 16)
        #expect(EncryptionKey.random().withBytes { Array($0) } != bytes)
    }
}
