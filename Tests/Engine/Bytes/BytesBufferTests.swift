import TestKit
import Testing
@testable import FreeholdEngine

@Suite("Byte buffers, numbers and bitmaps")
struct BytesBufferTests {
    @Test("a buffer holds what was appended, through growth and reuse", arguments: Seeds.all)
    func appending(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let buffer = ByteBuffer(capacity: 1)
        for _ in 0..<20 {
            var expected: [UInt8] = []
            buffer.removeAll()
            for _ in 0..<random.below(60) {
                let bytes = random.bytes(random.below(90))
                switch random.below(4) {
                case 0:
                    bytes.withUnsafeBytes { buffer.append($0) }
                    expected += bytes
                case 1:
                    buffer.append(zeros: bytes.count)
                    expected += [UInt8](repeating: 0, count: bytes.count)
                case 2:
                    buffer.append(0x5A as UInt8)
                    expected.append(0x5A)
                default:
                    let length = random.below(expected.count + 1)
                    buffer.truncate(to: length)
                    expected.removeLast(expected.count - length)
                }
            }
            #expect(buffer.array == expected && buffer.count == expected.count)
        }
    }

    @Test("numbers are written in the order of bytes asked for")
    func numbers() {
        let buffer = ByteBuffer()
        buffer.append(little: 0x0102_0304 as UInt32)
        buffer.append(big: 0x0102_0304 as UInt32)
        #expect(buffer.array == [4, 3, 2, 1, 1, 2, 3, 4])
        #expect(UnsafeRawPointer(buffer.start).little(1, as: UInt16.self) == 0x0203)
    }

    @Test("varints come back and take the bytes they say", arguments: Seeds.all)
    func varints(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let buffer = ByteBuffer()
        let values: [UInt64] = [0, 1, 127, 128, 16_383, 16_384, .max, .max - 1, 1 << 63] + (0..<500).map { _ in random.next() >> UInt64(random.below(64)) }
        for value in values { buffer.append(varint: value) }
        #expect(buffer.count == values.reduce(0) { $0 + Varint.length($1) })
        var offset = 0
        for value in values {
            let decoded = Varint.decode(buffer.bytes, &offset)
            #expect(decoded == value)
        }
        #expect(offset == buffer.count)
        for value in values {
            let signed = Int64(bitPattern: value)
            #expect(Varint.unzigzag(Varint.zigzag(signed)) == signed)
        }
    }

    @Test("varints that end too early or are too large give nil and do not move", arguments: [
        [], [0x80], [0xFF, 0xFF], [UInt8](repeating: 0xFF, count: 9), [UInt8](repeating: 0xFF, count: 10),
        [UInt8](repeating: 0x80, count: 9) + [2], [UInt8](repeating: 0x80, count: 11),
    ] as [[UInt8]])
    func badVarints(bytes: [UInt8]) {
        let memory = ExactMemory(bytes)
        var offset = 0
        let decoded = Varint.decode(memory.bytes, &offset)
        #expect(decoded == nil && offset == 0)
    }

    @Test("small magnitudes of either sign become small numbers")
    func zigzag() {
        #expect([0, -1, 1, -2, Int64.max, .min].map(Varint.zigzag) == [0, 1, 2, 3, .max - 1, .max])
    }

    @Test("bitmaps set, clear and count rows")
    func bitmaps() {
        let memory = ExactMemory([UInt8](repeating: 0, count: 16))
        for row in [0, 5, 63, 64, 99] { Bitmap.set(row, true, in: memory.start) }
        Bitmap.set(5, false, in: memory.start)
        #expect((0..<100).filter { Bitmap.contains($0, in: memory.pointer) } == [0, 63, 64, 99])
        #expect(Bitmap.population(memory.pointer, rows: 100) == 4)
        #expect(Bitmap.hasCleanTail(memory.pointer, rows: 100) && !Bitmap.hasCleanTail(memory.pointer, rows: 99))
        #expect(Bitmap.words(0) == 0 && Bitmap.words(64) == 1 && Bitmap.byteCount(65) == 16)
    }
}
