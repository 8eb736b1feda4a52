import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// The header pages: drawings and bytes.
@Suite struct FormatTests {
    /// The tables of `docs/file-format.md` by the heading above them.
    private func tables(_ name: String = "file-format.md") throws -> [String: [LayoutField]] {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        let file = try LinuxSystem.shared.openFile(root + "/docs/" + name, .readOnly)
        defer { file.close() }
        var bytes = [UInt8](repeating: 0, count: try file.length())
        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        var tables: [String: [LayoutField]] = [:]
        var heading = ""
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("## ") || line.hasPrefix("### ") { heading = String(line.drop { $0 == "#" }.dropFirst()) }
            let cells = line.split(separator: "|").map { $0.trimmed }
            if cells.count == 3, let offset = Int(cells[0]) {
                tables[heading, default: []].append(LayoutField(cells[2], offset, Int(cells[1]) ?? 0))
            }
        }
        return tables
    }

    @Test func theDrawingsAreTheCodes() throws {
        let tables = try tables()
        #expect(tables["Root"] == Root.layout)
        check(FileHeader.self, tables["Header"])
        check(DurableRecord.self, tables["Durable slot"])
        check(VolatileRecord.self, tables["Volatile root"])
        check(ConfirmedRecord.self, tables["Confirmed"])
        check(InUseRecord.self, tables["In use"])
        check(PoisonRecord.self, tables["Poison"])
        check(LostRecord.self, tables["Lost"])
        check(SyncSidecar.self, tables["Sidecar of sync"])
        #expect(tables["Pages"]?.map(\.offset) == FileLayout.headerCopies + FileLayout.durableSlots
            + FileLayout.volatileSlots + [
                FileLayout.confirmed, FileLayout.inUse, FileLayout.poison, FileLayout.lost, FileLayout.firstData,
            ])
    }

    @Test func theDrawingsOfEncryptionAreTheCodes() throws {
        let tables = try tables("encryption.md")
        check(KeyRecord.self, tables["Key record"])
        #expect(FileLayout.keyCopies == [1024, 3072] && FileLayout.keyCopies.allSatisfy { place in
            !FileLayout.headerCopies.contains { ($0..<$0 + FileHeader.byteCount).overlaps(place..<place + KeyRecord.byteCount) }
        })
        let spare = FileLayout.spareHeader..<FileLayout.spareHeader + FileHeader.byteCount
        #expect(spare.lowerBound == 6144 && FileLayout.spareKey == 6656 && FileLayout.spareKey >= spare.upperBound)
        let block = [
            LayoutField("epoch", 0, 16), LayoutField("counter", FileCipher.counterOffset, 8), LayoutField("birth", FileCipher.birthOffset, 8),
            LayoutField("tag", FileCipher.tagOffset, 16), LayoutField("ciphertext", FileCipher.prefixLength, 0),
        ]
        #expect(tables["Sealed block"] == block)
        let codes = [DurableRecord.byteCount, VolatileRecord.byteCount, ConfirmedRecord.byteCount, InUseRecord.byteCount, PoisonRecord.byteCount, LostRecord.byteCount]
        #expect(codes.allSatisfy { $0 + FileCipher.codeLength <= FileLayout.sector })
    }

    private func check<Record: HeaderRecord>(_ type: Record.Type, _ table: [LayoutField]?) {
        #expect(table == Record.layout)
        var end = 0
        for field in Record.layout {
            #expect(field.offset == end, "\(type) \(field.name)")
            end = field.offset + field.length
        }
        #expect(end == Record.byteCount && end <= FileLayout.sector)
    }

    @Test func theTablesOfTheLockFileHaveTheirOwnPages() {
        var starts: Set<Int> = []
        let tables = [
            (LockLayout.processes, LockLayout.processLimit), (LockLayout.cells, LockLayout.cellLimit),
            (LockLayout.listeners, LockLayout.listenerLimit),
        ]
        for (table, limit) in tables {
            for index in 0..<limit where index % LockLayout.linesPerPage == 0 {
                let start = table.offset(index)
                #expect(start % LockLayout.page == 0 && starts.insert(start).inserted)
                #expect(table.offset(index + 63) == start + 63 * LockLayout.line)
                #expect(start > LockLayout.visible && start + LockLayout.page <= LockLayout.reserve)
            }
        }
        let ring = LockLayout.ring..<LockLayout.ring + LockLayout.ringEntries * LockLayout.ringEntryBytes
        #expect(starts.allSatisfy { !ring.contains($0) } && ring.upperBound == LockLayout.initialLength)
        #expect(LockLayout.processes.offset(63) < LockLayout.initialLength && LockLayout.cells.offset(63) < LockLayout.initialLength)
    }

    private let root = Root(
        version: 9, lastFull: 8, length: 1 << 20,
        top: BlockReference(location: 300 << 16 | 2, birth: 9, check: 77, tag: 0), readFeatures: 1, writeFeatures: 2)

    @Test func everyDamagedByteOfARecordMakesItAbsent() {
        let record = DurableRecord(file: FileIdentifier(high: 1, low: 2), root: root, base: 4, session: 3)
        var bytes = record.withBytes { Array($0) }
        #expect(bytes.withUnsafeBytes { DurableRecord.read(at: $0.baseAddress!) } == record)
        for index in bytes.indices {
            bytes[index] ^= 0x10
            #expect(bytes.withUnsafeBytes { DurableRecord.read(at: $0.baseAddress!) } == nil)
            bytes[index] ^= 0x10
        }
    }

    @Test func rootsThatContradictThemselvesAreRefused() {
        #expect(root.isPlausible)
        let changes: [(inout Root) -> Void] = [
            { $0.version = 0 }, { $0.version = 1 << 48 }, { $0.lastFull = 10 }, { $0.length = 4095 },
            { $0.length = 1 << 60 }, { $0.length = 16384 }, { $0.top = .null }, { $0.top.birth = 10 },
            { $0.top.location |= BlockReference.pendingBit }, { $0.top.location = 300 << 16 },
            { $0.top.location = 300 << 16 | 1025 }, { $0.top.location = 255 << 16 | 1 },
        ]
        for (index, change) in changes.enumerated() {
            var changed = root
            change(&changed)
            #expect(!changed.isPlausible, "change \(index)")
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var text = self
        while text.first == " " { text = text.dropFirst() }
        while text.last == " " { text = text.dropLast() }
        return String(text)
    }
}
