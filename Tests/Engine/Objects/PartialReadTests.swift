import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Parts of strings and data, wherever those stand: in the tail, in a leaf, behind a dictionary, in blocks of their own.
@Suite struct PartialReadTests {
    private static let lengths = [0, 1, 100, 5000, 61_440, 61_441, 200_000, 1_500_000]

    private func byte(_ place: Int, _ seed: Int) -> UInt8 { UInt8(truncatingIfNeeded: place &* 31 &+ place >> 8 &+ seed) }

    @Test("every part of values of every length is what was written", arguments: [false, true])
    func parts(inTail: Bool) throws {
        let machine = SimulatedSystem(seed: 1)
        let database = try Database.open("/parts.freehold", .simulated, on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Blob", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("bytes", .data, isNullable: true), PropertySchema("name", .string),
            ]))
            let blobs = try transaction.table("Blob")
            for (id, length) in Self.lengths.enumerated() {
                try transaction.insert(into: blobs, values: [.int(Int64(id)), .data((0..<length).map { byte($0, id) }), .string("name")])
            }
            if !inTail {
                for id in 100..<500 { try transaction.insert(into: blobs, values: [.int(Int64(id)), .null, .string("repeated \(id % 3)")]) }
            }
        }
        let blobs = try database.snapshot().table("Blob"), column = try blobs.column("bytes")
        var random = SeededRandom(seed: 7)
        for (id, length) in Self.lengths.enumerated() {
            let row = try #require(try blobs.row(ObjectKey(Int64(id))))
            #expect(try row.byteCount(column) == length)
            var ranges = [0..<length, 0..<0, length..<length + 5, 0..<Int.max, max(0, length - 1)..<length]
            for _ in 0..<20 {
                let start = Int.random(in: 0...length, using: &random)
                ranges.append(start..<Int.random(in: start...length + 3, using: &random))
            }
            for edge in [61_439, 61_440, 61_441] where edge < length { ranges.append(edge - 1..<edge + 2) }
            for range in ranges {
                let part = try row.read(column, range), wanted = range.clamped(to: 0..<length)
                #expect(part == wanted.map { byte($0, id) }, "\(range) of \(length)")
            }
        }
        if !inTail {
            let row = try #require(try blobs.row(ObjectKey(101)))
            #expect(try row.byteCount(column) == 0 && row.read(column, 0..<10) == [])
            #expect(try String(decoding: row.read(blobs.column("name"), 2..<7), as: UTF8.self) == "peate")
            let error = #expect(throws: FreeholdError.self) { try row.read(blobs.column("id"), 0..<1) }
            #expect(error?.code == .typeMismatch)
        }
    }

    @Test("a part of a long value touches the blocks that hold it and no others")
    func cost() throws {
        let machine = SimulatedSystem(seed: 2), process = machine.makeProcess()
        var database = try Database.open("/parts.freehold", .simulated, on: process)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Blob", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("bytes", .data)]))
            let blobs = try transaction.table("Blob")
            try transaction.insert(into: blobs, values: [.int(0), .data(Array(repeating: 9, count: 3_000_000))])
            for id in 1..<300 { try transaction.insert(into: blobs, values: [.int(Int64(id)), .data([1])]) }
        }
        let place = try database.snapshot().table("Blob"), column = try place.column("bytes")
        let row = try #require(try place.row(ObjectKey(0)))
        _ = try row.read(column, 0..<1)
        database.close()
        // With all but the first and the last chunk destroyed both can still be read.
        let file = try process.openFile("/parts.freehold", .readWrite)
        var bytes = [UInt8](repeating: 0, count: try file.length())
        _ = try bytes.withUnsafeMutableBytes { buffer in try file.read(into: buffer, at: 0) }
        let runs = bytes.indices.filter { $0 % 4096 == 0 && bytes[$0..<$0 + 4096].allSatisfy { $0 == 9 } }
        try file.write([UInt8](repeating: 8, count: 4096), at: runs[runs.count / 2])
        file.close()
        database = try Database.open("/parts.freehold", .simulated, on: process)
        let blobs = try database.snapshot().table("Blob"), again = try #require(try blobs.row(ObjectKey(0)))
        #expect(try again.read(column, 0..<10) == Array(repeating: 9, count: 10))
        #expect(try again.read(column, 2_999_990..<3_000_000) == Array(repeating: 9, count: 10))
        #expect(throws: FreeholdError.self) { try again.read(column, 0..<3_000_000) }
    }
}
