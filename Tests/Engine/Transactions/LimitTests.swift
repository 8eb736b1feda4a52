import DatabaseKit
@testable import FreeholdEngine
import Glibc
import TestKit
import Testing

/// Values at the limits of an index and of a row.
@Suite struct LimitTests {
    @Test("a text too long for its index is refused when it is set, and the rest of the transaction stands")
    func longIndexedText() throws {
        let machine = SimulatedSystem(seed: 9)
        defer { machine.discard() }
        let database = try Database.open("/limit.freehold", OpenOptions.simulated, on: machine.makeProcess())
        let longest = String(repeating: "k", count: IndexLayout.maximumKeyBytes - 1)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Word", [PropertySchema("text", .string, isIndexed: true)]))
            let words = try transaction.table("Word"), text = try words.column("text")
            try transaction.insert(into: words, values: [.string(longest)])
            #expect(throws: FreeholdError.self) {
                try transaction.insert(into: words, values: [.string(longest + "k")])
            }
            #expect(throws: FreeholdError.self) {
                try transaction.insert(into: words) { row in try row.set(text, string: longest + "k") }
            }
            for number in 0..<400 { try transaction.insert(into: words, values: [.string("word \(number)")]) }
        }
        let words = try database.snapshot().table("Word")
        #expect(words.count == 401)
        #expect(try words.count(words.column("text"), equals: .string(longest)) == 1)
        #expect(try database.check().isClean)
    }

    /// Rows without a property are the shortest ones: 16 bytes. The check of a tail block asked for 24, so the objects were
    /// reported as damage once the file was opened again.
    @Test("objects of a class without properties are there after the file is opened again",
          arguments: [1, 2, 64, 65, 255, 256, 1_020, 1_021])
    func withoutProperties(count: Int) throws {
        let machine = SimulatedSystem(seed: 11)
        defer { machine.discard() }
        for round in 1...2 {
            let database = try Database.open("/limit.freehold", OpenOptions.simulated, on: machine.makeProcess())
            if round == 1 { try database.write { transaction in try transaction.createClass(ClassSchema("Mark", [])) } }
            #expect(try database.snapshot().table("Mark").count == count * (round - 1))
            try database.write { transaction in
                let marks = try transaction.table("Mark")
                for _ in 0..<count { try transaction.insert(into: marks, values: []) }
            }
            database.close()
        }
        let database = try Database.open("/limit.freehold", OpenOptions.simulated, on: machine.makeProcess())
        let marks = try database.snapshot().table("Mark")
        var keys = 0
        try marks.forEach { _ in
            keys += 1
            return true
        }
        #expect(marks.count == 2 * count && keys == 2 * count)
        #expect(try marks.contains(ObjectKey(Int64(2 * count - 1))))
        #expect(try database.check().isClean)
    }

    @Test("a value too long for its row is refused before a byte of it is looked at")
    func longRow() throws {
        let machine = SimulatedSystem(seed: 10)
        defer { machine.discard() }
        let database = try Database.open("/limit.freehold", OpenOptions.simulated, on: machine.makeProcess())
        // Nothing may be read there: whoever looks at the bytes ends here.
        let length = RowLayout.maximumBytes + 1
        let nowhere = try #require(mmap(nil, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
        defer { munmap(nowhere, length) }
        // Safe: the range is mapped, though not to be read.
        let endless = UnsafeRawBufferPointer(start: nowhere, count: length)
        let almost = UnsafeRawBufferPointer(rebasing: endless.dropLast(100))
        try database.write { transaction in
            try transaction.createClass(ClassSchema("File", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("name", .string), PropertySchema("bytes", .data),
            ]))
            let files = try transaction.table("File"), bytes = try files.column("bytes"), name = try files.column("name")
            for (text, data) in [("a", endless), (String(repeating: "n", count: 200), almost)] {
                let error = #expect(throws: FreeholdError.self) {
                    try transaction.insert(into: files, primaryKey: .int(1)) { row in
                        try row.set(name, string: text)
                        try row.set(bytes, bytes: data)
                    }
                }
                #expect(error?.code == .valueTooLarge && error?.message.contains("'bytes' of class 'File'") == true)
            }
            try transaction.insert(into: files, primaryKey: .int(1)) { row in try row.set(name, string: "kept") }
        }
        #expect(try database.snapshot().table("File").count == 1)
        #expect(try database.check().isClean)
    }

    @Test("the bytes of a row are counted up to its limit, and not beyond")
    func rowLimit() throws {
        let property = try StoredSchema.empty.adding(ClassSchema("File", [PropertySchema("bytes", .data)])).classes[0].properties[0]
        let most = RowLayout.maximumBytes
        for (count, length) in [(0, most), (most, 0), (most - 40, 40), (7, 40)] {
            try property.refuseOverlong(count, inRowOf: length, class: "File")
        }
        for (count, length) in [(1, most), (most + 1, 0), (most - 39, 40), (Int.max, 40)] {
            let error = #expect(throws: FreeholdError.self) { try property.refuseOverlong(count, inRowOf: length, class: "File") }
            #expect(error?.code == .valueTooLarge)
        }
    }
}
