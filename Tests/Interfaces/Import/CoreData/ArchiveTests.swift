import FreeholdEngine
import Glibc
import TestKit
import Testing

@testable import FreeholdImport

/// What Python's zlib and plistlib write, read as they say. A failure names its seed: `make_archives.py FOLDER SEED 1`.
@Suite struct ArchiveTests {
    private static let shard = 50
    private static let shards: [Range<Int>] = stride(from: 0, to: TestScale.count(100), by: shard).map { $0..<$0 + shard }

    @Test("compressed data of every level and strategy, property lists and keyed archives", arguments: shards)
    func random(seeds: Range<Int>) throws {
        let folder = try TemporaryFolder()
        try CoreDataMaking.run([folder.path, "\(seeds.lowerBound)", "\(seeds.count)"], script: "make_archives.py")
        for seed in seeds {
            let plain = try bytesOfFile(folder.file("\(seed).plain"))
            let raw = try bytesOfFile(folder.file("\(seed).raw"))
            let zlib = try bytesOfFile(folder.file("\(seed).zlib"))
            #expect(try Inflate.raw(raw, limit: plain.count) == plain, "seed \(seed)")
            #expect(try Inflate.zlib(zlib, limit: plain.count) == plain, "seed \(seed)")
            #expect(try Inflate.anyFormat(raw, limit: plain.count) == plain, "seed \(seed)")
            #expect(try Inflate.anyFormat(zlib, limit: plain.count) == plain, "seed \(seed)")
            #expect(throws: SourceError.self, "seed \(seed)") { try Inflate.raw(Array(raw.dropLast()), limit: plain.count) }
            if !plain.isEmpty {
                let error = #expect(throws: SourceError.self) { try Inflate.zlib(zlib, limit: plain.count - 1) }
                #expect(error?.kind == .unsupported, "seed \(seed)")
            }
            let expected = try linesOfFile(folder.file("\(seed).value"))
            for (suffix, line) in zip(["keyed", "plist"], expected) {
                let value = PlainValue.read(try bytesOfFile(folder.file("\(seed).\(suffix)")))
                #expect(value.map { ValueDump.text($0) } == line, "seed \(seed), \(suffix)")
            }
        }
    }

    @Test("a wrong checksum, and data that is none")
    func damaged() throws {
        let folder = try TemporaryFolder()
        try CoreDataMaking.run([folder.path, "1", "1"], script: "make_archives.py")
        var zlib = try bytesOfFile(folder.file("1.zlib"))
        zlib[zlib.count - 1] ^= 1
        #expect(throws: SourceError(.damaged, "compressed data with a wrong checksum")) { try Inflate.zlib(zlib, limit: 1 << 20) }
        #expect(throws: SourceError.self) { try Inflate.raw([], limit: 10) }
        #expect(throws: SourceError.self) { try Inflate.raw([0x07], limit: 10) }
        #expect(try Inflate.raw([0x01, 0x00, 0x00, 0xFF, 0xFF], limit: 0) == [])
    }

    @Test("an array that contains itself, shared arrays that stand for too much, and objects that overlap")
    func hostileLists() throws {
        // One array whose only element is itself.
        let selfish = list([[0xA1, 0]])
        #expect(PlainValue.read(selfish) == nil)
        // Forty arrays, each of the next one twice: 2^40 elements.
        let doubling = list((0..<40).map { [0xA2, $0 + 1, $0 + 1] } + [[0x09]])
        #expect(PlainValue.read(doubling) == nil)
        // A hundred arrays that all claim the same hundred references.
        let body: [UInt8] = [0xAF, 0x10, 100] + (0..<100).map { UInt8($0) }
        var overlapping = Array("bplist00".utf8) + body
        let table = overlapping.count
        overlapping += [UInt8](repeating: 8, count: 100) + trailer(count: 100, table: table)
        let read = try BinaryPropertyList(overlapping)
        _ = try read.object(0)
        let error = #expect(throws: SourceError.self) { try read.object(1) }
        #expect(error?.message.contains("overlap") == true)
        #expect(throws: SourceError.self) { try BinaryPropertyList(Array("bplist00".utf8) + trailer(count: .max, table: 8)) }
    }

    @Test("a keyed archive of an instance that contains itself is not plain")
    func cyclicArchive() throws {
        // $null, an NSArray whose element is itself, and the description of its class.
        let archive = list([
            [0xD4, 1, 2, 3, 4, 5, 6, 7, 8], text("$version"), text("$archiver"), text("$top"), text("$objects"), [0x10, 100],
            text("NSKeyedArchiver"), [0xD1, 9, 10], [0xA3, 11, 12, 13], text("root"), [0x80, 1], text("$null"),
            [0xD2, 14, 15, 16, 17], [0xD1, 18, 19], text("$class"), text("NS.objects"), [0x80, 2], [0xA1, 10], text("$classname"),
            text("NSArray"),
        ])
        let read = try KeyedArchive(archive)
        let root = try #require(read.root)
        #expect(try read.instance(root)?.className == "NSArray")
        #expect(try read.elements(root)?.count == 1)
        #expect(PlainValue.read(archive) == nil)
    }

    /// A list of these objects with references and offsets of one byte.
    private func list(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        return bytes + offsets + trailer(count: UInt64(objects.count), table: bytes.count)
    }

    private func trailer(count: UInt64, table: Int) -> [UInt8] {
        func number(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
        return [0, 0, 0, 0, 0, 0, 1, 1] + number(count) + number(0) + number(UInt64(table))
    }

    private func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return (bytes.count < 15 ? [0x50 | UInt8(bytes.count)] : [0x5F, 0x10, UInt8(bytes.count)]) + bytes
    }
}

/// The bytes of a file.
func bytesOfFile(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "r"), "\(path) cannot be read")
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
}
