import Testing
@testable import FreeholdEngine

@Suite("Dictionaries of columns")
struct TablesDictionaryTests {
    private func build(rows: Int, _ text: (Int) -> String) throws -> TableState {
        let scratch = Scratch()
        let writer = try scratch.writer(storedClass([PropertySchema("text", .string)]))
        for row in 0..<rows { try writer.fill(writer.insert(key: Int64(row)), 0, with: .string(text(row))) }
        let state = try scratch.finished(writer)
        for row in 0..<rows {
            let place = try #require(try state.find(Int64(row)))
            guard try state.value(place, 0) == .string(text(row)) else {
                Issue.record("row \(row) is \(try state.value(place, 0))")
                break
            }
        }
        #expect(try scratch.problems(state).isEmpty)
        return try withExtendedLifetime(scratch) {
            _ = try state.dictionary(0).count
            return state
        }
    }

    @Test("strings that repeat are stored once")
    func repeating() throws {
        let state = try build(rows: 1000) { "color \($0 % 7)" }
        #expect(try state.dictionary(0).count == 7)
    }

    @Test("strings that repeat too rarely for the rows at hand are found once the class is large")
    func seldomRepeating() throws {
        let scratch = Scratch()
        let writer = try scratch.writer(storedClass([PropertySchema("text", .string)]))
        for row in 0..<12_000 {
            try writer.fill(writer.insert(key: Int64(row)), 0, with: .string("town \(row % 600)"))
            if row % 256 == 255 { try writer.seal() }
        }
        let state = try scratch.finished(writer)
        for row in 0..<12_000 {
            let place = try #require(try state.find(Int64(row)))
            #expect(try state.value(place, 0) == .string("town \(row % 600)"))
        }
        #expect(try state.dictionary(0).count == 600)
        #expect(try scratch.problems(state).isEmpty)
    }

    @Test("strings past the dictionary's end stand in the leaves")
    func overflow() throws {
        let state = try build(rows: 18_000) { $0 % 4 == 1 ? "rare \($0 / 4)" : "often \($0 % 5)" }
        #expect(try state.dictionary(0).count == ColumnDictionary.maximumStrings)
    }

    /// 256 strings of 255 bytes are more than one block holds.
    @Test("a dictionary of long strings fits its leaves", arguments: [253, 254, 255, 256])
    func longStrings(length: Int) throws {
        _ = try build(rows: 2048) { row in
            let name = String(row / 4)
            return name + String(repeating: "x", count: length - name.utf8.count)
        }
    }

    @Test("codes of a dictionary that grows keep their strings")
    func growing() throws {
        let scratch = Scratch()
        var reference = BlockReference.null
        var count = 0
        for step in [1, 254, 1, 1, 255, 256, 300] {
            let dictionary = try ColumnDictionary(reference, in: scratch.pending.access)
            for _ in 0..<step {
                var text = "string \(count)"
                let code = try text.withUTF8 { bytes throws in try dictionary.add(UnsafeRawBufferPointer(bytes)) }
                #expect(code == Int64(count))
                count += 1
            }
            reference = try dictionary.write(table: 1, column: 2, in: scratch.pending)
            let reread = try ColumnDictionary(reference, in: scratch.pending.access)
            #expect(reread.count == count)
            for code in 0..<count { #expect(String(decoding: try reread.bytes(Int64(code)), as: UTF8.self) == "string \(code)") }
            #expect(throws: FreeholdError.self) { try reread.bytes(Int64(count)) }
            #expect(throws: FreeholdError.self) { try reread.bytes(-1) }
        }
    }
}
