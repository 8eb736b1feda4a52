/// An index of vectors as a class declares it: the property that has them, and which vectors they are.
///
/// ```swift
/// item.vectorIndexes = [VectorIndex("embedding", dimensions: 384)]
/// ```
/// A class has at most one index over a property.
public struct VectorIndex: Sendable, Hashable {
    /// A property of type `data`.
    public let property: String
    /// How many numbers a vector has, 1 to 65,535; values of other lengths are not in the index.
    public let dimensions: Int
    public let elements: VectorElements
    /// That of the queries which use the index.
    public let metric: VectorMetric

    public init(_ property: String, dimensions: Int, elements: VectorElements = .float32, metric: VectorMetric = .cosine) {
        self.property = property
        self.dimensions = dimensions
        self.elements = elements
        self.metric = metric
    }

    /// What the vectors are, as messages show it: `384 float32, cosine`.
    public var shape: String { "\(dimensions) \(elements.rawValue), \(metric.rawValue)" }

    /// Whether both are over the same property, of the same vectors; names are compared by their bytes.
    public static func == (left: VectorIndex, right: VectorIndex) -> Bool {
        left.property.isSame(as: right.property) && left.dimensions == right.dimensions && left.elements == right.elements
            && left.metric == right.metric
    }
}
