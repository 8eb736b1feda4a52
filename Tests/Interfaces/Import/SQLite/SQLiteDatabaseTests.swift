import Glibc
import TestKit
import Testing

@testable import FreeholdImport

/// Databases written by SQLite itself read as SQLite reads them.
///
/// `FREEHOLD_LONG=20` makes 6,000 of them. A failure names its seed: `make_databases.py FOLDER SEED 1` writes it again.
@Suite struct SQLiteDatabaseTests {
    private static let shard = 30
    private static let shards: [Range<Int>] = stride(from: 0, to: TestScale.count(300), by: shard).map { $0..<$0 + shard }

    @Test("random databases of every page size, encoding and journal mode read as SQLite reads them", arguments: shards)
    func random(seeds: Range<Int>) throws {
        let folder = try TemporaryFolder()
        try SQLiteMaking.databases(seeds, in: folder)
        for seed in seeds {
            let expected = try linesOfFile(folder.file("\(seed).dump"))
            do {
                let file = try SQLiteFile(path: folder.file("\(seed).sqlite"))
                let found = try SQLiteDump.lines(of: file)
                try file.checkUnchanged()
                #expect(found.count == expected.count, "seed \(seed)")
                if let place = zip(found, expected).enumerated().first(where: { $1.0 != $1.1 })?.offset {
                    Issue.record("seed \(seed), line \(place): \(found[place].prefix(400)) instead of \(expected[place].prefix(400))")
                }
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }
}
