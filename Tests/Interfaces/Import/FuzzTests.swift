import FreeholdEngine
import Glibc
import TestKit
import Testing

@testable import FreeholdImport

/// Any bytes give records or errors, and the same ones however the bytes come.
@Suite struct FuzzTests {
    private static let samples: [(RecordFormat, String)] = [
        (.json, #"[{"a":1,"b":[true,null,-1.5e3],"c":{"d":"x\n\u00e4\ud83d\ude00"}}, {"a":"é"}]"#),
        (.jsonl, "{\"a\":1,\"b\":\"x\"}\n{\"a\":{\"b\":{\"c\":[]}}}\n{\"a\":\"\\\\\"}\n"),
        (.csv, "a,b,c\n1,\"x\"\"y\",2024-05-01\r\n,\"\",\"two\nlines\"\n"),
        (.tsv, "a\tb\n1\t\"x\ty\"\n\t\n"),
        (.control, "Package: a\nDescription: first\n second\n .\n\nPackage: b\n"),
    ]

    @Test(arguments: 0..<samples.count)
    func anyBytesGiveRecordsOrErrors(index: Int) {
        let (format, sample) = Self.samples[index]
        for round in 0..<4_000 * Self.effort {
            let seed = UInt64(index * 1_000_000 + round + 1)
            var random = SeededRandom(seed: seed)
            let text = mutated(Array(sample.utf8), &random)
            let whole = Reading(text, as: format, blockLength: 4096)
            let blockLength = 1 + Int(random.next() % 16)
            #expect(Reading(text, as: format, blockLength: blockLength) == whole, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<samples.count)
    func whateverIsImportedLeavesADatabaseInOrder(index: Int) throws {
        let (format, sample) = Self.samples[index]
        var options = OpenOptions()
        options.inMemory = true
        let name = "fuzz-\(getpid())-\(index)"
        for round in 0..<100 * Self.effort {
            let seed = UInt64(index * 1_000_000 + round + 1)
            var random = SeededRandom(seed: seed)
            let database = try Database.open(name, options)
            defer { database.close() }
            var wishes = ImportOptions(into: "C\(round)")
            wishes.skipsBadRecords = round % 2 == 0
            wishes.sampleSize = 1 + round % 3
            wishes.batchSize = 1 + round % 2
            let reader = format.reader(ByteInput(mutated(Array((sample + sample).utf8), &random)))
            let importer = Importer(reader, format: format, into: database, options: wishes)
            let before = try database.snapshot().version
            do {
                _ = try importer.run()
            } catch is ImportError {
                if !wishes.skipsBadRecords { #expect(try database.snapshot().version == before, "seed \(seed)") }
            } catch let error as FreeholdError {
                #expect(error.code.band == .argument, "seed \(seed): \(error)")
            }
            let report = try database.check()
            #expect(report.isClean, "seed \(seed): \(report.problems)")
        }
    }

    /// How many times the daily number of rounds.
    private static let effort = TestScale.count(1)

    private func mutated(_ sample: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var text = sample
        for _ in 0...(random.next() % 6) {
            let place = text.isEmpty ? 0 : Int(random.next() % UInt64(text.count))
            let byte = random.next() % 4 == 0 ? UInt8(truncatingIfNeeded: random.next()) : Self.likely[Int(random.next() % UInt64(Self.likely.count))]
            switch random.next() % 5 {
            case 0 where !text.isEmpty: text[place] = byte
            case 1 where !text.isEmpty: text.remove(at: place)
            case 2: text.insert(byte, at: place)
            case 3: text.insert(contentsOf: text[place...].prefix(Int(random.next() % 20)), at: place)
            default: text.removeSubrange(place..<min(text.count, place + Int(random.next() % 8)))
            }
        }
        return text
    }

    private static let likely = Array("\"\\{}[],:\n\r\t .0-9eEu#\0ntf".utf8)
}
