import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// What an encrypted file tells those who have its key, and those who have not.
@Suite struct EncryptionTests {
    static let path = "/secret.freehold"
    static let marker = "the quick brown fox"

    static func options(_ key: UInt8? = 0) -> OpenOptions {
        var options = OpenOptions.simulated
        options.encryptionKey = key.map { .forTests($0) }
        return options
    }

    /// Makes a small database.
    static func make(on system: any System, _ options: OpenOptions = options(), rows: Int = 300) throws {
        let database = try Database.open(path, options, on: system)
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("text", .string), PropertySchema("number", .int, isIndexed: true),
            ]))
            let notes = try transaction.table("Note")
            for id in 0..<rows {
                try transaction.insert(into: notes, values: [.int(Int64(id)), .string("\(marker) \(id)"), .int(Int64(id % 7))])
            }
        }
        try database.write { _ = try $0.insert(into: "Note", key: .int(-1), [("text", .string(marker))]) }
    }

    static func texts(_ database: Database) throws -> [String] {
        let notes = try database.snapshot().table("Note")
        let text = try notes.column("text")
        var texts: [String] = []
        try notes.forEach { row in
            texts.append(try row.string(text))
            return true
        }
        return texts
    }

    static func bytes(of path: String, on system: any System) throws -> [UInt8] {
        let file = try system.openFile(path, .readOnly)
        defer { file.close() }
        var bytes = [UInt8](repeating: 0, count: try file.length())
        _ = try bytes.withUnsafeMutableBytes { buffer throws(SystemError) in try file.read(into: buffer, at: 0) }
        return bytes
    }

    static func write(_ bytes: [UInt8], to path: String, on system: any System) throws {
        let isThere = try system.status(of: path) != nil
        let file = try system.openFile(path, isThere ? .readWrite : .createExclusive(permissions: 0o644))
        defer { file.close() }
        try file.setLength(bytes.count)
        try file.write(bytes, at: 0)
    }

    private func code(opening options: OpenOptions, on system: any System) -> FreeholdError.Code? {
        do {
            try Database.open(Self.path, options, on: system).close()
            return nil
        } catch { return error.code }
    }

    @Test("a wrong key, no key, a key for a plain file and a damaged file are told apart")
    func keysAreTold() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Self.make(on: process)
        for readOnly in [false, true] {
            func with(_ key: UInt8?) -> OpenOptions {
                var options = Self.options(key)
                options.readOnly = readOnly
                return options
            }
            #expect(code(opening: with(0), on: process) == nil)
            #expect(code(opening: with(1), on: process) == .wrongKey)
            #expect(code(opening: with(nil), on: process) == .keyMissing)
        }
        // Others who have it open change nothing, in this process or another.
        let holder = try Database.open(Self.path, Self.options(), on: process)
        for other in [process, machine.makeProcess()] {
            #expect(code(opening: Self.options(1), on: other) == .wrongKey)
            #expect(code(opening: Self.options(nil), on: other) == .keyMissing)
            #expect(code(opening: Self.options(), on: other) == nil)
        }
        holder.close()
        var bytes = try Self.bytes(of: Self.path, on: process)
        for copy in FileLayout.keyCopies { bytes[copy + 70] ^= 1 }
        try Self.write(bytes, to: Self.path, on: process)
        #expect(code(opening: Self.options(), on: process) == .corrupt)
        #expect(code(opening: Self.options(1), on: process) == .corrupt)
        try process.removeFile(Self.path)
        try Self.make(on: process, Self.options(nil))
        #expect(code(opening: Self.options(0), on: process) == .notEncrypted)
        #expect(code(opening: Self.options(nil), on: process) == nil)
    }

    @Test("without the library an error names what to install, and plain files open")
    func noLibrary() throws {
        var options = SimulatedSystem.Options(seed: 2)
        options.hasCryptography = false
        let machine = SimulatedSystem(options)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let error = #expect(throws: FreeholdError.self) { try Self.make(on: process) }
        #expect(error?.code == .encryptionUnavailable && error?.message.contains("libssl3") == true)
        try Self.make(on: process, Self.options(nil))
    }

    @Test("nothing that was stored can be read in the file or beside it")
    func nothingShows() throws {
        let machine = SimulatedSystem(seed: 3)
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Self.make(on: process)
        let database = try Database.open(Self.path, Self.options(), on: process)
        defer { database.close() }
        try database.write(durability: .processCrash) { _ = try $0.insert(into: "Note", key: .int(-2), [("text", .string(Self.marker))]) }
        #expect(try Self.texts(database).allSatisfy { $0.hasPrefix(Self.marker) })
        for path in [Self.path, Self.path + ".lock"] {
            let text = String(decoding: try Self.bytes(of: path, on: process), as: UTF8.self)
            for word in ["quick", "fox", "Note", "number"] { #expect(!text.contains(word), "\(path) shows '\(word)'") }
        }
        // The test sees what is there to be seen.
        try process.removeFile(Self.path)
        try Self.make(on: machine.makeProcess(), Self.options(nil))
        #expect(String(decoding: try Self.bytes(of: Self.path, on: process), as: UTF8.self).contains("quick brown"))
    }

    @Test("a file whose every block another process wrote is read and written on")
    func severalProcesses() throws {
        let machine = SimulatedSystem(seed: 4)
        defer { machine.discard() }
        try Self.make(on: machine.makeProcess())
        let databases = try (0..<3).map { _ in try Database.open(Self.path, Self.options(), on: machine.makeProcess()) }
        defer { databases.forEach { $0.close() } }
        for round in 0..<30 {
            let writer = databases[round % 3]
            try writer.write(durability: .processCrash) { transaction in
                let notes = try transaction.table("Note")
                try transaction.set(ObjectKey(Int64(round * 9)), in: notes, notes.column("text"), to: .string("round \(round)"))
            }
            for database in databases { #expect(try Self.texts(database).filter { $0.hasPrefix("round") }.count == round + 1) }
        }
        #expect(try databases[1].check().isClean)
        #expect(machine.nonces.count > 100 && machine.nonces.repeated.isEmpty)
    }
}
