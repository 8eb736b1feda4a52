import FreeholdEngine
import TestKit
import Testing

@testable import FreeholdImport

/// Random files of other formats become databases that are whole.
@Suite struct StoreFormatTests {
    private static let shard = 20
    private static let shards: [Range<Int>] = stride(from: 0, to: TestScale.count(100), by: shard).map { 10_000 + $0..<10_000 + $0 + shard }

    /// Imports a source into a new database, and compares the numbers of objects.
    private static func bring(_ path: String, into target: String, _ what: String) throws {
        let store = try SourceFile(path: path).open(), database = try Database.open(target)
        defer { database.close() }
        let importer = StoreImporter(store, name: "old", into: database)
        importer.objectsInTransaction = 100
        let summary = try importer.run(), snapshot = try database.snapshot()
        for (described, imported) in zip(store.classes, summary.classes) where !described.schema.isEmbedded {
            let count = try snapshot.table(described.schema.name, withSubclasses: false).count
            #expect(count == described.count && count == imported.count, "\(what), class \(described.schema.name)")
        }
        let report = try database.check()
        #expect(report.isClean, "\(what): \(report.problems.prefix(3))")
    }

    @Test("random SQLite databases are imported whole", arguments: shards)
    func sqlite(seeds: Range<Int>) throws {
        let folder = try TemporaryFolder()
        try SQLiteMaking.databases(seeds, in: folder)
        for seed in seeds {
            do {
                try Self.bring(folder.file("\(seed).sqlite"), into: folder.file("\(seed).freehold"), "seed \(seed)")
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }

    @Test("random .realm files are imported whole", arguments: [10, 20, 22, 23, 24])
    func realm(format: Int) throws {
        let folder = try TemporaryFolder()
        let seeds = TestScale.seeds(10, full: 30)
        var whole = 0
        for seed in seeds {
            var random = SeededRandom(seed: seed * 100 + UInt64(format))
            // Few objects seldom have keys twice.
            let model = RealmModel(format: format, objects: 1 + random.below(seed % 3 == 0 ? 4 : 40), isSmall: true, &random)
            let writer = RealmWriter.file(model, random, clusterLimit: 1 + random.below(5), leafLimit: 1 + random.below(6))
            let path = folder.file("\(seed).realm")
            try RealmFiles.write(writer.bytes, to: path)
            do {
                try Self.bring(path, into: folder.file("\(seed).freehold"), "format \(format), seed \(seed)")
                whole += 1
            } catch let error as FreeholdError where error.code == .duplicateKey {
                // The generator gives keys twice, which Realm itself does not.
                let database = try Database.open(folder.file("\(seed).freehold"))
                #expect(try database.snapshot().classes.isEmpty)
            } catch {
                Issue.record("format \(format), seed \(seed): \(error)")
            }
        }
        // Under a sanitizer there may be too few.
        #expect(whole > 0 || seeds.count < 10)
    }
}
