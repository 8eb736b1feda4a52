import FreeholdEngine
import Glibc
import TestKit
import Testing

@testable import FreeholdImport

/// Damaged databases give rows or an error, and end.
///
/// `FREEHOLD_LONG=20` makes 80,000 of them. A failure names its number: the same number damages the same bytes.
@Suite struct SQLiteDamageTests {
    private static let shard = 250
    private static let shards: [Range<Int>] = stride(from: 0, to: TestScale.count(4000), by: shard).map { $0..<$0 + shard }

    @Test("any damage gives rows or an error", arguments: shards)
    func damage(numbers: Range<Int>) throws {
        let folder = try TemporaryFolder()
        try SQLiteMaking.run("make_small.py", [folder.path])
        let samples = try SQLiteDamage.samples.map { try SQLiteDamage(folder.file($0)) }
        let path = folder.file("damaged.sqlite")
        var rows = 0, errors = 0
        for number in numbers {
            var random = SeededRandom(seed: UInt64(number + 1))
            try samples[number % samples.count].write(to: path, &random)
            do throws(SourceError) {
                rows += try SQLiteDamage.read(path, number)
            } catch {
                errors += 1
                #expect(error.kind != .system && error.kind != .invalidOption, "number \(number): \(error)")
            }
        }
        // Damage that is never noticed, or always, tests nothing.
        #expect(rows > 0 && errors > 0)
    }
}

/// A database, and the ways to damage it.
struct SQLiteDamage {
    /// What `make_small.py` writes: trees of several levels, overflow, indexes, free pages, logs, all encodings.
    static let samples = ["plain.sqlite", "utf16.sqlite", "log.sqlite", "vacuum.sqlite", "large.sqlite"]

    private let main: [UInt8]
    private let log: [UInt8]
    private let pageSize: Int

    init(_ path: String) throws {
        main = try #require(Self.bytes(path))
        log = Self.bytes(path + "-wal") ?? []
        pageSize = Int(main[16]) << 8 | Int(main[17])
    }

    /// Writes a damaged copy.
    func write(to path: String, _ random: inout SeededRandom) throws {
        var main = main, log = log
        for _ in 0...random.below(4) {
            if !log.isEmpty, random.oneIn(4) { Self.change(&log, &random) } else { change(&main, &random) }
        }
        if random.oneIn(12) { main.removeLast(random.below(main.count)) }
        if !log.isEmpty, random.oneIn(8) { log.removeLast(random.below(log.count)) }
        unlink(path + "-wal")
        try Self.save(main, path)
        if !log.isEmpty { try Self.save(log, path + "-wal") }
    }

    /// Reads everything in all ways: the number of rows and objects.
    static func read(_ path: String, _ number: Int) throws(SourceError) -> Int {
        let file = try SQLiteFile(path: path)
        var count = 0, failure: SourceError?
        for table in file.tables {
            do throws(SourceError) {
                let rows = try file.rows(of: table, after: number % 3 == 0 ? 17 : nil)
                while try rows.next() {
                    for column in table.columns.indices { _ = try rows.cell(column) }
                    count += 1
                }
            } catch { failure = error }
        }
        do throws(SourceError) {
            let store = try SQLiteStore(file)
            for place in store.classes.indices {
                let cursor = try store.objects(of: place, after: number % 5 == 0 ? 40 : nil)
                while let batch = try cursor.next() { count += batch.keys.count }
            }
        } catch { failure = error }
        if let failure { throw failure }
        return count
    }

    private func change(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        let pages = bytes.count / pageSize
        // The start of pages, and of the file, is what decides most.
        let page = random.below(pages) * pageSize + (random.oneIn(pages) ? 100 : 0)
        switch random.below(8) {
        case 0: bytes[random.below(min(bytes.count, 100))] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes[page] = [2, 5, 10, 13, 0][random.below(5)]
        case 2: Self.put(UInt32(random.below(pages + 3)), at: page, &bytes)
        case 3: Self.put(UInt32(page / pageSize + 1), at: page + 8, &bytes)
        case 4: Self.put(UInt32(random.below(1 << 16)) << 16, at: page + 3, &bytes)
        case 5: Self.put(UInt32(random.below(pages + 2)), at: page + random.below(pageSize), &bytes)
        case 6: Self.put(random.oneIn(2) ? 0xFFFF_FFFF : 0x8080_8001, at: page + random.below(pageSize), &bytes)
        default: Self.change(&bytes, &random)
        }
    }

    private static func change(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        for _ in 0...random.below(6) { bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
    }

    private static func put(_ word: UInt32, at offset: Int, _ bytes: inout [UInt8]) {
        for index in 0..<4 where offset + index < bytes.count {
            bytes[offset + index] = UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * index))
        }
    }

    private static func bytes(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    static func save(_ bytes: [UInt8], _ path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}
