import CShims
@testable import FreeholdEngine
import TestKit
import Testing

/// Rows of sign bits.
@Suite("Sign bits of vectors") struct SignRowsTests {
    @Test("a group is read as it was written, after any changes", arguments: [1, 63, 64, 65, 384, 511, 1000, 5000, 65_535])
    func rows(dimensions: Int) throws {
        var random = SeededRandom(seed: UInt64(dimensions))
        let shape = SignShape(dimensions: dimensions)
        for object in [0, -1, Int64.max - 5, .min + 70, 12_345] as [Int64] {
            let group = shape.group(of: object)
            var rows = SignRows(shape, group: group), kept: [Int64: [UInt64]] = [:]
            for _ in 0..<60 {
                let key = shape.object(group, random.below(shape.groupSize))
                let row = random.oneIn(3) ? nil : (0..<shape.words).map { _ in random.next() }
                rows.set(key, row)
                kept[key] = row
                var found: [Int64: [UInt64]] = [:]
                try rows.forEach { found[$0] = Array($1) }
                #expect(found == kept)
                guard let key = rows.key else {
                    #expect(kept.isEmpty)
                    continue
                }
                #expect(key.count <= max(4096, 16 + shape.words * 8) && SignRows(shape, key: key) == rows)
                #expect(SignRows(shape, key: Array(key.dropLast())) == nil)
                // Safe: a key has at least 16 bytes.
                key.withUnsafeBytes { bytes in
                    let head = shape.head(bytes.baseAddress!, length: bytes.count)
                    #expect(head?.group == group && head?.present.nonzeroBitCount == kept.count)
                    #expect(shape.head(bytes.baseAddress!, length: bytes.count - 1) == nil)
                }
            }
        }
    }

    /// The signs by the rotation's definition in docs/vectors.md.
    private static func signs(_ vector: [Float], _ bits: Int) -> [Bool] {
        var numbers = vector + Array(repeating: 0, count: bits - vector.count)
        let groups = bits / 64
        for round in 0..<3 {
            for place in 0..<bits where mixed(UInt64(round << 16 | place / 64)) >> UInt64(place % 64) & 1 == 1 {
                numbers[place] = -numbers[place]
            }
            for group in 0..<groups {
                for step in [1, 2, 4, 8, 16, 32] {
                    for row in 0..<64 where row & step == 0 {
                        let one = round == 1 ? row * groups + group : group * 64 + row, other = one + (round == 1 ? step * groups : step)
                        (numbers[one], numbers[other]) = (numbers[one] + numbers[other], numbers[one] - numbers[other])
                    }
                }
            }
        }
        return numbers.map { $0 < 0 }
    }

