import Testing
@testable import FreeholdEngine

@Suite("Text of objects")
struct TablesTextTests {
    private let nullable = [PropertySchema("text", .string, isNullable: true), PropertySchema("data", .data, isNullable: true)]

    @Test("an empty text is not null, in the tail and in clusters", arguments: [4, 400])
    func emptyAndNull(rows: Int) throws {
        let scratch = Scratch()
        let writer = try scratch.writer(storedClass(nullable))
        let values: [(Value, Value)] = [(.null, .data([])), (.string(""), .null), (.string("\0"), .data([0])), (.null, .null)]
        for row in 0..<rows {
            let place = try writer.insert(key: Int64(row))
            try writer.fill(place, 0, with: values[row % 4].0)
            try writer.fill(place, 1, with: values[row % 4].1)
        }
        let state = try scratch.finished(writer)
        for row in 0..<rows {
            let place = try #require(try state.find(Int64(row)))
            #expect(try state.value(place, 0) == values[row % 4].0)
            #expect(try state.value(place, 1) == values[row % 4].1)
        }
        #expect(try scratch.problems(state).isEmpty)
    }

    /// Around the lengths of a byte, of a leaf's inline limits, and of one block of a large value.
    static let lengths = [0, 1, 128, 129, 255, 256, 4096, 4097, 61_440, 61_441, 200_000]

    @Test("values of all lengths come back, new and changed")
    func lengths() throws {
        let scratch = Scratch()
        let writer = try scratch.writer(storedClass(nullable))
        func bytes(_ row: Int) -> [UInt8] { (0..<Self.lengths[row % Self.lengths.count]).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ row) } }
        for row in 0..<300 { try writer.fill(writer.insert(key: Int64(row)), 1, with: .data(bytes(row))) }
        try writer.seal()
        for row in 0..<Self.lengths.count { try writer.set(Int64(row), 1, to: .data(bytes(row + 5))) }
        let state = try scratch.finished(writer)
        for row in 0..<300 {
            let place = try #require(try state.find(Int64(row)))
            #expect(try state.value(place, 1) == .data(bytes(row < Self.lengths.count ? row + 5 : row)), "row \(row)")
        }
        #expect(try scratch.problems(state).isEmpty)
    }

    @Test("a cluster full of the longest inline values fits its leaf")
    func crowded() throws {
        for length in [127, 128, 129, 156, 157, 4096] {
            let scratch = Scratch()
            let writer = try scratch.writer(storedClass(nullable))
            for row in 0..<256 {
                try writer.fill(writer.insert(key: Int64(row)), 1, with: .data(Array(repeating: UInt8(row), count: length)))
            }
            let state = try scratch.finished(writer)
            for row in 0..<256 {
                let place = try #require(try state.find(Int64(row)))
                #expect(try state.value(place, 1) == .data(Array(repeating: UInt8(row), count: length)))
            }
        }
    }

    @Test("a text set again and again does not grow its row without end")
    func setAgain() throws {
        let buffer = RowBuffer()
        let layout = try storedClass(nullable).layout
        for key in 0..<3 { _ = buffer.append(key: Int64(key), layout.template) }
        var sizes: [Int] = []
        for round in 0..<100 {
            buffer.set(0, 0, layout, to: .string(String(repeating: "a", count: 1000 - round % 2)))
            buffer.set(0, 1, layout, to: .data([1, 2, 3]))
            buffer.set(1, 1, layout, to: .data(Array(repeating: 7, count: round * 10)))
            sizes.append(buffer.row(0).length + buffer.row(1).length)
            #expect(try buffer.row(0).value(0, layout, type: .string) == .string(String(repeating: "a", count: 1000 - round % 2)))
            #expect(try buffer.row(0).value(1, layout, type: .data) == .data([1, 2, 3]))
            #expect(try buffer.row(1).value(1, layout, type: .data) == .data(Array(repeating: 7, count: round * 10)))
        }
        #expect(sizes.max()! < 4000)
    }

    @Test("an empty text stays one when another text of its row makes way for a longer one")
    func emptyBesideLonger() throws {
        let buffer = RowBuffer()
        let layout = try storedClass(nullable).layout
        for key in 0..<2 { _ = buffer.append(key: Int64(key), layout.template) }
        buffer.set(0, 0, layout, to: .string("abcdefghij"))
        buffer.set(0, 1, layout, to: .data([]))
        for length in [1, 2, 0, 3, 12] {
            buffer.set(0, 0, layout, to: .string(String(repeating: "c", count: length)))
            #expect(try buffer.row(0).value(0, layout, type: .string) == .string(String(repeating: "c", count: length)))
            #expect(try buffer.row(0).value(1, layout, type: .data) == .data([]))
        }
    }

    @Test("large values of any length come back", arguments: [0, 1, 61_440, 61_441, 2 * 61_440, 1024 * 61_440 + 1, 70_000_000])
    func largeValues(length: Int) throws {
        let scratch = Scratch()
        var bytes = [UInt8](repeating: 5, count: length)
        for place in stride(from: 0, to: length, by: 9973) { bytes[place] = UInt8(truncatingIfNeeded: place) }
        if length > 0 { bytes[length - 1] = 9 }
        let reference = bytes.withUnsafeBytes { LargeValue.write($0, table: 3, in: scratch.pending) }
        #expect(try LargeValue.read(reference, in: scratch.pending.access) == bytes)
        #expect(try scratch.pending.access.view(reference).kind == (length > LargeValue.chunkBytes ? .largeValueIndex : .largeValue))
    }
}
