import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// Creation: a file that is there is made anew only where it shows that its creation was cut off.
@Suite struct CreationTests {
    let folder: TemporaryFolder
    let system = LinuxSystem.shared
    var path: String { folder.file("x.freehold") }

    init() throws { folder = try TemporaryFolder() }

    private static let key = try? EncryptionKey((0..<64).map { UInt8($0) })

    private func open(_ path: String, _ system: any System = LinuxSystem.shared, readOnly: Bool = false, key: EncryptionKey? = nil) throws {
        var options = SimulatedTests.options()
        options.encryptionKey = key
        options.readOnly = readOnly
        try Session.open(path, options, system, verifier: TreeVerifier(), initial: FirstVersion.make).close()
    }

    private func put(_ bytes: [UInt8], _ path: String, _ system: any System = LinuxSystem.shared) throws {
        if try system.status(of: path) != nil { try system.removeFile(path) }
        let file = try system.openFile(path, .createExclusive(permissions: 0o644))
        try file.write(bytes, at: 0)
        file.close()
    }

    private func content(_ path: String, _ system: any System = LinuxSystem.shared) throws -> [UInt8] {
        let file = try system.openFile(path, .readOnly)
        defer { file.close() }
        var bytes = [UInt8](repeating: 0, count: try file.length())
        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return bytes
    }

    private func expectUntouched(_ bytes: [UInt8], _ name: Comment) throws {
        try put(bytes, path)
        for readOnly in [false, true] {
            let error = #expect(throws: FreeholdError.self, name) { try open(path, readOnly: readOnly) }
            #expect(error?.code == .notADatabase || error?.code == .corrupt, "\(name): \(String(describing: error))")
        }
        #expect(try content(path) == bytes, name)
        #expect(try system.listDirectory(folder.path) == ["x.freehold"], name)
    }

