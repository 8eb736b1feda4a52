import FreeholdEngine

extension ObjectCollection {
    /// The objects whose vectors are nearest to a given one, the nearest first.
    ///
    /// ```swift
    /// let like = realm.objects(Product.self).where { $0.price < 10 }.nearest(to: vector, count: 10)
    /// for product in like { print(product.name, like.score(of: product)) }
    /// ```
    /// It is the step `NEAREST(embedding, …, 10)` of the query language, by the metric and the elements that the property is
    /// declared with. Objects without a vector of this length are not found. `Results.score(of:)` gives how near an object is.
    ///
    /// - Parameters:
    ///   - vector: as many numbers as the stored vectors have.
    ///   - count: the maximum number of objects.
    ///   - property: the property with the vectors, also over links; without any, the one that the class declares with
    ///     `@Persisted(vector:)`.
    public func nearest(to vector: [Float], count: Int, in property: PartialKeyPath<Element>? = nil) -> Results<Element> {
        refined { try $0.nearest(to: vector, count, property) }
    }
}

extension QuerySubject {
    fileprivate func nearest(to vector: [Float], _ count: Int, _ property: AnyKeyPath?) throws(FreeholdError) -> ObjectQuery {
        let name = if let property { PropertyNames.required(property) } else { try declared() }
        let path = try PropertyPath(parsing: name)
        guard count >= 0 else { throw FreeholdError(.invalidArgument, "the number of nearest objects cannot be negative: \(count)") }
        let found = live.model.property(on: path)
        let elements = found?.attributes.vectors?.elements ?? (found?.type as? any _Vector.Type)?._elements ?? .float32
        let metric = found?.attributes.vectors?.metric ?? .cosine
        _ = try VectorMeasure(vector, metric, elements)
        return ObjectQuery(.constant(true), [.nearest(QueryNearest(path, to: vector, count: count, metric: metric, elements: elements))])
    }

    /// The property that the class declares as a vector.
    private func declared() throws(FreeholdError) -> String {
        let model = live.model, names = model.vectorIndexes.map(\.property)
        if names.count == 1 { return names[0] }
        let several = "declares several properties as vectors: \(names.joined(separator: ", "))"
        let place = names.isEmpty ? "declares no property as a vector" : several
        throw FreeholdError(.invalidArgument, "Class '\(model.name)' \(place). Name the property with the vectors, as in "
            + "nearest(to: vector, count: 10, in: \\.embedding).")
    }
}

extension ModelClass {
    /// The property at the end of a path of names; nil if there is none.
    fileprivate func property(on path: PropertyPath) -> ModelProperty? {
        var model: ModelClass? = self, found: ModelProperty?
        for step in path.steps {
            guard case .property(let name) = step, let here = model, let place = here.place(of: name) else { return nil }
            let property = here.properties[place]
            found = property
            model = property.kind.objectType.flatMap { try? ModelClass.of($0) }
        }
        return found
    }
}
