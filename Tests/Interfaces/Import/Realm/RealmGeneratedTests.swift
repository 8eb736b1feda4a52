import FreeholdEngine
import Glibc
import TestKit
import Testing

@testable import FreeholdImport

/// Files written by a generator from the facts about the format: what the samples lack.
@Suite struct RealmGeneratedTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(_ bytes: [UInt8], key: [UInt8]? = nil) throws -> RealmFileStore {
        let path = folder.file("generated.realm")
        try RealmFiles.write(bytes, to: path)
        return try RealmFileStore(path: path, key: key)
    }

    @Test("files of every format with random content are read equal", arguments: [10, 11, 20, 21, 22, 23, 24])
    func everyFormatIsReadEqual(format: Int) throws {
        for seed in TestScale.seeds(4) {
            var random = SeededRandom(seed: seed * 100 + UInt64(format))
            let limit = [1, 4, 30, 256].randomElement(using: &random)!, leafLimit = [1, 3, 1000].randomElement(using: &random)!
            let model = RealmModel(format: format, objects: seed % 4 == 0 ? 300 : 1 + random.below(12), isSmall: seed % 4 != 1, &random)
            let file = RealmWriter.file(model, random, clusterLimit: limit, leafLimit: leafLimit, isStream: random.oneIn(3))
            let store = try store(file.bytes)
            let reading = try RealmReading(store)
            #expect(reading.names == model.tables.map(\.name))
            for (place, rows) in model.reading.enumerated() {
                expectEqual(reading.rows[place], rows, "seed \(seed), \(model.tables[place].name)")
                expectSchema(store.classes[place], model.tables[place], model)
            }
            #expect(store.format.hasPrefix("Realm file, format \(format)"))
            #expect(store.remarks.contains { $0.place.isEmpty && $0.kind == .lost } == model.isSynchronised)
            try store.checkUnchanged()
        }
    }

    private func expectEqual(_ read: [RealmReading.Row], _ wanted: [RealmReading.Row], _ place: String) {
        #expect(read.map(\.key) == wanted.map(\.key), "\(place)")
        // Only the first difference of a class is shown.
        if let (one, other) = zip(read, wanted).first(where: { $0 != $1 }) {
            let column = zip(one.values, other.values).enumerated().first { $0.element.0 != $0.element.1 }
            let values = "\(column?.element.0 ?? "") instead of \(column?.element.1 ?? "")"
            Issue.record("\(place), object \(one.key), property \(column?.offset ?? -1): \(values)")
        }
    }

    private func expectSchema(_ read: SourceClass, _ table: RealmModel.Table, _ model: RealmModel) {
        #expect(read.count == (table.isEmbedded ? 0 : table.rows.count))
        #expect(read.schema.isEmbedded == table.isEmbedded)
        #expect(read.schema.primaryKey == table.primaryKey.map { table.columns[$0].name })
        for (property, column) in zip(read.schema.properties, table.columns) {
            #expect(property.name == column.name)
            let isNullable = column.type == 12 ? column.isDictionary || !column.isCollection
                : column.isNullable || [6, 16].contains(column.type)
            #expect(property.isNullable == isNullable, "\(column.name)")
            #expect(property.linkTarget == column.target.map { model.tables[$0].name })
            #expect(property.collections == (column.isList ? [.list] : column.isSet ? [.set] : column.isDictionary ? [.map] : []))
        }
    }

    @Test("an encrypted file is read equal, also where a write was interrupted")
    func encryptedFilesAreReadEqual() throws {
        for seed in TestScale.seeds(6) {
            var random = SeededRandom(seed: seed)
            let model = RealmModel(format: 24, objects: 10 + random.below(60), isSmall: true, &random)
            let file = RealmWriter.file(model, random, isStream: random.oneIn(3))
            let sealed = try RealmSealing.file(file.bytes) { ($0 + Int(seed)) % 3 == 0 }
            let store = try store(sealed, key: RealmSealing.key)
            #expect(try RealmReading(store).rows == model.reading, "seed \(seed)")
            #expect(store.format.hasSuffix(", encrypted"))
        }
    }

    @Test("reading goes on after any key, and counts the same")
    func readingGoesOnAfterAKey() throws {
        for seed in TestScale.seeds(6) {
            var random = SeededRandom(seed: seed)
            let model = RealmModel(format: 24, objects: 80, isSmall: true, &random)
            let store = try store(RealmWriter.file(model, random, clusterLimit: 1 + random.below(20)).bytes)
            let wanted = model.reading[0], keys = wanted.map(\.key)
            for key in [-1, 0, .max, keys[0] - 1, keys[79]] + (0..<10).map({ _ in keys[random.below(80)] + Int64(random.below(2)) }) {
                let read = try RealmReading.rows(of: 0, after: key, store)
                #expect(read == wanted.filter { $0.key > key }, "seed \(seed), after \(key)")
            }
        }
    }

    @Test("many objects lie in trees of three levels and are read in batches")
    func treesOfThreeLevelsAreRead() throws {
        for clusterLimit in [256, 8] {
            var model = RealmModel(format: 24)
            let count = clusterLimit == 256 ? 70_000 : 1500
            model.tables = [RealmModel.Table(name: "Many", columns: [RealmModel.Column(name: "number", type: 0)])]
            model.tables[0].rows = (0..<count).map { (Int64($0), [.value(.int(Int64($0) * 7 - 1000))]) }
            let store = try store(RealmWriter.file(model, SeededRandom(seed: 1), clusterLimit: clusterLimit).bytes)
            let reading = try RealmReading(store)
            #expect(reading.rows == model.reading)
            #expect(reading.batches == (count + SourceLimits.batchObjects - 1) / SourceLimits.batchObjects)
        }
    }

    @Test("long strings and data are read in parts, and batches with them are small")
    func longValuesAreReadInParts() throws {
        var model = RealmModel(format: 24)
        model.tables = [RealmModel.Table(name: "Long", columns: [
            RealmModel.Column(name: "text", type: 2, attributes: 16), RealmModel.Column(name: "data", type: 4),
            RealmModel.Column(name: "datas", type: 4, attributes: 32),
        ])]
        let sizes = [10, 1 << 20, (1 << 20) + 10, 3 << 20, 0, 600_000, 700_000, 800_000, 900_000, 1_000_000, 1_000_000, 1_000_000, 5]
        for (row, size) in sizes.enumerated() {
            let text = row == 4 ? Value.null : .string(String(repeating: row % 2 == 0 ? "€ab" : "abcde", count: size / 5))
            let data = Value.data([UInt8](repeating: UInt8(row), count: size))
            model.tables[0].rows.append((Int64(row), [.value(text), .value(data), .list([.value(data)])]))
        }
        let store = try store(RealmWriter.file(model, SeededRandom(seed: 4)).bytes)
        let reading = try RealmReading(store)
        #expect(reading.rows == model.reading)
        #expect(reading.batches > 3)
        let batch = try #require(try store.objects(of: 0, after: 1).next())
        guard case .any(let values) = batch.columns[0].content, case .long(let bytes) = values[0] else {
            Issue.record("a string of more than a megabyte is not long")
            return
        }
        #expect(bytes.isText && bytes.count == ((1 << 20) + 10) / 5 * 5)
    }

    @Test("a long string that is not UTF-8 is damage")
    func longStringsAreChecked() throws {
        for place in [0, 65_535, 65_536, (1 << 20) + 400] {
            var text = [UInt8](repeating: 97, count: (1 << 20) + 500)
            for fault in [[0xFF], [0xE2, 0x82, 0x41], [0xE2, 0x82]] as [[UInt8]] {
                text.replaceSubrange(place..<place + fault.count, with: fault)
                #expect(throws: SourceError.self) { try RealmReading(store(fileOfBigText(text))) }
            }
            text.replaceSubrange(place..<place + 3, with: Array("€".utf8))
            _ = try RealmReading(store(fileOfBigText(text)))
        }
    }

    /// A file with one object that has one string of any bytes.
    private func fileOfBigText(_ text: [UInt8]) -> [UInt8] {
        var model = RealmModel(format: 24)
        model.tables = [RealmModel.Table(name: "Long", columns: [RealmModel.Column(name: "text", type: 2)])]
        model.tables[0].rows = [(0, [.value(.data(text))])]
        return RealmWriter.file(model, SeededRandom(seed: 5)).bytes
    }
}

/// Files of tests.
enum RealmFiles {
    static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SourceError(.system, path, systemCode: errno) }
        defer { close(descriptor) }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + done, bytes.count - done) }
            guard count > 0 else { throw SourceError(.system, path, systemCode: errno) }
            done += count
        }
    }
}
