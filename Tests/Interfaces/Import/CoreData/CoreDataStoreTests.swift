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

    @Test("every type, inheritance and every kind of relationship", arguments: ["types", "external", "library"])
    func named(name: String) throws {
        let folder = try TemporaryFolder()
        let (store, expected) = try make(name, in: folder)
        compare(try CoreDataDump(store).lines(), expected, name)
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
