import TestKit
import Testing
@testable import FreeholdEngine

/// Bytes of a file are input: whatever passes validation may be read in every way without a trap or a step outside.
/// Leaves stand in memory of exactly their length, so the address sanitizer of the long suite sees each such step.
@Suite("Leaves of damaged bytes")
struct LeavesFuzzTests {
    /// Reads everything a leaf offers; what it says does not matter.
    private func readIntegers(_ leaf: PackedIntegers, _ random: inout SeededRandom) -> Int {
        var values = [Int64](repeating: 0, count: leaf.count + 1)
        var bits = [UInt64](repeating: 0, count: Bitmap.words(leaf.count) + 1)
        values.withUnsafeMutableBufferPointer { leaf.decode(into: $0.baseAddress!) }
        let ends = [Int64(bitPattern: random.next()), Int64(random.below(300)), .min, .max, values[0]].shuffled(using: &random)
        let range = min(ends[0], ends[1])...max(ends[0], ends[1])
        bits.withUnsafeMutableBufferPointer { leaf.select(range, into: $0.baseAddress!) }
        let nulls = (0..<leaf.count).count(where: leaf.isNull)
        _ = (leaf.sum(), leaf.bounds(), leaf.problem())
        return (0..<leaf.count).count { leaf[$0] == values[$0] } + leaf.count(in: range) + nulls
    }

    private func edit(_ bytes: [UInt8], _ random: inout SeededRandom) {
        let memory = ExactMemory(bytes)
        guard PackedIntegers.validate(memory.pointer, length: memory.count) else { return }
        for _ in 0..<4 where PackedIntegers(memory.pointer).count > 0 {
            let leaf = PackedIntegers(memory.pointer)
            _ = PackedIntegers.setNull(at: random.below(leaf.count), in: memory.start)
            _ = PackedIntegers.set(leaf[random.below(leaf.count)], at: random.below(leaf.count), in: memory.start)
        }
    }

    private func readReals(_ leaf: RealLeaf) -> Int {
        var bits = [UInt64](repeating: 0, count: Bitmap.words(leaf.count) + 1)
        bits.withUnsafeMutableBufferPointer { leaf.select(-1...100, into: $0.baseAddress!) }
        _ = (leaf.summary(), leaf.bounds(), leaf.problem())
        return (0..<leaf.count).count { leaf.isNull($0) || leaf[$0] > 0 }
    }

    private func readText(_ leaf: TextLeaf) -> Int {
        _ = leaf.problem()
        if leaf.isCodes { return leaf.codes.count }
        return (0..<leaf.count).reduce(0) { total, row in
            let outside = leaf.isExternal(row) ? leaf.external(row).reference : 0
            return total + leaf[row].reduce(0) { $0 &+ Int($1) } + outside + (leaf.isNull(row) ? 1 : 0)
        }
    }

    private func readFixed(_ leaf: FixedLeaf) -> Int {
        _ = leaf.problem()
        return (0..<leaf.count).reduce(0) { $0 + Int(leaf[$1].last ?? 0) + (leaf.isNull($1) ? 1 : 0) }
    }

    /// How many kinds of leaves take these bytes, each read in full.
    private func read(_ bytes: [UInt8], _ random: inout SeededRandom) -> Int {
        let memory = ExactMemory(bytes)
        var accepted = 0
        if PackedIntegers.validate(memory.pointer, length: memory.count) {
            accepted += 1
            _ = readIntegers(PackedIntegers(memory.pointer), &random)
            edit(bytes, &random)
        }
        if RealLeaf.validate(memory.pointer, length: memory.count) {
            accepted += 1
            _ = readReals(RealLeaf(memory.pointer))
        }
        if TextLeaf.validate(memory.pointer, length: memory.count, references: 7) {
            accepted += 1
            _ = readText(TextLeaf(memory.pointer))
        }
        if FixedLeaf.validate(memory.pointer, length: memory.count) {
            accepted += 1
            _ = readFixed(FixedLeaf(memory.pointer))
        }
        if DateLeaf.validate(memory.pointer, length: memory.count) {
            accepted += 1
            let leaf = DateLeaf(memory.pointer)
            _ = leaf.problem()
            _ = (0..<leaf.count).count { leaf.isNull($0) || leaf[$0].nanoseconds == 0 }
        }
        return accepted
    }

