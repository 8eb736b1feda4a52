import TestKit
import Testing
@testable import FreeholdEngine

/// Orders found by digits are those that comparing finds, whatever the words and texts look like.
@Suite("Sorting words and texts")
struct SorterTests {
    private static func words(_ random: inout SeededRandom, _ count: Int) -> [UInt64] {
        let shape = random.below(7), shift = UInt64(random.below(60)), base = random.next()
        return (0..<count).map { place in
            switch shape {
            case 0: random.next()
            case 1: random.next() >> shift
            case 2: base ^ (random.next() >> shift & 7)
            case 3: UInt64(random.below(3)) << 62 | UInt64(random.below(3))
            case 4: UInt64(place)
            case 5: UInt64(count - place) << 11
            default: random.chance(50) ? .max : random.chance(50) ? 0 : random.next()
            }
        }
    }

    private static func texts(_ random: inout SeededRandom, _ count: Int) -> [[UInt8]] {
        let front = [UInt8](repeating: 97, count: [0, 3, 8, 15, 40][random.below(5)])
        let alphabet: [UInt8] = [[97, 98], [0, 97], [0], Array(0...255)][random.below(4)], longest = [0, 2, 9, 30][random.below(4)]
        return (0..<count).map { _ in
            if random.chance(5) { return Array(front.prefix(random.below(front.count + 1))) }
            return front + (0..<random.below(longest + 1)).map { _ in alphabet[random.below(alphabet.count)] }
        }
    }

    /// Positions in the order of `isBefore`, equal ones as they stand.
    private static func naive(_ count: Int, _ order: (Int, Int) -> Int) -> [Int] {
        (0..<count).sorted { order($0, $1) == 0 ? $0 < $1 : order($0, $1) < 0 }
    }

    private static func order<Element: Comparable>(_ left: Element, _ right: Element) -> Int { left < right ? -1 : left == right ? 0 : 1 }

    private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    private static func limit(_ count: Int, _ random: inout SeededRandom) -> Int {
        [.max, .max, 0, 1, 10, count / 2, count, random.below(count + 1)][random.below(8)]
    }

    @Test("words level by level, with and without a limit", arguments: Seeds.all)
    func words(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for round in 0..<20 {
            let count = round == 0 ? 40_000 : [0, 1, 2, 20, 21, 100, 600, 3000, random.below(5000)][random.below(9)]
            let first = Self.words(&random, count), second = Self.words(&random, count), limit = Self.limit(count, &random)
            let sorter = Sorter(count: count, limit: limit)
            first.withUnsafeBufferPointer { first in
                second.withUnsafeBufferPointer { second in
                    guard let first = first.baseAddress, let second = second.baseAddress else { return }
                    sorter.refine(by: [.words(first), .words(second)])
                }
            }
            let wanted = Self.naive(count) { Self.order(first[$0], first[$1]) == 0 ? Self.order(second[$0], second[$1]) : Self.order(first[$0], first[$1]) }
            #expect((0..<sorter.places).map { sorter[$0] } == Array(wanted.prefix(limit)), "seed \(seed), \(count) words, limit \(limit)")
        }
    }

    @Test("texts by bytes in both directions, with zeros and common beginnings", arguments: Seeds.all)
    func texts(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<25 {
            let count = [0, 1, 2, 21, 100, 600, random.below(3000)][random.below(7)], texts = Self.texts(&random, count), more = Self.words(&random, count)
            let isDescending = random.chance(50), limit = Self.limit(count, &random), sorter = Sorter(count: count, limit: limit)
            let memory = texts.map { ExactMemory($0) }
            let entries = memory.map { SortText(start: $0.pointer, count: $0.count) }
            withExtendedLifetime(memory) {
                entries.withUnsafeBufferPointer { entries in
                    more.withUnsafeBufferPointer { more in
                        guard let entries = entries.baseAddress, let more = more.baseAddress else { return }
                        sorter.refine(by: [.texts(entries, isDescending: isDescending), .words(more)])
                    }
                }
            }
            let wanted = Self.naive(count) {
                let order = Self.order(texts[$0], texts[$1]) * (isDescending ? -1 : 1)
                return order == 0 ? Self.order(more[$0], more[$1]) : order
            }
            #expect((0..<sorter.places).map { sorter[$0] } == Array(wanted.prefix(limit)), "seed \(seed), \(count) texts, limit \(limit)")
        }
    }

    @Test("codes of decimal numbers are ordered as the numbers", arguments: Seeds.all)
    func decimals(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var numbers = ["0", "-0", "1", "1.0", "-1", "1E-6176", "-1E-6176", "9E6144", "-9E6144", "1E33", "9999999999999999999999999999999999",
                       "-9999999999999999999999999999999999", "1E34", "10", "0.1"].compactMap { Decimal128($0) }
        numbers += [.nan, .infinity, -Decimal128.infinity]
        for _ in 0..<60 { numbers.append(Decimal128(isNegative: random.chance(50), coefficient: UInt128(random.next() >> UInt64(random.below(60))), exponent: random.below(60) - 30)) }
        for left in numbers {
            for right in numbers {
                let (one, other) = (SortCode(left), SortCode(right))
                #expect(((one.high, one.low) < (other.high, other.low)) == (left < right) && ((one.high, one.low) == (other.high, other.low)) == (left == right),
                        "\(left), \(right)")
            }
        }
    }

    @Test("mixed numbers of all types are ordered by value")
    func mixedNumbers() {
        let ascending: [[Value]] = [
            [.null], [.bool(false)], [.bool(true)], [.double(.nan), .float(.nan), .decimal(.nan)], [.double(-.infinity), .float(-.infinity)],
            [.double(-1e300)], [.int(.min), .double(-0x1p63)], [.int(-9_007_199_254_740_993)], [.double(-0x1p53)], [.int(-1), .float(-1), .decimal(-1)],
            [.int(0), .double(-0.0), .decimal(0)], [.double(0.1), .decimal(Decimal128("0.1")!)], [.float(0.1)], [.int(1), .decimal(Decimal128("1.00")!)],
            [.double(1.5)], [.int(9_007_199_254_740_992), .double(0x1p53)], [.int(9_007_199_254_740_993)], [.int(.max)], [.double(0x1p63)], [.decimal(Decimal128("1E400")!)],
            [.double(.infinity)], [.string("")], [.data([])], [.date(Timestamp(seconds: -5))], [.date(Timestamp(seconds: -5, nanoseconds: 1))],
            [.objectId(ObjectIdentifier12(high: 9, low: 1))], [.uuid(UniqueIdentifier(high: 0, low: 1))],
            [.object(ObjectReference(classNumber: 1, key: ObjectKey(-5)))], [.object(ObjectReference(classNumber: 1, key: ObjectKey(5)))], [.list([])], [.map([:])],
        ]
        for (place, equals) in ascending.enumerated() {
            for value in equals {
                let code = value.sortCode, next = ascending[min(place + 1, ascending.count - 1)][0].sortCode
                let first = equals[0].sortCode
                #expect(code.rank == first.rank && code.code.high == first.code.high && code.code.low == first.code.low, "\(value)")
                if place + 1 < ascending.count { #expect((code.rank, code.code.high, code.code.low) < (next.rank, next.code.high, next.code.low), "\(value)") }
            }
        }
    }
}