    private static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number &+ 0x9e37_79b9_7f4a_7c15
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    @Test("the bits are those of the rotation, and distances count the bits that differ", arguments: VectorElements.allCases)
    func distances(elements: VectorElements) {
        var random = SeededRandom(seed: 3)
        for dimensions in [1, 8, 63, 64, 65, 128, 200, 384, 512, 700, 1024, 1536] {
            let shape = SignShape(dimensions: dimensions)
            let vectors = (0..<5).map { _ in (0..<dimensions).map { _ in Float(random.below(201) - 100) } }
            var signs: [[Bool]] = [], bytes: [UInt8] = [0]
            for vector in vectors {
                let (row, squares) = elements.bytes(of: vector).withUnsafeBytes { shape.row($0, width: elements.width) }
                signs.append((0..<shape.bits).map { row[$0 / 64] >> UInt64($0 % 64) & 1 == 1 })
                #expect(signs.last == Self.signs(vector, shape.bits), "\(dimensions)")
                #expect(squares == vector.reduce(0) { $0 + $1 * $1 })
                for word in row { for byte in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(byte * 8))) } }
            }
            let wanted = elements.bytes(of: vectors[2]).withUnsafeBytes { shape.row($0, width: elements.width).signs }
            var distances = [UInt16](repeating: 7, count: 6), counts = [UInt32](repeating: 0, count: shape.bits + 1)
            let least = bytes.withUnsafeBytes {
                freehold_kernel_hamming($0.baseAddress! + 1, 5, shape.words, wanted, &distances, &counts)
            }
            let expected = signs.map { row in UInt16(zip(row, signs[2]).count { $0 != $1 }) }
            #expect(distances == expected + [7] && least == 0, "\(dimensions)")
            #expect(counts.indices.allSatisfy { distance in Int(counts[distance]) == expected.count { Int($0) == distance } })
        }
    }

    @Test("rows of whole and of parts of groups have their distances, whether they are measured at once or later")
    func distances() {
        let shape = SignShape(dimensions: 100)
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed), expected: [Int: [ObjectKey]] = [:]
            let wanted = (0..<shape.words).map { _ in random.next() }, distances = SignDistances(shape)
            // The rows of all groups, which stay; `copy` has those that do not.
            let groups = (0..<60).map { _ in
                (0..<64).map { _ in (0..<shape.words).map { _ in random.next() & random.next() ^ wanted[0] } }
            }
            let rows = groups.map { $0.flatMap { $0.flatMap(\.bytes) } }
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: rows.reduce(0) { $0 + $1.count }, alignment: 1)
            defer { memory.deallocate() }
            var place = 0
            for (number, all) in rows.enumerated() {
                let present = random.oneIn(3) ? UInt64.max : random.next(), rowBytes = shape.words * 8, inPlace = !random.oneIn(4)
                let chosen = random.oneIn(3) ? present : present & random.next() & (random.oneIn(2) ? random.next() : .max)
                var bytes: [UInt8] = []
                for row in 0..<64 where present >> UInt64(row) & 1 == 1 {
                    bytes += all[row * rowBytes..<(row + 1) * rowBytes]
                    guard chosen >> UInt64(row) & 1 == 1 else { continue }
                    let distance = zip(groups[number][row], wanted).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
                    expected[distance, default: []].append(ObjectKey(shape.object(Int64(number), row)))
                }
                func add(_ start: UnsafeRawPointer) {
                    distances.add(.init(number: Int64(number), present: present, rows: start, areInPlace: inPlace), chosen, from: wanted)
                }
                if inPlace {
                    // Safe: there is room for all rows of all groups.
                    let start = memory.baseAddress! + place
                    bytes.withUnsafeBytes { start.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
                    place += bytes.count
                    add(start)
                } else {
                    bytes.withUnsafeMutableBytes { bytes in
                        add(bytes.baseAddress!)
                        for place in bytes.indices { bytes[place] = 0x55 }
                    }
                }
            }
            distances.measureAwaited(from: wanted)
            for distance in 0...shape.bits {
                let found = distances.objects(distance..<distance + 1)
                #expect(found == expected[distance, default: []], "seed \(seed), distance \(distance)")
                #expect(distances.count(distance..<distance + 1) == found.count)
            }
        }
    }

    @Test("vectors at an angle differ in no more bits than its limit, but for few", arguments: SampleVectors.allCases)
    func limits(sample: SampleVectors) throws {
        var random = SeededRandom(seed: 11), within = 0, narrow = 0, count = 0
        let shape = SignShape(dimensions: sample.dimensions)
        for _ in 0..<2_000 {
            let pair = (0..<2).map { _ in sample.vector(&random) }
            let measure = try VectorMeasure(pair[0], .cosine, .float32), bytes = VectorElements.float32.bytes(of: pair[1])
            guard let cosine = bytes.withUnsafeBytes(measure.score) else { continue }
            let rows = pair.map { vector in vector.withUnsafeBytes { shape.row($0, width: 4).signs } }
            let distance = zip(rows[0], rows[1]).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
            let mean = SignShape.arcCosine(cosine) / Double.pi
            count += 1
            within += distance <= shape.mostDistance(cosine: cosine) ? 1 : 0
            narrow += Double(distance) <= mean * Double(shape.bits) ? 1 : 0
        }
        #expect(count > 1_900 && within * 100 >= count * 95, "\(sample): \(within) of \(count)")
        // The mean is one: about half are below it.
        #expect(narrow * 100 >= count * 30 && narrow * 100 <= count * 75, "\(sample): \(narrow) of \(count)")
    }

    @Test("every vector with at least a score has at least the cosine that follows from it", arguments: VectorMetric.allCases)
    func cosines(metric: VectorMetric) throws {
        var random = SeededRandom(seed: 4), isTight = false
        for round in 0..<300 {
            let scale: Float = round % 3 == 0 ? 1 : 20
            func vector() -> [Float] {
                (0..<3).map { _ in Float.random(in: -1...1, using: &random) * Float.random(in: 1...scale, using: &random) }
            }
            let measure = try VectorMeasure(vector(), metric, .float32), vectors = (0..<30).map { _ in vector() }
            var extent = VectorExtent(), found: [(score: Double, cosine: Double)] = []
            let direction = try VectorMeasure(measure.wanted, .cosine, .float32)
            for vector in vectors {
                let bytes = VectorElements.float32.bytes(of: vector)
                extent.add(squares: vector.reduce(0) { $0 + $1 * $1 })
                found.append((try #require(bytes.withUnsafeBytes(measure.score)), try #require(bytes.withUnsafeBytes(direction.score))))
            }
            let last = found[round % 30].score, least = measure.leastCosine(of: last, extent)
            #expect(found.allSatisfy { $0.score < last || $0.cosine >= least - 0.0001 }, "\(metric), round \(round)")
            if least > 0.5 { isTight = true }
            #expect(VectorExtent(bytes: extent.bytes[...]) == extent)
        }
        #expect(isTight)
        let none = try VectorMeasure([1, 0], metric, .float32).leastCosine(of: 0.5, VectorExtent())
        #expect(metric == .cosine ? none == 0.5 : none == -1)
        #expect(VectorExtent(bytes: [0, 0, 0x80, 0x3f, 0, 0, 0, 0x3f]) == nil)
        #expect(VectorExtent(bytes: [0, 0, 0xc0, 0x7f, 0, 0, 0, 0x3f]) == nil)
    }
}

/// Vectors that an index of sign bits has to find the nearest of, or to leave to a search of all.
enum SampleVectors: CaseIterable {
    case clustered, uniform, sparse, withoutNegatives, shifted, oneDimension, threeDimensions, sixteenDimensions, longAndShort, products

    var dimensions: Int {
        switch self {
        case .oneDimension: 1
        case .threeDimensions: 3
        case .sixteenDimensions: 16
        default: 96
        }
    }

    var metric: VectorMetric {
        switch self {
        case .longAndShort: .euclidean
        case .products: .dot
        default: .cosine
        }
    }

    func vector(_ random: inout SeededRandom) -> [Float] {
        switch self {
        case .sparse:
            var vector = [Float](repeating: 0, count: dimensions)
            for _ in 0..<4 { vector[random.below(dimensions)] = .random(in: 0.1...1, using: &random) }
            return vector
        case .uniform, .oneDimension, .threeDimensions, .sixteenDimensions:
            return (0..<dimensions).map { _ in .random(in: -1...1, using: &random) }
        case .clustered, .withoutNegatives, .shifted, .longAndShort, .products:
            var centre = SeededRandom(seed: UInt64(random.below(200)))
            let length: Float = self == .longAndShort || self == .products ? .random(in: 0.5...2, using: &random) : 1
            let shift: Float = self == .shifted ? 2 : 0
            let numbers = (0..<dimensions).map { _ in
                length * (shift + .random(in: -1...1, using: &centre) + 0.5 * .random(in: -1...1, using: &random))
            }
            return self == .withoutNegatives ? numbers.map(abs) : numbers
        }
    }
}

extension UInt64 {
    fileprivate var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64($0 * 8)) } }
}
