import FreeholdEngine
import Glibc
import TestKit
import Testing

@testable import FreeholdImport

/// Damaged files give objects or an error: never a stop, a hang or memory without bound.
@Suite struct RealmDamageTests {
    @Test("files with changed bytes, cut, with references redirected and counts enlarged give objects or an error",
          arguments: [10, 20, 22, 23, 24])
    func damageIsFound(format: Int) throws {
        let folder = try TemporaryFolder(), path = folder.file("damaged.realm")
        var outcomes = RealmOutcomes()
        for seed in TestScale.seeds(2000) {
            var random = SeededRandom(seed: seed * 1000 + UInt64(format))
            // A new file now and then: writing one takes as long as reading many.
            if seed % 50 == 1 || outcomes.writer == nil {
                let model = RealmModel(format: format, objects: 1 + random.below(4), isSmall: true, &random)
                outcomes.writer = RealmWriter.file(
                    model, random, clusterLimit: 1 + random.below(5), leafLimit: 1 + random.below(6), isStream: random.oneIn(3))
            }
            guard let writer = outcomes.writer else { continue }
            try RealmFiles.write(RealmDamage.damaged(writer, &random), to: path)
            outcomes.add(path, key: nil, "format \(format), seed \(seed)")
        }
        // Most damage is found, and some is in what is not read.
        #expect(outcomes.errors > outcomes.reads / 10 && outcomes.reads > 0)
    }

    @Test("encrypted files with damage below and above the encryption give objects or an error")
    func encryptedDamageIsFound() throws {
        let folder = try TemporaryFolder(), path = folder.file("damaged.realm")
        var outcomes = RealmOutcomes()
        for seed in TestScale.seeds(100) {
            var random = SeededRandom(seed: seed)
            let model = RealmModel(format: 24, objects: 1 + random.below(4), isSmall: true, &random)
            let writer = RealmWriter.file(model, random)
            var bytes = try RealmSealing.file(random.oneIn(2) ? writer.bytes : RealmDamage.damaged(writer, &random))
            if random.oneIn(2) { RealmDamage.change(&bytes, &random) }
            try RealmFiles.write(bytes, to: path)
            outcomes.add(path, key: RealmSealing.key, "seed \(seed)")
        }
        #expect(outcomes.errors > 0 && outcomes.reads > 0)
    }

    @Test("files by Realm itself with changed bytes give objects or an error", arguments: RealmSamples.names)
    func damagedSamplesAreRead(name: String) throws {
        let folder = try TemporaryFolder(), path = folder.file("damaged.realm")
        let key = RealmSamples.key(try RealmSamples.described(name))
        let file = try RealmDescriptor(path: RealmSamples.path("\(name).realm"))
        let bytes = try file.bytes(at: 0, count: Int(try file.state().length))
        var outcomes = RealmOutcomes()
        for seed in TestScale.seeds(25) {
            var random = SeededRandom(seed: seed), damaged = bytes
            RealmDamage.change(&damaged, &random)
            try RealmFiles.write(damaged, to: path)
            outcomes.add(path, key: key, "\(name), seed \(seed)")
        }
        #expect(outcomes.errors + outcomes.reads > 0)
    }

    @Test("embedded objects that own themselves, and lists that contain themselves, are damage")
    func cyclesAreFound() throws {
        let folder = try TemporaryFolder(), path = folder.file("cycle.realm")
        var model = RealmModel(format: 24)
        model.tables = [
            RealmModel.Table(name: "Owner", columns: [RealmModel.Column(name: "inner", type: 12, attributes: 16, target: 1)]),
            RealmModel.Table(name: "Inner", flags: 1, columns: [RealmModel.Column(name: "inners", type: 12, attributes: 32, target: 1)]),
        ]
        model.tables[0].rows = [(0, [.link(0)])]
        for children in [[0], [1, 1], [1, 2]] as [[Int64]] {
            model.tables[1].rows = [(0, [.list(children.map { .link($0) })]), (1, [.list([.link(2), .link(2)])]), (2, [.list([.link(0)])])]
            try RealmFiles.write(RealmWriter.file(model, SeededRandom(seed: 2)).bytes, to: path)
            let error = #expect(throws: SourceError.self) { try RealmReading(RealmFileStore(path: path, key: nil)) }
            #expect(error?.kind == .damaged)
        }
    }

