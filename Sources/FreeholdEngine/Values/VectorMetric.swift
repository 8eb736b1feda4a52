/// How near two vectors are.
public enum VectorMetric: String, Hashable, Sendable, CaseIterable {
    /// The cosine of the angle between them: 1 for the same direction, -1 for the opposite one.
    case cosine
    /// The product of the vectors: the sum of the products of their numbers.
    case dot
    /// The length of the difference, with a minus: 0 for equal vectors, less for others.
    case euclidean
}
