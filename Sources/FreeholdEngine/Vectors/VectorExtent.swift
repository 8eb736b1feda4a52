/// The lengths that the vectors of an index have, as sums of squares: bounds, which deletions do not move.
///
/// From the score of a vector and these follows the angle that a better one has at most.
struct VectorExtent: Equatable {
    private(set) var least: Float = .infinity
    private(set) var most: Float = 0

    static let byteCount = 8

    init() {}

    /// Nil for bytes that no program writes.
    init?(bytes: ArraySlice<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        func number(_ part: ArraySlice<UInt8>) -> Float { Float(bitPattern: part.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) }
        least = number(bytes.prefix(4))
        most = number(bytes.suffix(4))
        let isEmpty = least == .infinity && most == 0
        guard least >= 0, most >= 0, most.isFinite, isEmpty || least <= most else { return nil }
    }

    var bytes: [UInt8] {
        [least, most].flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> UInt32(8 * $0)) } }
    }

    /// Takes a vector in, by the sum of its squares; those with NaN or too large numbers have no score.
    mutating func add(squares: Float) {
        guard squares.isFinite else { return }
        least = min(least, squares)
        most = max(most, squares)
    }

    mutating func add(_ more: VectorExtent) {
        least = min(least, more.least)
        most = max(most, more.most)
    }
}

extension VectorMeasure {
    /// The least cosine that a vector with at least a score has; -1 if it may have any.
    ///
    /// - Parameter extent: bounds of the length of all vectors.
    func leastCosine(of score: Double, _ extent: VectorExtent) -> Double {
        let own = length, shortest = Double(extent.least).squareRoot(), longest = Double(extent.most).squareRoot()
        if metric == .cosine { return max(-1, min(1, score)) }
        guard own > 0, shortest <= longest else { return -1 }
        let found: Double
        if metric == .dot {
            let extreme = score >= 0 ? longest : shortest
            found = extreme > 0 ? score / (own * extreme) : -1
        } else {
            // By the law of cosines, of a vector of length x: (x + rest / x) / (2 own), which is least at the root of the rest.
            let rest = own * own - score * score, x = rest > 0 ? min(max(rest.squareRoot(), shortest), longest) : shortest
            found = x > 0 ? (x + rest / x) / (2 * own) : -1
        }
        return found.isNaN ? -1 : max(-1, min(1, found))
    }
}

extension SignShape {
    /// The number of bits in which nearly all vectors differ at most whose angle has at least a cosine.
    ///
    /// A bit differs with a probability of the angle / π. This is the mean and two standard deviations of as many independent bits:
    /// of the vectors at exactly that angle one in 44 has more, of nearer ones fewer do.
    func mostDistance(cosine: Double) -> Int {
        let part = Self.arcCosine(cosine) / Double.pi, mean = Double(bits) * part
        return min(bits, Int(mean + 2 * (mean * (1 - part)).squareRoot() + 1))
    }

    /// The angle of a cosine, with an error below 0.0001.
    static func arcCosine(_ cosine: Double) -> Double {
        let size = min(1, abs(cosine))
        let angle = (1 - size).squareRoot() * (1.570_728_8 + size * (-0.212_114_4 + size * (0.074_261_0 - 0.018_729_3 * size)))
        return cosine < 0 ? Double.pi - angle : angle
    }
}
