import FreeholdEngine
import Glibc
import TestKit
import Testing

@testable import FreeholdImport

/// Stores that `make_store.py` writes, which knows the format from what is published and nothing of the reader, read as it
/// says. A failure names its seed: `make_store.py FOLDER SEED 1` writes it again.
@Suite struct CoreDataStoreTests {
    private static let shard = 40
    private static let shards: [Range<Int>] = stride(from: 0, to: TestScale.count(240), by: shard).map { $0..<$0 + shard }

    @Test("random models with random objects read as they were written", arguments: shards)
    func random(seeds: Range<Int>) throws {
        let folder = try TemporaryFolder()
        try CoreDataMaking.run([folder.path, "\(seeds.lowerBound)", "\(seeds.count)"])
        for seed in seeds {
            do {
                let expected = try linesOfFile(folder.file("\(seed).dump"))
                let store = try CoreDataStore(SQLiteFile(path: folder.file(expected[0])))
                let found = try CoreDataDump(store).lines(restarting: seed % 3 == 0 ? 1 : nil)
                try store.checkUnchanged()
                compare(found, Array(expected.dropFirst()), "seed \(seed)")
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }

    @Test("every type, inheritance and every kind of relationship", arguments: ["types", "external", "library", "renumbered"])
    func named(name: String) throws {
        let folder = try TemporaryFolder()
        let (store, expected) = try make(name, in: folder)
        compare(try CoreDataDump(store).lines(), expected, name)
    }

    @Test("an import of a store: links lead to objects of subclasses, and what links back is found")
    func imported() throws {
        let folder = try TemporaryFolder()
        let (store, _) = try make("library", in: folder)
        let database = try Database.open(folder.file("a.freehold"))
        _ = try StoreImporter(store, name: "library", into: database).run()
        let snapshot = try database.snapshot()
        #expect(try snapshot.table("Party").count == 10)
        #expect(try snapshot.table("Employee").count == 4)
        #expect(try snapshot.table("Person").count == 8)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a store without its model: names and types of columns, and the relationships that names tell")
    func uncached() throws {
        let folder = try TemporaryFolder()
        let (store, _) = try make("uncached", in: folder)
        #expect(store.remarks.first?.text.contains("does not keep its model") == true)
        let lines = try CoreDataDump(store).lines()
        #expect(lines.contains("class Employee Person 4"))
        // The columns of all entities of a table are properties of the outermost one; keys of other objects are numbers.
        #expect(lines.contains("property Party name string 1 - - nullify 0"))
        #expect(lines.contains("property Party title int 1 - - nullify 0"))
        #expect(lines.contains("property Party title1 string 1 - - nullify 0"))
        #expect(lines.contains("property Party employer int 1 - - nullify 0"))
        #expect(lines.contains("property Person friends link 0 set Person nullify 0"))
        #expect(lines.contains("property Person tags link 0 list Tag nullify 0"))
        #expect(lines.contains("property Tag notes link 0 list Tag nullify 0"))
        #expect(lines.contains { $0.hasPrefix("object Tag 1 ") && $0.contains("s:l0") && $0.contains("[>5,>4]") })
    }

    @Test("rows that are not as the model says, values in other files, and what has no place in the classes")
    func odd() throws {
        let folder = try TemporaryFolder()
        try CoreDataMaking.run([folder.path, "odd"])
        let file = try SQLiteFile(path: folder.file("odd.sqlite"))
        let store = try CoreDataStore(file, options: CoreDataStoreOptions(externalAttributes: ["Thing.thumbnail"]))
        let thing = try #require(store.classes.first?.schema)
        let types: [String: String] = [
            "count": "mixed?", "flag": "int?", "ratio": "double?", "code": "mixed?", "price": "mixed?", "created": "mixed?",
            "identifier": "data?", "archive": "mixed?", "big": "data?", "long": "string?", "must": "string?", "photo": "data?",
            "thumbnail": "data?", "placecity": "string?",
        ]
        #expect(Set(thing.properties.map(\.name)) == Set(types.keys))
        for property in thing.properties {
            #expect(types[property.name] == property.type.name + (property.isNullable ? "?" : ""), "\(property.name)")
        }
        let lines = try CoreDataDump(store).lines().filter { $0.hasPrefix("object") }
        #expect(lines.count == 4)
        let second = try #require(lines.first { $0.hasPrefix("object Thing 2 ") })
        for text in [
            "s:two", "i:7", "d:3fb999999999999a", "x:0001", "s:a\\20;lot", "s:today", "x:313233", "X:2000000:", "X:3000000:", "x:616263",
        ] {
            #expect(second.contains(text), "\(text)")
        }
        #expect(second.contains("s:" + String(repeating: "l", count: 1_500_000)))
        let said = store.remarks.map { "\($0.place): \($0.text)" }.joined(separator: "\n")
        for text in [
            "persistent history", "CloudKit", "table notes", "1 rows of the table ZTHING are of no known entity",
            "Elsewhere: the store has no table",
            "Thing.elsewhere: the store has no objects of the entity 'Elsewhere'",
            "Thing.photo: the files of 1 values in external storage are missing",
            "Thing.must: some values are missing", "Thing.placecity: no attribute of the model explains the column ZPLACECITY",
            "Thing.count: some values are not of the type int",
        ] {
            #expect(said.contains(text), "\(text) is not in:\n\(said)")
        }
        let plain = try CoreDataStore(file)
        #expect(plain.remarks.contains { $0.place == "Thing.thumbnail" && $0.text.contains("external storage") })
        #expect(throws: SourceError(.invalidOption, "the store has no attribute 'Thing.none'")) {
            try CoreDataStore(file, options: CoreDataStoreOptions(externalAttributes: ["Thing.none"]))
        }
    }

    @Test("a database that is not a store")
    func notAStore() throws {
        let folder = try TemporaryFolder()
        try SQLiteMaking.database(folder.file("a.sqlite"), "connection.execute('CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY)')")
        let file = try SQLiteFile(path: folder.file("a.sqlite"))
        #expect(!CoreDataStore.recognizes(file))
        let error = #expect(throws: SourceError.self) { try CoreDataStore(file) }
        #expect(error?.kind == .notThisFormat)
    }

    private func make(_ name: String, in folder: TemporaryFolder) throws -> (CoreDataStore, [String]) {
        try CoreDataMaking.run([folder.path, name])
        let store = try CoreDataStore(SQLiteFile(path: folder.file("\(name).sqlite")))
        return (store, Array(try linesOfFile(folder.file("\(name).dump")).dropFirst()))
    }

    private func compare(_ found: [String], _ expected: [String], _ what: String) {
        #expect(found.count == expected.count, "\(what)")
        if let place = zip(found, expected).enumerated().first(where: { $1.0 != $1.1 })?.offset {
            Issue.record("\(what), line \(place): \(found[place].prefix(600)) instead of \(expected[place].prefix(600))")
        }
    }
}

/// Runs Python with the scripts of this folder.
enum CoreDataMaking {
    static func run(_ arguments: [String], script: String = "make_store.py") throws {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        let process = try SpawnedProcess("/usr/bin/env", ["python3", "-B", "/\(folder)/\(script)"] + arguments)
        try #require(process.wait() == .exited(0), "python3 failed: its standard error says why")
    }
}