    /// A good leaf of some kind.
    private func leaf(_ random: inout SeededRandom) -> [UInt8] {
        switch random.below(6) {
        case 0:
            return LeavesTextTests.builder(LeavesTextTests.entries(&random)).leaf().array
        case 1:
            return LeavesRealTests.builder(LeavesRealTests.doubles(&random)).leaf().array
        case 2:
            return LeavesRealTests.builder(LeavesRealTests.doubles(&random).map { $0.map(Float.init) }).leaf().array
        case 3:
            let builder = FixedColumnBuilder<FixedRow12>()
            for _ in 0..<random.below(40) { if random.chance(20) { builder.appendNull() } else { builder.append(FixedRow12(high: random.next(), low: 1)) } }
            return builder.leaf().array
        case 4:
            let builder = DateColumnBuilder()
            for _ in 0..<random.below(200) { if random.chance(20) { builder.appendNull() } else { builder.append(seconds: Int64(random.below(9999)), nanoseconds: Int32(random.below(3))) } }
            return builder.leaf().array
        default:
            let builder = IntegerColumnBuilder()
            for value in random.integers(random.rowCount(), bits: [0, 1, 2, 4, 8, 16, 32, 64][random.below(8)]) {
                if random.chance(10) { builder.appendNull() } else { builder.append(value) }
            }
            return builder.leaf().array
        }
    }

    @Test("damaged leaves are refused or read within their bytes", arguments: Seeds.all)
    func damaged(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var accepted = 0
        for _ in 0..<250 {
            var bytes = leaf(&random)
            let sparesHeader = random.chance(70) && bytes.count > 24
            for _ in 0..<12 {
                if sparesHeader {
                    bytes[24 + random.below(bytes.count - 24)] ^= 1 << UInt8(random.below(8))
                    accepted += read(bytes, &random)
                    continue
                }
                switch random.below(4) {
                case 0: if !bytes.isEmpty { bytes[random.below(min(bytes.count, 32))] = UInt8(truncatingIfNeeded: random.next()) }
                case 1: if !bytes.isEmpty { bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
                case 2: bytes = Array(bytes.prefix(random.below(bytes.count + 1)))
                default: bytes += random.bytes(random.below(20))
                }
                accepted += read(bytes, &random)
            }
        }
        // A test that only ever meets refusals would prove nothing.
        #expect(accepted > 400)
    }

    @Test("random bytes behind a plausible head are refused or read within their bytes", arguments: Seeds.all)
    func noise(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var accepted = 0
        for _ in 0..<2000 {
            var bytes = random.bytes(8 + random.below(120))
            let count = random.below(40)
            let flags = random.chance(70) ? random.below(4) : random.below(32)
            let nullCount = flags & 1 == 0 ? 0 : random.below(count + 1)
            bytes.replaceSubrange(0..<8, with: [UInt8(count), 0, 0, 0, [0, 1, 2, 4, 8, 12, 16, 32, 64][random.below(9)],
                                                UInt8(flags), UInt8(nullCount), 0])
            if bytes.count >= 24 && random.chance(60) {
                bytes.replaceSubrange(8..<24, with: [UInt8](repeating: 0, count: 16))
                bytes[8] = UInt8(random.below(30))
                bytes[16] = bytes[8] + UInt8(random.below(200))
            }
            // Cut to the length that each kind would accept, so that the strict check can pass.
            for length in Set([PackedIntegers.validatedLength, RealLeaf.validatedLength, FixedLeaf.validatedLength]
                .compactMap { check in bytes.withUnsafeBytes { check($0) } }) {
                accepted += read(Array(bytes.prefix(length)), &random)
            }
            accepted += read(bytes, &random)
        }
        #expect(accepted > 200)
    }

    @Test("lengths that cannot hold a head are refused")
    func short() {
        var random = SeededRandom(seed: 1)
        for length in 0..<24 {
            let memory = ExactMemory(random.bytes(length))
            #expect(PackedIntegers.validatedLength(memory.bytes) == nil && RealLeaf.validatedLength(memory.bytes) == nil)
            #expect(DateLeaf.validatedLength(memory.bytes) == nil)
            if length < 8 { #expect(FixedLeaf.validatedLength(memory.bytes) == nil && TextLeaf.validatedLength(memory.bytes) == nil) }
        }
        #expect(PackedIntegers.validatedLength(UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
    }
}
