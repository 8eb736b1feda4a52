import Glibc
import TestKit
@testable import FreeholdEngine

/// The seeds property tests run with; FREEHOLD_SEED replaces them by the one a failure named.
enum Seeds {
    static let all: [UInt64] = {
        if let text = getenv("FREEHOLD_SEED"), let seed = UInt64(String(cString: text)) { return [seed] }
        return Array(1...4)
    }()
}

extension SeededRandom {
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// Row counts that matter: none, one, around words and strips, a usual leaf.
    mutating func rowCount() -> Int {
        [0, 1, 2, 7, 8, 15, 16, 17, 63, 64, 65, 127, 128, 255, 256, 257, below(300), below(1000)][below(18)]
    }

    /// Integers that fit a width, over a base anywhere.
    mutating func integers(_ count: Int, bits: Int) -> [Int64] {
        if bits == 64 { return (0..<count).map { _ in Int64(bitPattern: next()) } }
        let limit: UInt64 = 1 << UInt64(bits)
        let base = [0, -5, Int64.min, Int64.max - Int64(limit - 1), Int64.random(in: -1_000_000...1_000_000, using: &self)][below(5)]
        return (0..<count).map { _ in base + Int64(next() % limit) }
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}

/// Memory of exactly so many bytes, so that an address sanitizer sees every step outside.
final class ExactMemory {
    let start: UnsafeMutableRawPointer
    let count: Int

    init(_ count: Int) {
        self.count = count
        start = malloc(max(count, 1))!
        // What an encoder leaves unwritten must not pass for zeros.
        memset(start, 0xA5, max(count, 1))
    }

    convenience init(_ bytes: [UInt8]) {
        self.init(bytes.count)
        bytes.withUnsafeBytes { if let source = $0.baseAddress { start.copyMemory(from: source, byteCount: bytes.count) } }
    }

    deinit { free(start) }

    var pointer: UnsafeRawPointer { UnsafeRawPointer(start) }
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
    var array: [UInt8] { Array(bytes) }
}

extension ColumnBuilder {
    /// The leaf of all rows.
    func leaf() -> ExactMemory {
        let memory = ExactMemory(encodedLength())
        let written = encode(into: memory.start)
        precondition(written == memory.count, "encode writes encodedLength bytes")
        return memory
    }
}

/// A bitmap of these rows.
func bitmap(_ rows: [Bool]) -> [UInt64] {
    var words = [UInt64](repeating: 0, count: Bitmap.words(rows.count) + 1)
    for (row, isSet) in rows.enumerated() where isSet { words[row / 64] |= 1 << UInt64(row % 64) }
    return words
}

/// Which rows of a bitmap are set.
func rows(of words: [UInt64], count: Int) -> [Bool] {
    (0..<count).map { words[$0 / 64] >> UInt64($0 % 64) & 1 != 0 }
}
