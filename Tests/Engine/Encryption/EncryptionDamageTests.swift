import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// Encrypted files that somebody changed.
@Suite struct EncryptionDamageTests {
    private typealias Secret = EncryptionTests
    private let machine = SimulatedSystem(seed: 21)

    /// What a reader makes of the file.
    private enum Answer: Equatable {
        case error
        case problems
        case texts([String])
    }

    private func answer(of path: String = Secret.path, on process: any System) -> Answer {
        var options = Secret.options()
        options.readOnly = true
        do {
            let database = try Database.open(path, options, on: process)
            defer { database.close() }
            let texts = try Secret.texts(database)
            return try database.check().isClean ? .texts(texts) : .problems
        } catch { return .error }
    }

    /// The bytes of the blocks of the newest version.
    private func blocks(on process: any System) throws -> [Range<Int>] {
        let database = try Database.open(Secret.path, Secret.options(), on: process)
        defer { database.close() }
        let snapshot = try database.snapshot()
        var ranges: [Range<Int>] = []
        let isIntact = TreeVerifier().verify(snapshot.root, bornAfter: 0, in: snapshot.core.session.file) { reference, _ in
            ranges.append(Int(reference.byteOffset)..<Int(reference.byteOffset) + reference.byteLength)
        }
        #expect(isIntact)
        return ranges
    }

    @Test("every flipped byte of a block is noticed")
    func everyByteOfABlock() throws {
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Secret.make(on: process, rows: 3)
        let blocks = try blocks(on: process)
        let whole = answer(on: process)
        let bytes = try Secret.bytes(of: Secret.path, on: process)
        let file = try process.openFile(Secret.path, .readWrite)
        defer { file.close() }
        let database = try Database.open(Secret.path, Secret.options(), on: process)
        defer { database.close() }
        #expect(try database.check().isClean)
        for block in blocks {
            for place in block {
                try file.write([bytes[place] ^ UInt8(1 << (place % 8))], at: place)
                // The blocks are read anew, though this process has seen them whole.
                let isNoticed = (try? database.check())?.isClean != true
                #expect(isNoticed, "byte \(place - block.lowerBound) of a block")
                if place == block.upperBound - 1 { #expect(answer(on: machine.makeProcess()) != whole) }
                try file.write([bytes[place]], at: place)
            }
        }
        #expect(blocks.count > 4)
        #expect(try database.check().isClean)
    }

    @Test("no flipped byte of the header pages, or of what is not in use, gives another answer")
    func everyOtherByte() throws {
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Secret.make(on: process, rows: 3)
        let blocks = try blocks(on: process)
        let bytes = try Secret.bytes(of: Secret.path, on: process)
        let whole = texts(on: process)
        #expect(whole?.count == 4)
        let file = try process.openFile(Secret.path, .readWrite)
        defer { file.close() }
        for place in bytes.indices where !blocks.contains(where: { $0.contains(place) }) {
            // Zeros between records, pages of no version: some will do daily.
            guard bytes[place] != 0 && place < FileLayout.firstData || TestScale.count(1) > 1 || place % 197 == 0 else { continue }
            try file.write([bytes[place] ^ UInt8(1 << (place % 8))], at: place)
            if let found = texts(on: process) { #expect(found == whole, "byte \(place)") }
            try file.write([bytes[place]], at: place)
        }
        #expect(texts(on: process) == whole)
    }

    /// What can be read; nil if that is an error.
    private func texts(on process: any System) -> [String]? {
        var options = Secret.options()
        options.readOnly = true
        guard let database = try? Database.open(Secret.path, options, on: process) else { return nil }
        defer { database.close() }
        return try? Secret.texts(database)
    }

    @Test("one header copy or key copy stands in for the other, and both gone is an error")
    func copies() throws {
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Secret.make(on: process, rows: 3)
        let whole = answer(on: process)
        let bytes = try Secret.bytes(of: Secret.path, on: process)
        for copies in [FileLayout.headerCopies, FileLayout.keyCopies] {
            for damaged in [[copies[0]], [copies[1]], copies] {
                var changed = bytes
                for copy in damaged { changed[copy + 24] ^= 4 }
                try Secret.write(changed, to: Secret.path, on: process)
                #expect(answer(on: process) == (damaged.count == 2 ? .error : whole), "\(damaged)")
            }
        }
    }

    @Test("a root of an older state is only believed with that state's blocks")
    func oldRecords() throws {
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Secret.make(on: process, rows: 40)
        let old = try Secret.bytes(of: Secret.path, on: process), oldAnswer = answer(on: process)
        // So much changes that the old state's pages are used again.
        for round in 0..<60 {
            let database = try Database.open(Secret.path, Secret.options(), on: process)
            try database.write { transaction in
                let notes = try transaction.table("Note")
                for id in 0..<40 { try transaction.set(ObjectKey(Int64(id)), in: notes, notes.column("text"), to: .string("round \(round)")) }
            }
            database.close()
        }
        let new = try Secret.bytes(of: Secret.path, on: process), newAnswer = answer(on: process)
        #expect(oldAnswer != newAnswer)
        // All of it: an older state, which nothing in the file can tell from the newest.
        try Secret.write(old, to: Secret.path, on: process)
        #expect(answer(on: process) == oldAnswer)
        // Its header pages alone: the blocks they need are others by now.
        try Secret.write(Array(old[..<FileLayout.firstData]) + new[FileLayout.firstData...], to: Secret.path, on: process)
        #expect(answer(on: process) == .error)
        // A record in another's place, and one of another file under the same key: not believed.
        for (from, to) in [(FileLayout.durableSlots[0], FileLayout.durableSlots[1]), (FileLayout.volatileSlots[0], FileLayout.volatileSlots[1])] {
            var moved = new
            moved.replaceSubrange(to..<to + 512, with: new[from..<from + 512])
            try Secret.write(moved, to: Secret.path, on: process)
            #expect(answer(on: process) == newAnswer, "a record moved from \(from) to \(to)")
        }
        let cipher = try parts(on: process)
        let moved = new.withUnsafeBytes { DurableRecord.read(at: $0.baseAddress! + FileLayout.durableSlots[0], offset: FileLayout.durableSlots[1], cipher) }
        #expect(moved == nil)
    }

    private func parts(on process: any System) throws -> FileCipher {
        let file = try process.openFile(Secret.path, .readOnly)
        defer { file.close() }
        let page = try FirstPage(of: file)
        let header = try #require(page.header)
        return try #require(try page.cipher(header, .forTests, process, path: ""))
    }

    @Test("blocks swapped, or moved to where others lay, are noticed")
    func swappedBlocks() throws {
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Secret.make(on: process, rows: 40)
        let bytes = try Secret.bytes(of: Secret.path, on: process)
        let blocks = try blocks(on: process)
        var swaps = 0
        for (first, second) in zip(blocks, blocks.dropFirst()) where first.count == second.count {
            var swapped = bytes
            swapped.replaceSubrange(first, with: bytes[second])
            swapped.replaceSubrange(second, with: bytes[first])
            try Secret.write(swapped, to: Secret.path, on: process)
            let found = answer(on: process)
            #expect(found == .error || found == .problems)
            swaps += 1
        }
        for block in blocks {
            var moved = bytes
            moved.replaceSubrange(block, with: [UInt8](repeating: 0, count: block.count))
            try Secret.write(moved, to: Secret.path, on: process)
            #expect(answer(on: process) != .texts([]) && answer(on: process) == .error || answer(on: process) == .problems)
            swaps += 1
        }
        #expect(swaps > 5)
    }
}