    @Test("one node that is referred to from many places costs no more than a file of its size may")
    func sharedNodesAreBounded() throws {
        let folder = try TemporaryFolder(), path = folder.file("shared.realm")
        var random = SeededRandom(seed: 8)
        var outcomes = RealmOutcomes()
        for format in [22, 24] {
            var model = RealmModel(format: format)
            model.tables = [RealmModel.Table(name: "Lists", columns: [RealmModel.Column(name: "list", type: 0, attributes: 32)])]
            model.tables[0].rows = (0..<200).map { (Int64($0), [.list((0..<50).map { _ in .value(.int(Int64(random.below(9)))) })]) }
            let writer = RealmWriter.file(model, random, leafLimit: 3)
            // Each reference leads to a node that has many below it.
            let inner = writer.nodes.filter { writer.bytes[$0 + 4] & 0x80 != 0 }
            for target in inner.shuffled(using: &random).prefix(TestScale.count(60)) {
                var bytes = writer.bytes
                for (offset, width) in writer.references where offset < target {
                    bytes.replaceSubrange(offset..<offset + width, with: RealmWriter.little(UInt64(target), width))
                }
                try RealmFiles.write(bytes, to: path)
                outcomes.add(path, key: nil, "format \(format), node \(target)")
            }
        }
        #expect(outcomes.errors > 5)
    }
}

/// What became of damaged files.
struct RealmOutcomes {
    var errors = 0, reads = 0
    /// The file that is being damaged.
    var writer: RealmWriter?

    /// Reads a file to its end; whatever is wrong with it is a `SourceError`.
    mutating func add(_ path: String, key: [UInt8]?, _ place: String) {
        do {
            let store = try RealmFileStore(path: path, key: key)
            for place in store.classes.indices {
                // Other classes may be whole.
                do {
                    let cursor = try store.objects(of: place, after: nil)
                    var last: Int64 = -1
                    while let batch = try cursor.next() {
                        if let first = batch.keys.first { #expect(first > last, "\(place)") }
                        last = batch.keys.last ?? last
                        #expect(batch.keys.count <= SourceLimits.batchObjects)
                        #expect(batch.columns.count == store.classes[place].schema.properties.count)
                    }
                    reads += 1
                } catch {
                    errors += 1
                    #expect(error.kind == .damaged || error.kind == .unsupported, "\(place): \(error)")
                }
            }
            try store.checkUnchanged()
        } catch { errors += 1 }
    }
}

/// Ways to damage a file.
enum RealmDamage {
    static func damaged(_ writer: RealmWriter, _ random: inout SeededRandom) -> [UInt8] {
        var bytes = writer.bytes
        for _ in 0...random.below(3) {
            switch random.below(6) {
            case 0: change(&bytes, &random)
            case 1, 2: redirect(&bytes, writer, &random)
            case 3: enlarge(&bytes, writer, &random)
            default: changeHeader(&bytes, writer, &random)
            }
        }
        return bytes
    }

    /// Changes bytes anywhere, or cuts the file.
    static func change(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        if random.oneIn(8), bytes.count > 1 {
            bytes.removeLast(random.below(bytes.count - 1))
            return
        }
        for _ in 0...random.below(8) {
            let place = random.below(bytes.count)
            bytes[place] = random.oneIn(2) ? UInt8(truncatingIfNeeded: random.next()) : bytes[place] ^ 1 << UInt8(random.below(8))
        }
    }

    /// Lets a reference lead to another array, to itself, or beyond the file.
    private static func redirect(_ bytes: inout [UInt8], _ writer: RealmWriter, _ random: inout SeededRandom) {
        guard let (offset, width) = writer.references.randomElement(using: &random), let other = writer.nodes.randomElement(using: &random),
              offset + width <= bytes.count else { return }
        let own = writer.nodes.last { $0 < offset } ?? other
        let target = [other, other, own, bytes.count, 0, 7, bytes.count + 64].randomElement(using: &random)!
        bytes.replaceSubrange(offset..<offset + width, with: RealmWriter.little(UInt64(target), width))
    }

    /// Gives an array another count.
    private static func enlarge(_ bytes: inout [UInt8], _ writer: RealmWriter, _ random: inout SeededRandom) {
        guard let node = writer.nodes.randomElement(using: &random), node + 8 <= bytes.count else { return }
        let count = [0, 1, 255, 256, 1000, 65_535, 0xFF_FFFF, Int(bytes[node + 7]) + 1].randomElement(using: &random)!
        bytes.replaceSubrange(node + 5..<node + 8, with: RealmWriter.big(UInt64(count), 3))
    }

    /// Gives an array another form, width or meaning.
    private static func changeHeader(_ bytes: inout [UInt8], _ writer: RealmWriter, _ random: inout SeededRandom) {
        guard let node = writer.nodes.randomElement(using: &random), node + 8 <= bytes.count else { return }
        bytes[node + 4] = random.oneIn(2) ? bytes[node + 4] ^ 1 << UInt8(random.below(8)) : UInt8(truncatingIfNeeded: random.next())
    }
}
