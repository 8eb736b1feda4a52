import FreeholdEngine
import Glibc
import TestKit
import Testing

@testable import FreeholdImport

/// What becomes of files that are not read, that change, and whose names the engine refuses.
@Suite struct RealmFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("a.realm")
    }

    private func model(_ format: Int = 24) -> RealmModel {
        var random = SeededRandom(seed: 3)
        return RealmModel(format: format, objects: 20, isSmall: true, &random)
    }

    private func kind(_ bytes: [UInt8], key: [UInt8]? = nil) throws -> SourceError.Kind? {
        try RealmFiles.write(bytes, to: path)
        do {
            _ = try RealmReading(RealmFileStore(path: path, key: key))
            return nil
        } catch let error as SourceError { return error.kind }
    }

    @Test("other formats are refused in words")
    func otherFormatsAreRefused() throws {
        let file = RealmWriter.file(model(), SeededRandom(seed: 1)).bytes
        for format in 0...255 where !(10...24).contains(format) {
            var other = file
            other[20] = UInt8(format)
            other[21] = UInt8(format)
            #expect(try kind(other) == .unsupported)
        }
        var old = file
        (old[20], old[21]) = (9, 9)
        try RealmFiles.write(old, to: path)
        let error = #expect(throws: SourceError.self) { try RealmFileStore(path: path, key: nil) }
        #expect(error?.message.contains("open it once with a Realm of version 10 or later") == true)
    }

    @Test("what is no Realm file is said to be none")
    func otherFilesAreToldApart() throws {
        #expect(try kind([]) == .notThisFormat)
        #expect(try kind(Array("SQLite format 3\0".utf8) + [UInt8](repeating: 7, count: 9000)) == .notThisFormat)
        let missing = #expect(throws: SourceError.self) { try RealmFileStore(path: folder.file("missing"), key: nil) }
        #expect(missing?.kind == .system && missing?.systemCode == ENOENT)
        let directory = #expect(throws: SourceError.self) { try RealmFileStore(path: folder.path, key: nil) }
        #expect(directory?.kind == .system && directory?.systemCode == EISDIR)
    }

    @Test("a file in which nothing was committed has no classes")
    func emptyFilesAreRead() throws {
        try RealmFiles.write([UInt8](repeating: 0, count: 16) + Array("T-DB".utf8) + [0, 0, 0, 0], to: path)
        #expect(try RealmFileStore(path: path, key: nil).classes.isEmpty)
    }

    @Test("a missing, a wrong, a short and a needless key are told apart from damage")
    func keysAreChecked() throws {
        let plain = RealmWriter.file(model(), SeededRandom(seed: 1)).bytes, sealed = try RealmSealing.file(plain)
        var other = RealmSealing.key
        other[40] ^= 1
        #expect(try kind(sealed) == .wrongKey)
        #expect(try kind(sealed, key: other) == .wrongKey)
        #expect(try kind(sealed, key: Array(other.dropLast())) == .wrongKey)
        #expect(try kind(plain, key: RealmSealing.key) == .wrongKey)
        #expect(try kind(sealed, key: RealmSealing.key) == nil)
        var damaged = sealed
        damaged[3 * 4096 + 5] ^= 1
        #expect(try kind(damaged, key: RealmSealing.key) == .damaged)
    }

    @Test("files are recognised by their first bytes, encrypted ones by the form of a page or by the key")
    func filesAreRecognised() throws {
        func recognizes(_ bytes: [UInt8], key: [UInt8]? = nil) -> Bool { bytes.withUnsafeBytes { RealmFileStore.recognizes($0, key: key) } }
        let plain = RealmWriter.file(model(), SeededRandom(seed: 1)).bytes, sealed = try RealmSealing.file(plain)
        var other = RealmSealing.key
        other[40] ^= 1
        #expect(recognizes(Array(plain.prefix(24))))
        #expect(!recognizes(Array(plain.prefix(23))))
        #expect(recognizes(Array(sealed.prefix(8192))) && recognizes(Array(sealed.prefix(8192)), key: RealmSealing.key))
        #expect(!recognizes(Array(sealed.prefix(8192)), key: other))
        #expect(!recognizes([UInt8](repeating: 0, count: 8192)))
        var random = SeededRandom(seed: 9)
        #expect(!recognizes((0..<8192).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
        for name in RealmSamples.names {
            let input = try RealmDescriptor(path: RealmSamples.path("\(name).realm")).bytes(at: 0, count: 8192)
            #expect(recognizes(input))
        }
    }

    @Test("a commit by another program is noticed: in the header, in the length, in another file of the name")
    func changesAreNoticed() throws {
        let file = RealmWriter.file(model(), SeededRandom(seed: 1)).bytes
        for change in 0..<4 {
            try RealmFiles.write(file, to: path)
            let store = try RealmFileStore(path: path, key: nil)
            try store.checkUnchanged()
            let cursor = try store.objects(of: 0, after: nil)
            switch change {
            case 0: try overwrite([UInt8(file[0] ^ 8)], at: 0)
            case 1: #expect(truncate(path, off_t(file.count + 4096)) == 0)
            case 2:
                try RealmFiles.write(file, to: folder.file("b"))
                #expect(rename(folder.file("b"), path) == 0)
            default: #expect(truncate(path, 64) == 0)
            }
            #expect(throws: SourceError.self) { try store.checkUnchanged() }
            let error = #expect(throws: SourceError.self) {
                while try cursor.next() != nil {}
                try store.checkUnchanged()
            }
            #expect(error?.kind == .changed, "change \(change)")
        }
    }

    private func overwrite(_ bytes: [UInt8], at offset: Int) throws {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) } == bytes.count)
    }

    @Test("what is overwritten while it is read is a change, not damage")
    func overwrittenObjectsAreAChange() throws {
        var random = SeededRandom(seed: 3)
        let model = RealmModel(format: 24, objects: 500, isSmall: true, &random)
        let file = RealmWriter.file(model, random).bytes
        try RealmFiles.write(file, to: path)
        let store = try RealmFileStore(path: path, key: nil)
        let place = try #require(store.classes.firstIndex { $0.schema.name == "Sent" })
        // Objects that were not read yet, and both references to the top.
        try overwrite([UInt8](repeating: 0xFF, count: file.count / 2), at: 64)
        try overwrite([file[0] ^ 8], at: 0)
        let error = #expect(throws: SourceError.self) {
            let cursor = try store.objects(of: 0, after: nil), other = try store.objects(of: place, after: nil)
            while try cursor.next() != nil {}
            while try other.next() != nil {}
        }
        #expect(error?.kind == .changed)
    }

    @Test("the same content has the same identity, other content another one")
    func identitiesDiffer() throws {
        let file = RealmWriter.file(model(), SeededRandom(seed: 1)).bytes
        try RealmFiles.write(file, to: path)
        let first = try RealmFileStore(path: path, key: nil).identity
        #expect(try RealmFileStore(path: path, key: nil).identity == first)
        try overwrite([UInt8(file[8] ^ 8)], at: 8)
        try RealmFiles.write(file, to: folder.file("c"))
        #expect(try RealmFileStore(path: folder.file("c"), key: nil).identity != first)
    }

    @Test("empty and repeated names become others, with a remark")
    func namesAreChanged() throws {
        var model = RealmModel(format: 24)
        let columns = ["", "a", "a", "a_2", "é", "e\u{301}"].map { RealmModel.Column(name: $0, type: 0) }
        model.tables = [RealmModel.Table(name: "", columns: columns), RealmModel.Table(name: "Twice"), RealmModel.Table(name: "Twice")]
        try RealmFiles.write(RealmWriter.file(model, SeededRandom(seed: 1)).bytes, to: path)
        let store = try RealmFileStore(path: path, key: nil)
        #expect(store.classes.map(\.schema.name) == ["Unnamed", "Twice", "Twice_2"])
        #expect(store.classes.map(\.sourceName) == ["", "Twice", "Twice"])
        let names = store.classes[0].schema.properties.map(\.name)
        #expect(names.map { Array($0.utf8) } == ["unnamed", "a", "a_2", "a_2_2", "é", "e\u{301}"].map { Array($0.utf8) })
        let renamed = store.remarks.filter { $0.kind == .renamed }.map(\.place)
        #expect(renamed == ["Unnamed", "Unnamed.unnamed", "Unnamed.a_2", "Unnamed.a_2_2", "Twice_2"])
    }

    @Test("the schema is one that a database takes, and indexes and full-text indexes are told")
    func schemasAreTaken() throws {
        for format in [10, 20, 22, 24] {
            var model = model(format)
            model.tables[0].columns.append(RealmModel.Column(name: "full", type: 2, attributes: 256))
            model.tables[0].columns.append(RealmModel.Column(name: "quick", type: 0, attributes: 1))
            for row in model.tables[0].rows.indices { model.tables[0].rows[row].cells += [.value(.string("words")), .value(.int(7))] }
            try RealmFiles.write(RealmWriter.file(model, SeededRandom(seed: 1)).bytes, to: path)
            let store = try RealmFileStore(path: path, key: nil)
            #expect(store.remarks.contains { $0.place == "First.full" && $0.kind == .lost })
            #expect(store.classes[0].schema.properties.contains { $0.name == "quick" && $0.isIndexed })
            var options = OpenOptions()
            options.inMemory = true
            let database = try Database.open("realm-schema-\(getpid())-\(format)", options)
            defer { database.close() }
            try database.write { transaction in try transaction.createClasses(store.classes.map(\.schema)) }
        }
    }
}
