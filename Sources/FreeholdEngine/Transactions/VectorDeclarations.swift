/// The indexes of vectors of a transaction's classes: added, dropped.
///
/// By an index `NEAREST` finds the nearest of many objects sooner: sign bits tell which vectors are probably near, and these are
/// measured.
///
/// ```swift
/// try database.write { try $0.vectors.add("embedding", dimensions: 384, to: "Item") }
/// try database.buildIndexes()
/// ```
public struct VectorDeclarations {
    let transaction: WriteTransaction

    /// Adds an index of the vectors in a property of type `data`. If the class has this one, nothing changes.
    ///
    /// The commit builds it for up to 20,000 objects; `Database.buildIndexes` adds the rest in slices, while others read and
    /// write. Until then queries measure every vector. From then on, programs that do not know indexes of vectors can read the
    /// file, and not write it.
    ///
    /// - Parameters:
    ///   - dimensions: how many numbers a vector has; values of other lengths are not in the index, and may be stored.
    ///   - metric: that of the queries which use the index. Sign bits estimate the angle: for the product and the distance the
    ///     index saves more the less the lengths of the vectors differ.
    /// - Throws: `.unknownClass`, `.unknownProperty`; `.invalidArgument` for a property of another type, for dimensions out of
    ///   range, and if the class has another index over the property.
    public func add(_ property: String, dimensions: Int, elements: VectorElements = .float32, metric: VectorMetric = .cosine,
                    to className: String) throws(FreeholdError) {
        guard (1...VectorMeasure.mostDimensions).contains(dimensions) else {
            throw FreeholdError(.invalidArgument, "vectors have 1 to \(VectorMeasure.mostDimensions) dimensions, not \(dimensions)")
        }
        let shape = VectorShape(dimensions: dimensions, elements: elements, metric: metric)
        if let known = try find(property, of: className) {
            if known.options == shape.options { return }
            throw FreeholdError(.invalidArgument, "class '\(className)' has another index of vectors over '\(property)'; drop it first",
                                path: transaction.core.path)
        }
        let field = DerivedSchema.Field(link: nil, property: property)
        _ = try transaction.derived.add(DerivedSchema(kind: VectorsKind.number, fields: [field], options: shape.options), to: className)
    }

    /// Adds an index of vectors as a class declares it. If the class has it, nothing changes.
    ///
    /// - Throws: `.unknownClass`, `.unknownProperty`; `.invalidArgument` for a property of another type, for dimensions out of
    ///   range, and if the class has another index over the property.
    public func add(_ index: VectorIndex, to className: String) throws(FreeholdError) {
        try add(index.property, dimensions: index.dimensions, elements: index.elements, metric: index.metric, to: className)
    }

    /// Adds the indexes of vectors that classes declare.
    func addAll(of classes: [ClassSchema]) throws(FreeholdError) {
        for wanted in classes {
            for index in wanted.vectorIndexes { try add(index, to: wanted.name) }
        }
    }

    /// Drops the index of vectors over a property and frees its space.
    ///
    /// - Throws: `.unknownClass`; `.invalidArgument` if the class itself has none.
    public func drop(_ property: String, from className: String) throws(FreeholdError) {
        guard let known = try find(property, of: className) else {
            throw FreeholdError(.invalidArgument, "class '\(className)' has no index of vectors over '\(property)'",
                                path: transaction.core.path)
        }
        try transaction.derived.drop(known.number, from: className)
    }

    /// The indexes of vectors that a class itself declares, damaged ones included.
    ///
    /// - Throws: `.unknownClass`.
    public func indexes(of className: String) throws(FreeholdError) -> [VectorIndex] {
        transaction.schema.vectorIndexes(ofClass: try transaction.schema.number(of: className))
    }

    /// The index of vectors over a property that the class itself declares.
    private func find(_ property: String, of className: String) throws(FreeholdError) -> StoredDerived? {
        let schema = transaction.schema, number = try schema.number(of: className)
        return schema.vectors(ofClass: number).first { schema.paths(of: $0, in: number).isSame(as: [property]) }
    }
}

extension WriteTransaction {
    /// The indexes of vectors of its classes.
    public var vectors: VectorDeclarations { VectorDeclarations(transaction: self) }
}

extension StoredSchema {
    /// The indexes of vectors that a class itself declares.
    fileprivate func vectors(ofClass number: Int) -> [StoredDerived] {
        let stored = classes[table(of: number)], owner = Int(stored.number) == number ? nil : UInt32(number)
        return stored.derived.filter { $0.isVectors && $0.owner == owner }
    }

    /// The indexes of vectors that a class itself declares, as programs declare them.
    func vectorIndexes(ofClass number: Int) -> [VectorIndex] {
        vectors(ofClass: number).map { vectorIndex($0, in: number) }
    }

    /// An index of vectors as programs declare it.
    func vectorIndex(_ index: StoredDerived, in number: Int) -> VectorIndex {
        let shape = VectorsKind.shape(of: index), property = paths(of: index, in: number).joined()
        return VectorIndex(property, dimensions: shape.dimensions, elements: shape.elements, metric: shape.metric)
    }
}

extension StoredDerived {
    var isVectors: Bool { kind == Self.vectors && flags == 0 }
}
