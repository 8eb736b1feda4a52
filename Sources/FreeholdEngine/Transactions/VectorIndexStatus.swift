/// An index of vectors of one version of a file, with its state.
///
/// ```swift
/// for status in try database.snapshot().vectorIndexes() {
///     print(status.className, status.property, status.dimensions, status.percent)
/// }
/// ```
public struct VectorIndexStatus: Sendable, Equatable {
    /// The class that declares it; objects of its subclasses are in it, too.
    public let className: String
    public let property: String
    public let dimensions: Int
    public let elements: VectorElements
    public let metric: VectorMetric
    /// It as a class declares it.
    public var index: VectorIndex { VectorIndex(property, dimensions: dimensions, elements: elements, metric: metric) }
    public let state: DerivedIndexState
    /// The number of objects that it has. The objects inserted last, at most 255, are in no index; queries read them directly.
    public let documents: Int
    /// Percent of the objects that it has.
    public let percent: Int
}

extension Snapshot {
    /// The indexes of vectors of all classes.
    ///
    /// - Throws: `FreeholdError` with a code of the band `.damaged` if the root of one is damaged.
    public func vectorIndexes() throws(FreeholdError) -> [VectorIndexStatus] {
        let schema = try contents().schema
        return try derivedStates().filter(\.index.isVectors).map { $0.vectors(in: schema) }
    }
}

extension VectorDeclarations {
    /// The indexes of vectors that the classes have now, with the state of the version that the transaction began with: one
    /// added since has no object of that version.
    public func statuses() throws(FreeholdError) -> [VectorIndexStatus] {
        try transaction.derived.states().filter(\.index.isVectors).map { $0.vectors(in: transaction.schema) }
    }
}

extension DerivedEntry {
    /// An index of vectors as programs see it.
    fileprivate func vectors(in schema: StoredSchema) -> VectorIndexStatus {
        let owner = Int(index.owner ?? stored.number), shape = VectorsKind.shape(of: index)
        return VectorIndexStatus(
            className: schema.classes[owner].name, property: schema.paths(of: index, in: owner).joined(), dimensions: shape.dimensions,
            elements: shape.elements, metric: shape.metric, state: state, documents: state.coveredCount(of: sealedCount), percent: percent)
    }
}

extension StoredDerived {
    var isVectors: Bool { kind == Self.vectors && flags == 0 }
}
