@testable import FreeholdEngine
import TestKit
import Testing

/// Stored vectors and their scores, against sums in plain Swift.
@Suite("Scores of vectors") struct VectorMeasureTests {
    /// Sums in the order that the kernels have: 32 lanes, and these in halves.
    private static func sum(_ terms: [Float]) -> Float {
        var lanes = [Float](repeating: 0, count: 32)
        for (place, term) in terms.enumerated() { lanes[place % 32] += term }
        for half in [16, 8, 4, 2, 1] { for lane in 0..<half { lanes[lane] += lanes[lane + half] } }
        return lanes[0]
    }

    private static func score(_ stored: [Float], _ measure: VectorMeasure) -> Double {
        let pairs = zip(stored, measure.wanted), product = Double(sum(pairs.map { $0 * $1 }))
        switch measure.metric {
        case .dot: return product
        case .euclidean: return -Double(sum(pairs.map { ($0 - $1) * ($0 - $1) })).squareRoot()
        case .cosine:
            let lengths = [stored, measure.wanted].map { Double(sum($0.map { $0 * $0 })).squareRoot() }
            return max(-1, min(1, product / (lengths[0] * lengths[1])))
        }
    }

    @Test("scores have the bits of sums in one order, at every length and alignment", arguments: TestScale.seeds(2, long: 40))
    func scores(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for length in Array(1...131) + [384, 1023] {
            for elements in VectorElements.allCases {
                let wanted = (0..<length).map { _ in Float.random(in: -3...3, using: &random) }
                let given = (0..<length).map { _ in Float.random(in: -130...130, using: &random) }
                let bytes = elements.bytes(of: given), stored = try #require(elements.numbers(in: bytes)), shift = random.below(8)
                for metric in VectorMetric.allCases {
                    let measure = try VectorMeasure(wanted, metric, elements)
                    let found = ([UInt8](repeating: 7, count: shift) + bytes).withUnsafeBytes {
                        measure.score(UnsafeRawBufferPointer(rebasing: $0[shift...]))
                    }
                    #expect(found == Self.score(stored, measure), "\(length) \(elements) \(metric)")
                }
            }
        }
    }

    @Test("every float of half precision is read as its number, and stored as it was")
    func halves() throws {
        for bits in UInt16.min ... .max {
            let bytes = [UInt8(bits & 255), UInt8(bits >> 8)], number = try #require(VectorElements.float16.numbers(in: bytes))[0]
            let measure = try VectorMeasure([1], .dot, .float16)
            let score = bytes.withUnsafeBytes { measure.score($0) }
            #expect(score == (number.isFinite ? Double(number) : nil), "\(bits)")
            if !number.isNaN { #expect(VectorElements.float16.bytes(of: [number]) == bytes, "\(bits)") }
        }
    }

    @Test("numbers are rounded to what can be stored", arguments: [
        (65519, 0x7BFF), (65520, 0x7C00), (.infinity, 0x7C00), (-70000, 0xFC00), (1 + 0x1p-11, 0x3C00), (1 + 3 * 0x1p-11, 0x3C02),
        (0x1p-25, 0), (0x1.8p-25, 1), (-0.0, 0x8000), (2047.5 * 0x1p-25, 0x0400), (2047.5, 0x6800), (1.0 / 3, 0x3555),
    ] as [(Float, UInt16)])
    func round(number: Float, bits: UInt16) {
        #expect(VectorElements.float16.bytes(of: [number]) == [UInt8(bits & 255), UInt8(bits >> 8)])
    }

    @Test("bytes are rounded and cut off, and a part of a number is none")
    func bytes() {
        #expect(VectorElements.int8.bytes(of: [127.4, 300, -128.5, -1000, 0.5, 1.5, .nan]) == [127, 127, 128, 128, 0, 2, 0])
        #expect(VectorElements.int8.numbers(in: [128, 255, 127]) == [-128, -1, 127])
        #expect(VectorElements.float32.numbers(in: [0, 0, 128, 63, 0]) == nil)
        #expect(VectorElements.float16.numbers(in: [1]) == nil)
        #expect(VectorElements.float32.bytes(of: [1, -2]) == [0, 0, 128, 63, 0, 0, 0, 192])
    }

    @Test("what is no vector has no score", arguments: VectorMetric.allCases)
    func noVectors(metric: VectorMetric) throws {
        let measure = try VectorMeasure([1, 2, 3], metric, .float32)
        func score(_ vector: [Float]) -> Double? { VectorElements.float32.bytes(of: vector).withUnsafeBytes { measure.score($0) } }
        #expect(score([1, 2, 3]) != nil)
        for vector in [[], [1, 2], [1, 2, 3, 4], [.nan, 2, 3], [1, .infinity, 3], [1, 2, -.infinity], [1e20, 0, 0]] as [[Float]] {
            #expect(score(vector) == nil, "\(vector)")
        }
        #expect((score([0, 0, 0]) == nil) == (metric == .cosine))
        #expect((score([1e-30, 0, 0]) == nil) == (metric == .cosine))
        #expect((score([3e-16, 3e-16, 3e-16]) == nil) == (metric == .cosine) && score([2e-15, 0, 0]) != nil)
    }

    @Test("cosines end at 1 and -1, though products of floats are rounded")
    func bounded() throws {
        var random = SeededRandom(seed: 1), atBound = 0
        for _ in 0..<200 {
            let vector = (0..<384).map { _ in Float.random(in: -1...1, using: &random) }
            for factor: Float in [3, -0.7] {
                let bytes = VectorElements.float32.bytes(of: vector.map { $0 * factor })
                let score = try #require(bytes.withUnsafeBytes { bytes in try VectorMeasure(vector, .cosine, .float32).score(bytes) })
                #expect(abs(score) <= 1 && abs(score) > 0.999_999)
                if abs(score) == 1 { atBound += 1 }
            }
        }
        #expect(atBound > 20, "\(atBound)")
    }

    @Test("a vector that cannot be searched for is refused", arguments: [
        ([], "a vector has 1 to 65535 numbers, not 0"), ([1, .nan], "number 2 of the vector is NaN"),
        ([-.infinity, 1], "number 1 of the vector is infinite"), ([1e20], "too large"),
        ([0, 0], "the vector is zero"), ([3e-16, 0], "the vector is zero, or shorter"),
    ] as [([Float], String)])
    func refused(vector: [Float], message: String) {
        let error = #expect(throws: FreeholdError.self) { try VectorMeasure(vector, .cosine, .float32) }
        #expect(error?.code == .malformedInput && error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
}
