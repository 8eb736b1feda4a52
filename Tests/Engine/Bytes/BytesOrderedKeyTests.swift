import TestKit
import Testing
@testable import FreeholdEngine

/// A value as the order of keys sees it.
enum KeyPart {
    case null, bool(Bool), int(Int64), float(Float), double(Double), text([UInt8]), date(Int64, Int32)
    case wide(UInt64, UInt64), narrow(UInt64, UInt32)

    func append(to buffer: ByteBuffer) {
        switch self {
        case .null: buffer.appendKeyNull()
        case .bool(let value): buffer.appendKey(value)
        case .int(let value): buffer.appendKey(value)
        case .float(let value): buffer.appendKey(value)
        case .double(let value): buffer.appendKey(value)
        case .text(let value): value.withUnsafeBytes { buffer.appendKey(text: $0) }
        case .date(let seconds, let nanoseconds): buffer.appendKey(seconds: seconds, nanoseconds: nanoseconds)
        case .wide(let high, let low): buffer.appendKey(high: high, low: low)
        case .narrow(let high, let low): buffer.appendKey(high: high, low: low)
        }
    }

    /// The order of values, told without their bytes: -1, 0 or 1.
    func order(_ other: KeyPart) -> Int {
        func compare<T: Comparable>(_ left: T, _ right: T) -> Int { left < right ? -1 : left > right ? 1 : 0 }
        switch (self, other) {
        case (.null, .null): return 0
        case (.null, _): return -1
        case (_, .null): return 1
        case (.bool(let left), .bool(let right)): return compare(left ? 1 : 0, right ? 1 : 0)
        case (.int(let left), .int(let right)): return compare(left, right)
        case (.float(let left), .float(let right)): return KeyPart.double(Double(left)).order(.double(Double(right)))
        case (.double(let left), .double(let right)):
            if left.isNaN || right.isNaN { return compare(left.isNaN ? 0 : 1, right.isNaN ? 0 : 1) }
            return compare(left, right)
        case (.text(let left), .text(let right)):
            return left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
        case (.date(let left, let leftPart), .date(let right, let rightPart)):
            return left == right ? compare(leftPart, rightPart) : compare(left, right)
        case (.wide(let left, let leftLow), .wide(let right, let rightLow)):
            return left == right ? compare(leftLow, rightLow) : compare(left, right)
        case (.narrow(let left, let leftLow), .narrow(let right, let rightLow)):
            return left == right ? compare(leftLow, rightLow) : compare(left, right)
        default: fatalError("keys of one type are compared")
        }
    }

    static func random(kind: Int, _ random: inout SeededRandom) -> KeyPart {
        if random.chance(10) { return .null }
        let odd: [Double] = [.nan, .infinity, -.infinity, 0, -0.0, 1, -1, .greatestFiniteMagnitude, -.leastNonzeroMagnitude]
        switch kind {
        case 0: return .bool(random.chance(50))
        case 1: return .int(random.chance(50) ? Int64(random.below(5)) - 2 : Int64(bitPattern: random.next()))
        case 2: return .float(random.chance(50) ? Float(odd[random.below(9)]) : Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
        case 3: return .double(random.chance(50) ? odd[random.below(9)] : Double(bitPattern: random.next()))
        case 4: return .text((0..<random.below(5)).map { _ in [0, 0, 1, 65, 254, 255][random.below(6)] })
        case 5: return .date(Int64(random.below(3)) - 1, Int32(random.below(1_000_000_000)))
        case 6: return .wide(UInt64(random.below(2)), random.next())
        default: return .narrow(UInt64(random.below(2)), UInt32(truncatingIfNeeded: random.next()))
        }
    }
}

@Suite("Ordered keys")
struct BytesOrderedKeyTests {
    private func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
    }

    @Test("bytes are ordered as values are, also in compound keys", arguments: Seeds.all)
    func order(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let left = ByteBuffer(), right = ByteBuffer()
        for _ in 0..<4000 {
            left.removeAll()
            right.removeAll()
            var expected = 0
            for _ in 0...random.below(3) {
                let kind = random.below(8)
                let (first, second) = (KeyPart.random(kind: kind, &random), KeyPart.random(kind: kind, &random))
                first.append(to: left)
                second.append(to: right)
                if expected == 0 { expected = first.order(second) }
            }
            #expect(order(left.array, right.array) == expected, "\(left.array) \(right.array)")
        }
    }

    @Test("a prefix and what follows it enclose exactly the keys that begin with it", arguments: Seeds.all)
    func prefixes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let low = ByteBuffer(), high = ByteBuffer(), key = ByteBuffer()
        for _ in 0..<3000 {
            let prefix: [UInt8] = (0..<random.below(4)).map { _ in [0, 65, 255][random.below(3)] }
            let value: [UInt8] = (0..<random.below(6)).map { _ in [0, 65, 255][random.below(3)] }
            for buffer in [low, high, key] { buffer.removeAll() }
            prefix.withUnsafeBytes { low.appendKeyPrefix(text: $0) }
            prefix.withUnsafeBytes { high.appendKeyPrefix(text: $0) }
            #expect(high.advancePastPrefix())
            value.withUnsafeBytes { key.appendKey(text: $0) }
            let isInside = !key.array.lexicographicallyPrecedes(low.array) && key.array.lexicographicallyPrecedes(high.array)
            #expect(isInside == value.starts(with: prefix), "\(prefix) \(value)")
        }
    }

    @Test("bytes stand as the table says")
    func golden() {
        func bytes(_ part: KeyPart) -> [UInt8] {
            let buffer = ByteBuffer()
            part.append(to: buffer)
            return buffer.array
        }
        #expect(bytes(.null) == [0])
        #expect(bytes(.bool(true)) == [1, 1])
        #expect(bytes(.int(1)) == [1, 0x80, 0, 0, 0, 0, 0, 0, 1])
        #expect(bytes(.int(.min)) == [1, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(bytes(.double(.nan)) == [1, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(bytes(.double(-0.0)) == [1, 0x80, 0, 0, 0, 0, 0, 0, 0])
        #expect(bytes(.float(1)) == [1, 0xBF, 0x80, 0, 0])
        #expect(bytes(.float(-1)) == [1, 0x40, 0x7F, 0xFF, 0xFF])
        #expect(bytes(.text([65, 0, 66])) == [1, 65, 0, 0xFF, 66, 0, 0])
        #expect(bytes(.date(-1, 5)) == [1, 0x7F, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 5])
        #expect(bytes(.wide(1, 2)) == [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2])
        #expect(bytes(.narrow(1, 2)) == [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2])
    }

    @Test("only a prefix of nothing but FF has no successor")
    func noSuccessor() {
        let buffer = ByteBuffer()
        buffer.append(0xFF as UInt8)
        #expect(!buffer.advancePastPrefix() && buffer.count == 0)
    }
}
