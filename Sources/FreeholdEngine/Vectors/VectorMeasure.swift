import CShims

/// Scores stored vectors by their nearness to a given one.
public struct VectorMeasure: Hashable, Sendable {
    /// The vector searched for.
    public let wanted: [Float]
    public let metric: VectorMetric
    public let elements: VectorElements
    /// The length of the vector searched for.
    let length: Double

    /// The maximum number of dimensions.
    public static let mostDimensions = 65_535

    /// The least sum of squares that gives a cosine: below it, floats have too few digits for products of two vectors.
    private static let leastSquares: Float = 1e-30

    /// - Throws: `.malformedInput` for a vector without numbers or with too many, with NaN or numbers that are infinite or
    ///   whose squares are too large for a float, and for zeros and the cosine.
    public init(_ wanted: [Float], _ metric: VectorMetric, _ elements: VectorElements) throws(FreeholdError) {
        guard (1...Self.mostDimensions).contains(wanted.count) else {
            throw FreeholdError(.malformedInput, "a vector has 1 to \(Self.mostDimensions) numbers, not \(wanted.count)")
        }
        if let place = wanted.firstIndex(where: { !$0.isFinite }) {
            throw FreeholdError(.malformedInput, "number \(place + 1) of the vector is \(wanted[place].isNaN ? "NaN" : "infinite")")
        }
        // Safe: the kernel reads the floats of the array, as many as it has.
        let squares = wanted.withUnsafeBytes { Self.measured($0.baseAddress!, 4, wanted).squares }
        guard squares.isFinite else {
            throw FreeholdError(.malformedInput, "the numbers of the vector are too large: the sum of their squares is infinite")
        }
        if metric == .cosine, squares < Self.leastSquares {
            throw FreeholdError(.malformedInput, "the vector is zero, or shorter than 1e-15, so it has no direction for the cosine")
        }
        self.wanted = wanted
        self.metric = metric
        self.elements = elements
        length = Double(squares).squareRoot()
    }

    /// The bytes of a stored vector with as many dimensions.
    public var byteCount: Int { wanted.count * elements.width }

    /// How near a stored vector is: a higher number is nearer. Nil for bytes of another length, and for NaN, infinite or too
    /// large numbers, and with the cosine for vectors shorter than 1e-15.
    public func score(_ bytes: UnsafeRawBufferPointer) -> Double? {
        guard bytes.count == byteCount, let start = bytes.baseAddress else { return nil }
        let found = Self.measured(start, elements.width, wanted)
        guard found.squares.isFinite else { return nil }
        switch metric {
        case .cosine:
            if found.squares < Self.leastSquares { return nil }
            // Products of floats may be a little above those of the lengths.
            return max(-1, min(1, Double(found.product) / (Double(found.squares).squareRoot() * length)))
        case .dot: return found.product.isFinite ? Double(found.product) : nil
        case .euclidean: return found.gap.isFinite ? -Double(found.gap).squareRoot() : nil
        }
    }

    /// Safe: the caller gives memory with as many numbers of `width` bytes as the wanted vector has.
    private static func measured(_ start: UnsafeRawPointer, _ width: Int, _ wanted: [Float]) -> freehold_kernel_vector_t {
        var found = freehold_kernel_vector_t()
        wanted.withUnsafeBufferPointer { freehold_kernel_vector(start, UInt32(width), $0.baseAddress, $0.count, &found) }
        return found
    }
}
