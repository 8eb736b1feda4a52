import FreeholdEngine
import Glibc
import TestKit
import Testing

@testable import FreeholdImport

/// Damaged archives, models and stores give objects or an error: never a stop, and an import of what they give is sound.
///
/// `FREEHOLD_LONG=20` damages twenty times as many.
@Suite struct CoreDataFuzzTests {
    private static let shard = 25
    private static let shards: [Range<Int>] = stride(from: 0, to: TestScale.count(150), by: shard).map { $0..<$0 + shard }

    @Test("sound databases that are damaged stores", arguments: shards)
    func damagedStores(seeds: Range<Int>) throws {
        let folder = try TemporaryFolder()
        try CoreDataMaking.run([folder.path, "\(seeds.lowerBound)", "\(seeds.count)"], script: "damaged_stores.py")
        let imported = try seeds.count { seed in try imports(folder.file("\(seed).sqlite"), in: folder, "seed \(seed)") }
        #expect(imported > 0 && imported < seeds.count, "\(imported) of \(seeds.count) were imported")
    }

    /// Reads a store whole and, if that succeeds, imports it.
    /// - Returns: whether it was read.
    private func imports(_ path: String, in folder: TemporaryFolder, _ what: String) throws -> Bool {
        let store: CoreDataStore
        do {
            store = try CoreDataStore(SQLiteFile(path: path))
            try readAll(store, what)
        } catch is SourceError {
            return false
        }
        let database = try Database.open(folder.file("\(what).freehold"))
        defer { database.close() }
        do {
            _ = try StoreImporter(store, name: "x", into: database).run()
        } catch let error as FreeholdError {
            // A unique index that is damaged has equal values.
            #expect(error.code == .duplicateKey, "\(what): \(error)")
        }
        #expect(try database.check().problems.isEmpty, "\(what)")
        return true
    }

    /// Every batch has a value of the right form for each of its objects.
    private func readAll(_ store: CoreDataStore, _ what: String) throws {
        for place in store.classes.indices {
            let properties = store.classes[place].schema.properties
            let cursor = try store.objects(of: place, after: nil)
            var last = Int64.min
            var count = 0
            while let batch = try cursor.next() {
                #expect(batch.columns.count == properties.count, "\(what)")
                for (column, property) in zip(batch.columns, properties) {
                    #expect(isSound(column, property, batch.keys.count), "\(what): \(store.classes[place].schema.name).\(property.name)")
                }
                for key in batch.keys {
                    if count > 0, key <= last { Issue.record("\(what): key \(key) after \(last)") }
                    (last, count) = (key, count + 1)
                }
            }
            #expect(count == store.classes[place].count, "\(what)")
        }
    }

    private func isSound(_ column: SourceColumn, _ property: PropertySchema, _ count: Int) -> Bool {
        if let nulls = column.nulls {
            if nulls.count != (count + 63) / 64 { return false }
            if !property.isNullable, nulls.contains(where: { $0 != 0 }) { return false }
        }
        switch column.content {
        case .links(let keys): return property.type == .link && property.collections.isEmpty && keys.count == count
        case .any(let values):
            return values.count == count && (property.isNullable || property.type == .link || !values.contains { $0.isNull })
        case .plain(.texts(let bytes, let ends)):
            let isText = property.type == .string && String(validating: bytes, as: UTF8.self) != nil
            return ends.count == count && (isText || property.type == .data)
        case .plain(.ints(let all)): return property.type == .int && all.count == count
        case .plain(.doubles(let all)): return property.type == .double && all.count == count
        case .plain(.floats(let all)): return property.type == .float && all.count == count
        case .plain(.bools(let all)): return property.type == .bool && all.count == count
        case .plain(.dates(let all)): return property.type == .date && all.count == count
        case .plain(.values(let all)): return all.count == count && all.allSatisfy { $0 == .null || $0.type == property.type }
        case .plain(.strings): return false
        }
    }

    @Test("stores with damaged bytes", arguments: shards)
    func damagedBytes(seeds: Range<Int>) throws {
        let folder = try TemporaryFolder()
        try CoreDataMaking.run([folder.path, "\(seeds.lowerBound)", "4"])
        let samples = try (seeds.lowerBound..<seeds.lowerBound + 4).map { seed in
            try bytesOfFile(folder.file(try linesOfFile(folder.file("\(seed).dump"))[0]))
        }
        for seed in seeds {
            var random = SeededRandom(seed: UInt64(seed + 1))
            for round in 0..<40 {
                let sample = samples[Int(random.next() % 4)]
                let path = folder.file("damaged.sqlite")
                try write(damaged(sample, &random), to: path)
                do {
                    try readAll(CoreDataStore(SQLiteFile(path: path)), "seed \(seed), round \(round)")
                } catch is SourceError {}
            }
        }
    }

    @Test("archives with damaged bytes", arguments: shards)
    func damagedArchives(seeds: Range<Int>) throws {
        let folder = try TemporaryFolder()
        try CoreDataMaking.run([folder.path, "\(seeds.lowerBound)", "10"], script: "make_archives.py")
        try CoreDataMaking.run([folder.path, "library"])
        let file = try SQLiteFile(path: folder.file("library.sqlite"))
        let rows = try file.rows(of: #require(file.table("Z_MODELCACHE")), after: nil)
        #expect(try rows.next())
        guard case .blob(let cache) = try rows.cell(0) else { throw SourceError(.damaged, "no model") }
        let model = try Inflate.raw(cache, limit: 1 << 20)
        for seed in seeds {
            var random = SeededRandom(seed: UInt64(seed + 1))
            let number = seeds.lowerBound + Int(random.next() % 10)
            let files = try ["raw", "zlib", "plist", "keyed"].map { try bytesOfFile(folder.file("\(number).\($0)")) }
            for _ in 0..<20 {
                for bytes in files[..<2] where bytes.count < 50_000 {
                    if let result = try? Inflate.anyFormat(damaged(bytes, &random), limit: 1 << 20) { #expect(result.count <= 1 << 20) }
                }
                for bytes in files[2...] { _ = PlainValue.read(damaged(bytes, &random)) }
                if let archive = try? KeyedArchive(damaged(model, &random)) { _ = try? ManagedModel(archive: archive) }
            }
        }
    }

    /// The bytes with some changed, doubled, or left out.
    private func damaged(_ sample: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = sample
        for _ in 0...random.next() % 6 where !bytes.isEmpty {
            let place = Int(random.next() % UInt64(bytes.count))
            let value = UInt8(truncatingIfNeeded: random.next())
            switch random.next() % 8 {
            case 0: bytes.removeLast(min(bytes.count, Int(random.next() % 64)))
            case 1:
                bytes.replaceSubrange(place..<min(place + 8, bytes.count), with: repeatElement(0xFF, count: min(8, bytes.count - place)))
            case 2: bytes[place] = bytes[Int(random.next() % UInt64(bytes.count))]
            default: bytes[place] = value % 3 == 0 ? value : bytes[place] ^ (1 << (value & 7))
            }
        }
        return bytes
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}

extension SourceValue {
    fileprivate var isNull: Bool {
        if case .value(.null) = self { return true }
        return false
    }
}
