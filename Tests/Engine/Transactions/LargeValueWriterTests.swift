import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// Long values written piece by piece outside the writer lock.
@Suite struct LargeValueWriterTests {
    private static let path = "/stream.freehold"

    /// Bytes that repeat only after more than a page.
    static func bytes(_ count: Int, _ salt: Int) -> [UInt8] {
        let period = (0..<4099).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 5 &+ salt) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count { bytes += period[..<min(period.count, count - bytes.count)] }
        return bytes
    }

    private func open(_ machine: SimulatedSystem, seed: UInt64 = 1) throws -> Database {
        let database = try Database.open(Self.path, .simulated(seed: seed), on: machine.makeProcess())
        if try database.snapshot().classes.isEmpty { try PartialWriteTests.makeBlobs(database, sealed: false) }
        return database
    }

    private func stream(_ bytes: [UInt8], to database: Database, pieces: Int = 100_000) throws -> LargeValueWriter {
        let value = try database.beginLargeValue()
        for start in stride(from: 0, to: bytes.count, by: pieces) { try value.write(Array(bytes[start..<min(start + pieces, bytes.count)])) }
        try value.finish()
        return value
    }

    private func set(_ value: LargeValueWriter, on database: Database, _ key: ObjectKey = ObjectKey(1)) throws {
        try database.write { transaction in
            let blobs = try transaction.table("Blob")
            try transaction.set(key, in: blobs, blobs.column("bytes"), to: value)
        }
    }

    private func read(_ database: Database, _ key: ObjectKey = ObjectKey(1)) throws -> [UInt8] {
        let blobs = try database.snapshot().table("Blob")
        return try #require(try blobs.row(key)).read(blobs.column("bytes"), 0..<Int.max)
    }

    private func expectClean(_ database: Database, _ what: String = "") throws {
        let report = try database.check()
        #expect(report.isClean, "\(what) \(report.problems.prefix(3))")
    }

    @Test("a streamed value of any length is what was written, in every process and after the file is closed", arguments: [1, 3] as [UInt64])
    func lengths(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let database = try open(machine, seed: seed), other = try open(machine, seed: seed)
        let lengths = [0, 1, 4096, 4097, 61_440, 61_441, 1_044_480, 1_044_481, 1_048_576, 2_500_000, 4_100_000, 7_300_000]
        for (salt, length) in lengths.enumerated() {
            let bytes = Self.bytes(length, salt)
            try set(try stream(bytes, to: database, pieces: [1000, 61_440, 3_000_000][salt % 3]), on: database)
            #expect(try read(other) == bytes, "\(length) bytes")
            if salt % 4 == 0 { try expectClean(other, "\(length) bytes:") }
        }
        try expectClean(other)
        #expect(try database.information().reservedBytes == 0)
        database.close()
        other.close()
        let again = try open(machine, seed: seed)
        #expect(try read(again) == Self.bytes(lengths.last!, lengths.count - 1))
        try expectClean(again)
    }

    @Test("others commit while a value is written, and their commits leave its pages alone")
    func besideCommits() throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        let database = try open(machine), other = try open(machine)
        let bytes = Self.bytes(3_000_000, 9), value = try database.beginLargeValue(expectedByteCount: bytes.count)
        for start in stride(from: 0, to: bytes.count, by: 50_000) {
            try value.write(Array(bytes[start..<start + 50_000]))
            let writer = start / 50_000 % 2 == 0 ? other : database
            try writer.write(durability: start % 200_000 == 0 ? .full : .processCrash) { transaction in
                let blobs = try transaction.table("Blob")
                try transaction.set(ObjectKey(2), in: blobs, blobs.column("bytes"), to: .data(Self.bytes(start % 170_000, start)))
            }
            if start % 500_000 == 0 { try expectClean(other, "at \(start):") }
        }
        #expect(try other.information().reservedBytes >= 3_000_000)
        try value.finish()
        try set(value, on: database)
        #expect(try read(other) == bytes)
        #expect(try read(other, ObjectKey(2)) == Self.bytes(2_950_000 % 170_000, 2_950_000))
        try expectClean(other)
    }

    @Test("a value that is given up leaves no pages behind, however often", arguments: [true, false])
    func givenUp(byCancelling: Bool) throws {
        let machine = SimulatedSystem(seed: 6)
        defer { machine.discard() }
        let database = try open(machine)
        for round in 0..<12 {
            let value = try database.beginLargeValue()
            try value.write(Self.bytes(3_000_000, round))
            if round % 2 == 0 { try value.finish() }
            if byCancelling { value.cancel() }
            try database.write(durability: .processCrash) { transaction in
                let blobs = try transaction.table("Blob")
                try transaction.set(ObjectKey(2), in: blobs, blobs.column("bytes"), to: .data([UInt8(round)]))
            }
        }
        let information = try database.information()
        #expect(information.reservedBytes == 0 && information.fileLength < 6_000_000, "\(information)")
        try expectClean(database)
    }

    @Test("what a killed process had reserved is free again, and its file whole")
    func killed() throws {
        let machine = SimulatedSystem(seed: 7)
        defer { machine.discard() }
        let database = try open(machine)
        for round in 0..<8 {
            let victim = machine.makeProcess(), dying = try Database.open(Self.path, .simulated, on: victim)
            let value = try dying.beginLargeValue()
            try value.write(Self.bytes(3_000_000, round))
            if round % 2 == 0 { try value.finish() }
            victim.kill()
            victim.leak(dying)
            victim.leak(value)
            try set(try stream(Self.bytes(2_000_000, round), to: database), on: database)
        }
        let length = try database.information().fileLength
        #expect(length < 12_000_000, "\(length) bytes")
        #expect(try database.information().reservedBytes == 0)
        #expect(try read(database) == Self.bytes(2_000_000, 7))
        try expectClean(database)
    }

    @Test("a transaction that is taken back, or goes back to a savepoint, leaves the value for another one")
    func takenBack() throws {
        let machine = SimulatedSystem(seed: 9)
        defer { machine.discard() }
        let database = try open(machine, seed: 3), bytes = Self.bytes(2_000_000, 3), value = try stream(bytes, to: database)
        let first = try database.beginWrite(), blobs = try first.table("Blob"), column = try blobs.column("bytes")
        try first.set(ObjectKey(1), in: blobs, column, to: value)
        #expect(try blobs.row(ObjectKey(1))?.read(column, 0..<Int.max) == bytes)
        first.rollback()
        // The same version number may not come again: what was read under it is remembered.
        try database.write { transaction in
            let blobs = try transaction.table("Blob")
            let savepoint = try transaction.savepoint()
            try transaction.set(ObjectKey(3), in: blobs, blobs.column("bytes"), to: value)
            try transaction.rollback(to: savepoint)
            try transaction.set(ObjectKey(4), in: blobs, blobs.column("bytes"), to: .data([1]))
            #expect(transaction.version.rawValue > first.version.rawValue)
        }
        try expectClean(database)
        // Set and overwritten in one transaction, it is not taken over either.
        try database.write { transaction in
            let blobs = try transaction.table("Blob"), column = try blobs.column("bytes")
            try transaction.set(ObjectKey(3), in: blobs, column, to: value)
            try transaction.set(ObjectKey(3), in: blobs, column, to: .data([2]))
            try transaction.insert(into: blobs, values: [.int(900), .null, .string("new"), .string("")])
        }
        try expectClean(database)
        try database.write { transaction in
            let blobs = try transaction.table("Blob")
            try transaction.insert(into: blobs, values: [.int(901), .null, .string("newer"), .string("")])
            try transaction.set(ObjectKey(901), in: blobs, blobs.column("bytes"), to: value)
        }
        #expect(try read(database, ObjectKey(901)) == bytes)
        #expect(try read(database, ObjectKey(3)) == [2])
        try expectClean(database)
    }

    @Test("what a value cannot be used for is refused in words")
    func refusals() throws {
        let machine = SimulatedSystem(seed: 10)
        defer { machine.discard() }
        let database = try open(machine), value = try database.beginLargeValue()
        func refused(_ code: FreeholdError.Code, _ body: () throws -> Void) {
            let error = #expect(throws: FreeholdError.self) { try body() }
            #expect(error?.code == code, "\(error as Any)")
        }
        refused(.valueTooLarge) { _ = try database.beginLargeValue(expectedByteCount: 1 << 32) }
        try value.write(Self.bytes(2_000_000, 1))
        // Memory that is not touched: only its length counts.
        let huge = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 4096), count: (1 << 32) - 2_000_000)
        refused(.valueTooLarge) { try value.write(huge) }
        refused(.invalidArgument) { try set(value, on: database) }
        try value.write([7])
        try value.finish()
        refused(.invalidArgument) { try value.write([1]) }
        refused(.noSuchObject) { try set(value, on: database, ObjectKey(1000)) }
        let elsewhere = try Database.open("/elsewhere.freehold", .simulated, on: machine.makeProcess())
        try PartialWriteTests.makeBlobs(elsewhere, sealed: false)
        refused(.invalidArgument) { try set(value, on: elsewhere) }
        try database.write { transaction in
            let blobs = try transaction.table("Blob"), column = try blobs.column("bytes")
            refused(.valueTooLarge) { try transaction.set(ObjectKey(1), in: blobs, blobs.column("name"), to: value) }
            refused(.typeMismatch) { try transaction.set(ObjectKey(1), in: blobs, blobs.column("id"), to: value) }
            try transaction.set(ObjectKey(1), in: blobs, column, to: value)
            refused(.invalidArgument) { try transaction.set(ObjectKey(2), in: blobs, column, to: value) }
            refused(.invalidArgument) { try transaction.append([8], to: ObjectKey(1), in: blobs, column) }
        }
        refused(.invalidArgument) { try set(value, on: database) }
        try database.write { transaction in
            let blobs = try transaction.table("Blob")
            try transaction.append([8], to: ObjectKey(1), in: blobs, blobs.column("bytes"))
        }
        #expect(try read(database) == Self.bytes(2_000_000, 1) + [7, 8])
        let cancelled = try database.beginLargeValue()
        cancelled.cancel()
        refused(.invalidArgument) { try cancelled.write([1]) }
        try expectClean(database)
    }

    @Test("a transaction that set a value which is cancelled then cannot be committed")
    func cancelledUnderTheTransaction() throws {
        let machine = SimulatedSystem(seed: 15)
        defer { machine.discard() }
        let database = try open(machine), value = try stream(Self.bytes(2_000_000, 1), to: database), transaction = try database.beginWrite()
        let blobs = try transaction.table("Blob")
        try transaction.set(ObjectKey(1), in: blobs, blobs.column("bytes"), to: value)
        value.cancel()
        let error = #expect(throws: FreeholdError.self) { try transaction.commit() }
        #expect(error?.code == .invalidArgument)
        try set(try stream(Self.bytes(2_000_000, 2), to: database), on: database)
        #expect(try read(database) == Self.bytes(2_000_000, 2))
        try expectClean(database)
    }

    @Test("a full disk ends the value and nothing else")
    func fullDisk() throws {
        let machine = SimulatedSystem(seed: 11)
        defer { machine.discard() }
        let database = try open(machine)
        for skipped in 0..<3 {
            let value = try database.beginLargeValue()
            machine.inject(FaultRule(.write, code: ErrorNumber.noSpace, pathEnding: ".freehold", skipping: skipped, times: 1, writesPart: true))
            let error = #expect(throws: FreeholdError.self) { for _ in 0..<80 { try value.write(Self.bytes(50_000, 1)) } }
            #expect(error?.code == .diskFull)
            machine.clearFaults()
            try expectClean(database)
            #expect(try database.information().reservedBytes == 0)
        }
        try set(try stream(Self.bytes(1_500_000, 4), to: database), on: database)
        #expect(try read(database) == Self.bytes(1_500_000, 4))
    }

    @Test("a failed flush at the end of a value ends the session, as that of a commit does")
    func failedFlush() throws {
        let machine = SimulatedSystem(seed: 12)
        defer { machine.discard() }
        let database = try open(machine), value = try database.beginLargeValue()
        try value.write(Self.bytes(2_000_000, 1))
        machine.inject(FaultRule(.synchronize, code: ErrorNumber.inputOutput, pathEnding: ".freehold", times: 1))
        let error = #expect(throws: FreeholdError.self) { try value.finish() }
        #expect(error?.code == .io)
        let next = #expect(throws: FreeholdError.self) { try database.write { _ in } }
        #expect(next?.code == .io)
    }

    @Test("a failed write-back while a value is written ends the session, and nothing committed is lost")
    func failedWriteBack() throws {
        let machine = SimulatedSystem(seed: 16)
        defer { machine.discard() }
        let process = machine.makeProcess(), database = try Database.open(Self.path, .simulated, on: process)
        try PartialWriteTests.makeBlobs(database, sealed: false)
        try set(try stream(Self.bytes(1_500_000, 2), to: database), on: database)
        let value = try database.beginLargeValue()
        machine.inject(FaultRule(.writeBack, code: ErrorNumber.inputOutput, pathEnding: ".freehold", skipping: 1, times: 1))
        let error = #expect(throws: FreeholdError.self) { for _ in 0..<80 { try value.write(Self.bytes(50_000, 1)) } }
        #expect(error?.code == .io)
        let next = #expect(throws: FreeholdError.self) { try database.write { _ in } }
        #expect(next?.code == .io)
        process.kill()
        process.leak(database)
        process.leak(value)
        let again = try open(machine)
        #expect(try read(again) == Self.bytes(1_500_000, 2))
        try expectClean(again)
        #expect(try again.information().reservedBytes == 0)
    }

    @Test("a database is closed with its last handle, whatever has become of the values written into it", arguments: [true, false])
    func closedAfterwards(isCommitted: Bool) throws {
        let machine = SimulatedSystem(seed: 17)
        defer { machine.discard() }
        let database = try open(machine)
        weak let core = try database.core()
        #expect(core != nil)
        if isCommitted {
            try set(try stream(Self.bytes(2_000_000, 1), to: database), on: database)
        } else {
            let value = try stream(Self.bytes(2_000_000, 1), to: database)
            machine.inject(FaultRule(.write, code: ErrorNumber.noSpace, pathEnding: ".freehold"))
            let error = #expect(throws: FreeholdError.self) { try set(value, on: database) }
            #expect(error?.code == .diskFull)
            machine.clearFaults()
        }
        database.close()
        #expect(core == nil)
    }

    @Test("who opened the file after what is not durable yet makes that durable before it writes a long value")
    func youngProcess() throws {
        let machine = SimulatedSystem(seed: 18)
        defer { machine.discard() }
        let database = try open(machine)
        try database.write(durability: .processCrash) { transaction in
            let blobs = try transaction.table("Blob")
            try transaction.set(ObjectKey(2), in: blobs, blobs.column("bytes"), to: .data([7]))
        }
        let young = try open(machine)
        #expect(try young.information().durableVersion < young.snapshot().version)
        let value = try stream(Self.bytes(2_000_000, 3), to: young)
        #expect(try young.information().durableVersion == young.snapshot().version)
        try set(value, on: young)
        #expect(try read(database) == Self.bytes(2_000_000, 3))
        try expectClean(database)
    }

    @Test("a compaction and a shrinking file leave pages that are being written where they are")
    func besideCompaction() throws {
        let machine = SimulatedSystem(seed: 13)
        defer { machine.discard() }
        let database = try open(machine), other = try open(machine)
        for id in 10..<Int64(16) {
            try database.write { transaction in
                try transaction.insert(into: "Blob", key: .int(id), [("bytes", .data(Self.bytes(900_000, Int(id)))), ("name", .string("b\(id)"))])
            }
        }
        let bytes = Self.bytes(4_500_000, 5), value = try other.beginLargeValue()
        try value.write(Array(bytes[..<2_200_000]))
        try database.write { transaction in
            let blobs = try transaction.table("Blob")
            for id in 10..<Int64(15) { try transaction.delete(ObjectKey(id), from: blobs) }
        }
        try database.compact()
        try value.write(Array(bytes[2_200_000..<3_000_000]))
        for round in 0..<100 {
            try database.write(durability: round % 10 == 0 ? .full : .processCrash) { transaction in
                let blobs = try transaction.table("Blob")
                try transaction.set(ObjectKey(2), in: blobs, blobs.column("bytes"), to: .data([UInt8(round)]))
            }
        }
        try value.write(Array(bytes[3_000_000...]))
        try value.finish()
        try set(value, on: other)
        #expect(try read(database) == bytes)
        #expect(try read(database, ObjectKey(15)) == Self.bytes(900_000, 15))
        try expectClean(database)
        try database.compact()
        #expect(try read(other) == bytes)
        try expectClean(other)
        let information = try database.information()
        #expect(information.fileLength < information.usedBytes * 120 / 100 + 300_000, "\(information)")
    }

    @Test("the copy of a forked child touches nothing")
    func forked() throws {
        let machine = SimulatedSystem(seed: 14)
        defer { machine.discard() }
        let process = machine.makeProcess(), database = try Database.open(Self.path, .simulated, on: process)
        try PartialWriteTests.makeBlobs(database, sealed: false)
        let value = try database.beginLargeValue()
        try value.write(Self.bytes(2_000_000, 1))
        let other = try open(machine), reserved = try other.information().reservedBytes
        process.becomeForkedChild()
        let error = #expect(throws: FreeholdError.self) { try value.write([1]) }
        #expect(error?.code == .forked)
        value.cancel()
        #expect(try other.information().reservedBytes == reserved && reserved > 0)
    }
}
