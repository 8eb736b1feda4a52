public import FreeholdEngine

extension Persisted where Value: _Vector {
    /// Declares a vector, of which the file keeps an index: `nearest(to:count:)` and `NEAREST` then measure few of many vectors.
    ///
    /// ```swift
    /// class Product: Object {
    ///     @Persisted(vector: 384) var embedding: [Float]
    ///     @Persisted(vector: 64, metric: .dot) var picture: [Int8]?
    /// }
    /// ```
    /// `[Float]` is stored as float32, `[Int8]` as int8. A value of another length is stored, and is not found; so is an empty
    /// one.
    ///
    /// - Parameters:
    ///   - dimensions: how many numbers a vector has, 1 to 65,535.
    ///   - metric: how near two vectors are.
    ///   - name: the property's name in the file, if it differs.
    public init(vector dimensions: Int, metric: VectorMetric = .cosine, name: String? = nil) {
        attributes = PropertyWord.of(dimensions, Value._elements ?? .float32, metric, name)
        value = nil
    }

    /// Declares a vector, of which the file keeps an index, with an initial value.
    public init(wrappedValue: Value, vector dimensions: Int, metric: VectorMetric = .cosine, name: String? = nil) {
        attributes = PropertyWord.of(dimensions, Value._elements ?? .float32, metric, name)
        value = wrappedValue
    }
}

extension Persisted where Value: _VectorBytes {
    /// Declares the bytes of a vector, of which the file keeps an index.
    ///
    /// ```swift
    /// @Persisted(vector: 384, elements: .float16) var embedding: Data
    /// ```
    /// `Data(vector:as:)` makes such bytes. A value of another length is stored, and is not found; so is an empty one.
    ///
    /// - Parameters:
    ///   - dimensions: how many numbers a vector has, 1 to 65,535.
    ///   - elements: how they are stored.
    ///   - metric: how near two vectors are.
    ///   - name: the property's name in the file, if it differs.
    public init(vector dimensions: Int, elements: VectorElements, metric: VectorMetric = .cosine, name: String? = nil) {
        attributes = PropertyWord.of(dimensions, elements, metric, name)
        value = nil
    }

    /// Declares the bytes of a vector, of which the file keeps an index, with an initial value.
    public init(wrappedValue: Value, vector dimensions: Int, elements: VectorElements, metric: VectorMetric = .cosine,
                name: String? = nil) {
        attributes = PropertyWord.of(dimensions, elements, metric, name)
        value = wrappedValue
    }
}

extension PropertyWord {
    fileprivate static func of(_ dimensions: Int, _ elements: VectorElements, _ metric: VectorMetric, _ name: String?) -> UInt {
        var attributes = PropertyAttributes()
        attributes.vectors = PropertyAttributes.Vectors(dimensions: UInt16(exactly: dimensions) ?? 0, elements: elements, metric: metric)
        attributes.storedName = name
        return attributes.word
    }
}
