import FreeholdEngine
import TestKit

/// Writes Realm files for tests, from the facts about the format and with nothing of the reader: arrays first.
struct RealmWriter {
    var bytes = [UInt8](repeating: 0, count: 24)
    let format: Int
    var random: SeededRandom
    /// How many objects a cluster has at most, and how many elements a leaf of a collection.
    var clusterLimit = 256, leafLimit = 1000
    /// Where the file has references, and how wide they are, for tests that redirect them.
    private(set) var references: [(offset: Int, bytes: Int)] = []
    /// Where arrays begin.
    private(set) var nodes: [Int] = []

    init(format: Int, _ random: SeededRandom) {
        self.format = format
        self.random = random
    }

    /// Appends an array; the result is the reference to it.
    mutating func node(flags: UInt8, form: UInt8, width: Int, count: Int, _ elements: [UInt8]) -> Int64 {
        precondition(count < 1 << 24)
        let code = UInt8(width == 0 ? 0 : 1 + width.trailingZeroBitCount), reference = bytes.count
        let capacity = (elements.count + 15) / 8 * 8
        bytes += [UInt8(capacity >> 16 & 255), UInt8(capacity >> 8 & 255), UInt8(capacity & 255), 0x41]
        bytes[reference + 3] = 0
        bytes += [flags | form << 3 | code, UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)]
        bytes += elements
        while bytes.count % 8 != 0 { bytes.append(0) }
        nodes.append(reference)
        return Int64(reference)
    }

    /// The smallest width that holds all the numbers, sometimes a larger one.
    private mutating func width(_ numbers: [Int64]) -> Int {
        var width = 64
        let least = numbers.min() ?? 0, greatest = numbers.max() ?? 0
        for candidate in [0, 1, 2, 4] where width == 64 && least >= 0 && greatest < 1 << candidate { width = candidate }
        for candidate in [8, 16, 32] where width == 64 && least >= -(1 << (candidate - 1)) && greatest < 1 << (candidate - 1) {
            width = candidate
        }
        if random.oneIn(10), width < 64 { width = max(1, width) * 2 }
        return width
    }

    /// An array of integers.
    mutating func ints(_ numbers: [Int64], flags: UInt8 = 0) -> Int64 {
        let width = width(numbers)
        let reference = node(flags: flags, form: 0, width: width, count: numbers.count, Self.pack(numbers, width))
        if flags & 0x40 != 0, width >= 8 {
            for (place, number) in numbers.enumerated() where number != 0 && number & 1 == 0 {
                references.append((Int(reference) + 8 + place * width / 8, width / 8))
            }
        }
        return reference
    }

    /// An array of references and tagged numbers.
    mutating func refs(_ numbers: [Int64], isInner: Bool = false, isContext: Bool = false) -> Int64 {
        ints(numbers, flags: 0x40 | (isInner ? 0x80 : 0) | (isContext ? 0x20 : 0))
    }

    /// An array of keys, which have no sign.
    mutating func keys(_ keys: [Int64]) -> Int64 {
        let greatest = keys.max() ?? 0
        let width = greatest < 256 ? 8 : greatest < 65_536 ? 16 : greatest < 1 << 32 ? 32 : 64
        return node(flags: 0, form: 0, width: width, count: keys.count, Self.pack(keys, width))
    }

    static func pack(_ numbers: [Int64], _ width: Int) -> [UInt8] {
        if width >= 8 {
            return numbers.flatMap { number in (0..<width / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        }
        var bytes = [UInt8](repeating: 0, count: (numbers.count * width + 7) / 8)
        for (place, number) in numbers.enumerated() where width > 0 {
            bytes[place * width / 8] |= UInt8(number) << UInt8(place * width % 8)
        }
        return bytes
    }

    /// A number that stands for itself among references.
    static func tagged(_ number: Int64) -> Int64 { number << 1 | 1 }

    mutating func blob(_ content: [UInt8]) -> Int64 { node(flags: 0, form: 2, width: 8, count: content.count, content) }

    static func little(_ number: UInt64, _ count: Int = 8) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
    }

    static func big(_ number: UInt64, _ count: Int = 8) -> [UInt8] { little(number, count).reversed() }
}
