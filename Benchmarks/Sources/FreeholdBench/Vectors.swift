/// The vectors of the workload: 384 whole numbers each, so that every driver has the same bits, around centres of two levels.
///
/// A vector is the sum of the bytes of its subject, of its topic within that and of bytes of its own, all from -128 to 127. Any
/// vector is reached at once.
struct Vectors {
    static let dimensions = 384

    private static let topicsOfSubject = 20

    /// The topics, with their subject added.
    private let centres: [[Int16]]
    private let own: UInt64, choice: UInt64

    /// - Parameters:
    ///   - own: the seed of the stream of their own bytes.
    ///   - choice: the seed of the stream that draws their centres.
    init(count: Int, own: UInt64, choice: UInt64) {
        let subjects = max(10, count / 10_000)
        centres = (0..<subjects * Self.topicsOfSubject).map { topic in
            zip(Self.bytes(topic, seed: 84), Self.bytes(topic / Self.topicsOfSubject, seed: 88)).map { $0 + $1 }
        }
        self.own = own
        self.choice = choice
    }

    /// Those that are stored, of N.
    static func stored(_ count: Int) -> Vectors { Vectors(count: count, own: 83, choice: 85) }

    /// Those that are looked for.
    static func wanted(_ count: Int) -> Vectors { Vectors(count: count, own: 86, choice: 87) }

    private static func bytes(_ number: Int, seed: UInt64) -> [Int16] {
        let draws = dimensions / 8
        var stream = SplitMix64(seed: seed, draw: UInt64(number * draws))
        return (0..<draws).flatMap { _ in
            let draw = stream.next()
            return (0..<8).map { Int16(Int8(truncatingIfNeeded: draw >> UInt64($0 * 8))) }
        }
    }

    subscript(number: Int) -> [Float] {
        var stream = SplitMix64(seed: choice, draw: UInt64(number))
        let centre = centres[stream.next(below: centres.count)]
        return zip(Self.bytes(number, seed: own), centre).map { Float($0 + $1) }
    }
}
