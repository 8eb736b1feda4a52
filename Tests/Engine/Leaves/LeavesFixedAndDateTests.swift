import Testing
@testable import FreeholdEngine

@Suite("Fixed-size and date leaves")
struct LeavesFixedAndDateTests {
    private func dates(_ values: [(Int64, Int32)?]) -> ExactMemory {
        let builder = DateColumnBuilder()
        for value in values { if let value { builder.append(seconds: value.0, nanoseconds: value.1) } else { builder.appendNull() } }
        return builder.leaf()
    }

    @Test("whole seconds cost nothing for nanoseconds")
    func wholeSeconds() {
        let memory = dates((0..<256).map { (1_600_000_000 + $0, 0) })
        #expect(memory.count == 24 + 256 + 24)
    }

    @Test("dates are set in place when both parts fit, else nothing changes")
    func dateEditing() {
        let memory = dates([(100, 0), (300, 999_999_999), nil])
        #expect(DateLeaf.set(seconds: 110, nanoseconds: 5, at: 2, in: memory.start))
        #expect(!DateLeaf.set(seconds: 99, nanoseconds: 6, at: 1, in: memory.start))
        #expect(DateLeaf.setNull(at: 0, in: memory.start))
        let leaf = DateLeaf(memory.pointer)
        #expect(leaf.isNull(0) && leaf[1] == (300, 999_999_999) && leaf[2] == (110, 5) && !leaf.isNull(2))
        #expect(leaf.problem() == nil && leaf.nullCount == 1)
        let whole = dates([(1, 0), (2, 0)])
        #expect(!DateLeaf.set(seconds: 1, nanoseconds: 1, at: 0, in: whole.start) && DateLeaf(whole.pointer)[0] == (1, 0))
        #expect(!DateLeaf.setNull(at: 0, in: whole.start))
    }

    @Test("nanoseconds of a second or more are a problem")
    func badNanoseconds() {
        let memory = dates([(0, 1_000_000_000)])
        #expect(DateLeaf.validate(memory.pointer, length: memory.count) && DateLeaf(memory.pointer).problem() != nil)
    }

    @Test("identifiers are set in place and made null")
    func fixedEditing() {
        let builder = FixedColumnBuilder<FixedRow12>()
        builder.append(FixedRow12(high: 1, low: 2))
        builder.appendNull()
        let memory = builder.leaf()
        let value: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
        value.withUnsafeBytes { FixedLeaf.set($0, at: 1, in: memory.start) }
        #expect(FixedLeaf.setNull(at: 0, in: memory.start))
        let leaf = FixedLeaf(memory.pointer)
        #expect(leaf.isNull(0) && !leaf.isNull(1) && Array(leaf[1]) == value && leaf.nullCount == 1 && leaf.problem() == nil)
        #expect(leaf.narrow(1) == (0x0102_0304_0506_0708, 0x090A_0B0C))
    }

    @Test("bytes are little-endian and stand where the layout says")
    func golden() {
        let wide = FixedColumnBuilder<FixedRow16>()
        wide.append(FixedRow16(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10))
        #expect(wide.leaf().array == [1, 0, 0, 0, 16, 0, 0, 0] + Array(1...16))
        let narrow = FixedColumnBuilder<FixedRow12>()
        narrow.appendNull()
        narrow.appendNull()
        narrow.append(FixedRow12(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C))
        #expect(narrow.leaf().array == [3, 0, 0, 0, 12, 1, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0]
            + [UInt8](repeating: 0, count: 24) + Array(1...12) + [0, 0, 0, 0])
        #expect(dates([(-1, 1), (0, 0)]).array == [
            2, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
            2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
        ])
    }
}