    /// A backup of a small database, which has no V and no "in use" record, and that database itself, without both.
    private func finishedFiles(_ key: EncryptionKey?) throws -> [(name: String, bytes: [UInt8])] {
        var options = OpenOptions()
        options.encryptionKey = key
        let source = try Database.open(folder.file("source"), options)
        try source.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int)]))
            try transaction.insert(into: "Note", key: .int(1), [("id", .int(1))])
        }
        try source.backup(to: folder.file("backup"))
        source.close()
        defer { for name in ["source", "backup"] { try? system.removeFile(folder.file(name)) } }
        var flushedOnce = try content(folder.file("source"))
        // Its second durable slot, and the page of V and "in use".
        flushedOnce.replaceSubrange(8192..<16_384, with: [UInt8](repeating: 0, count: 8192))
        return [("a backup", try content(folder.file("backup"))), ("one that was flushed once", flushedOnce)]
    }

    /// Random for each database.
    private static func identifier(_ bytes: [UInt8]) -> FileIdentifier? {
        bytes.withUnsafeBytes { bytes in FileLayout.headerCopies.lazy.compactMap { FileHeader.read(at: bytes.baseAddress! + $0) }.first?.file }
    }

    /// Opens a damaged file: either it is the same database still, a backup with its one note, or it is refused and left as it is.
    private func expectFoundOrUntouched(_ bytes: [UInt8], _ key: EncryptionKey?, isBackup: Bool, _ name: Comment) throws {
        try put(bytes, path)
        var options = OpenOptions()
        options.encryptionKey = key
        do throws(FreeholdError) {
            let database = try Database.open(path, options)
            defer { database.close() }
            #expect(try database.core().session.header.file == Self.identifier(bytes), name)
            if isBackup { #expect(try database.snapshot().table("Note").count == 1, name) }
        } catch {
            #expect(error.code == .notADatabase || error.code == .corrupt, "\(name): \(error)")
            #expect(try content(path) == bytes, name)
            #expect(try system.listDirectory(folder.path) == ["x.freehold"], name)
        }
    }

    /// A backup was once created anew, and its content destroyed, if its header, its only durable root and its key were damaged.
    @Test(arguments: [false, true], [0, 0xA5] as [UInt8]) func aDamagedFinishedFileIsNotMadeAnew(_ isEncrypted: Bool, _ filling: UInt8) throws {
        let key = isEncrypted ? Self.key : nil
        for (name, bytes) in try finishedFiles(key) {
            let isBackup = name == "a backup"
            for count in [112, 1024, 1152, 2160, 3072, 4096, 4608, 6144, 6528, 6656, 6784, 8192, 12_288, 13_312, 13_824, 14_400, 16_384] {
                var damaged = bytes
                damaged.replaceSubrange(..<count, with: [UInt8](repeating: filling, count: count))
                try expectFoundOrUntouched(damaged, key, isBackup: isBackup, "\(name), its first \(count) bytes")
            }
            for pages in 1..<16 as Range<Int> {
                var damaged = bytes
                for page in 0..<4 where pages & 1 << page != 0 {
                    damaged.replaceSubrange(page * 4096..<(page + 1) * 4096, with: [UInt8](repeating: filling, count: 4096))
                }
                // The header of a file that begins with anything but zeros decides.
                damaged.replaceSubrange(..<112, with: [UInt8](repeating: filling, count: 112))
                try expectFoundOrUntouched(damaged, key, isBackup: isBackup, "\(name), its pages \(pages)")
            }
        }
    }

    private var newDatabase: [UInt8] {
        get throws {
            try open(folder.file("new"))
            defer { try? system.removeFile(folder.file("new")) }
            return try content(folder.file("new"))
        }
    }

    @Test func aFileThatBeginsWithZerosIsNotTakenForAnEmptyOne() throws {
        var image = [UInt8](repeating: 0, count: 1 << 20)  // as a device's: a boot sector that is not used, then a superblock
        image.replaceSubrange(1024..<2048, with: (0..<1024).map { UInt8(truncatingIfNeeded: $0 * 7) })
        try expectUntouched(image, "a device's image")
        try expectUntouched(Array(image[..<2048]), "a short one")
        try expectUntouched([UInt8](repeating: 0, count: 1 << 20), "zeros, longer than any new database")
        try expectUntouched([UInt8](repeating: 0, count: 300) + [1], "one byte behind zeros")
        try expectUntouched([UInt8](repeating: 0, count: 20_000) + [UInt8](repeating: 9, count: 100), "bytes where blocks stand")
    }

    @Test func aDatabaseThatLostItsFirstPagesIsNotMadeAnew() throws {
        let session = try ToyStore.open(path)
        for _ in 0..<20 { try ToyStore.commit(session, .full) }
        try session.close()
        for count in [4096, 8192, 12_288, 14_400, 16_384] {
            var toy = try content(path)
            toy.replaceSubrange(..<count, with: [UInt8](repeating: 0, count: count))
            try system.removeFile(path)
            try expectUntouched(toy, "the first \(count) bytes of a store")
            var small = try newDatabase
            // A commit's block where the first version has none.
            small[small.count - 4000] = 1
            small.replaceSubrange(..<count, with: [UInt8](repeating: 0, count: count))
            try expectUntouched(small, "the first \(count) bytes of a small database")
            try put(toy, path)
            try system.removeFile(path)
            let again = try ToyStore.open(path)
            for _ in 0..<20 { try ToyStore.commit(again, .full) }
            try again.close()
        }
        // One that was finished opens by its second copy, even if nothing was ever committed.
        var opened = try newDatabase
        opened.replaceSubrange(..<112, with: [UInt8](repeating: 0, count: 112))
        try put(opened, path)
        try open(path)
        #expect(try content(path)[2048..<2160] == opened[2048..<2160], "it was made anew")
    }

    @Test func whatACutOffCreationLeavesIsMadeAnew() throws {
        let whole = try newDatabase.count
        for length in [0, 1, 112, 4096, 16_384, whole] {
            try put([UInt8](repeating: 0, count: length), path)
            try open(path)
            try open(path, readOnly: true)
        }
    }

    /// Kills and power cuts at every operation of a creation, with sectors that were torn or never written.
    @Test(arguments: [false, true]) func aCreationCutOffAnywhereIsFinishedByTheNext(_ isEncrypted: Bool) throws {
        let key = isEncrypted ? Self.key : nil
        var images = 0
        for seed in 1...4 as ClosedRange<UInt64> {
            let machine = SimulatedSystem(seed: seed)
            machine.options.fileCapacity = 64 << 20
            machine.options.recordsMappedStores = false
            try open("/x.freehold", machine.makeProcess(), key: key)
            for crash in machine.crashCases(seed: seed, subsets: 3, torn: 2) {
                let image = machine.image(crash)
                do { try open("/x.freehold", image.makeProcess(), key: key) } catch {
                    Issue.record("seed \(seed), \(crash): \(error)")
                }
                image.discard()
                images += 1
            }
            machine.discard()
        }
        #expect(images > 300)
    }

    /// What a plain creation writes is what `UnfinishedCreation` knows again: files that earlier releases left are judged by it too.
    @Test func theFirstVersionsBlocksAreThoseOfEveryRelease() throws {
        let bytes = try FirstVersion.make(nil).bytes
        #expect(bytes == (try FirstVersion.make(nil).bytes))
        let sum = bytes.reduce(into: UInt64(14_695_981_039_346_656_037)) { $0 = ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        #expect([bytes.count, Int(truncatingIfNeeded: sum)] == [36864, -7_629_694_578_754_079_779])
    }
}
