import FreeholdEngine

/// The indexes of vectors that a class declares.
extension ModelClass {
    /// All indexes over properties of the class, by their names in the program.
    var vectorIndexes: [VectorIndex] {
        stored?.vectorIndexes ?? properties.compactMap { property in property.attributes.vectors.map { $0.index(of: property.name) } }
    }

    /// The indexes that the class declares itself, by the names that properties have in the file: a subclass inherits the others.
    var ownVectors: [VectorIndex] {
        properties.dropFirst(superclass?.properties.count ?? 0).compactMap { property in
            property.attributes.vectors.map { $0.index(of: property.storedName) }
        }
    }
}

extension PropertyAttributes.Vectors {
    fileprivate func index(of property: String) -> VectorIndex {
        VectorIndex(property, dimensions: Int(dimensions), elements: elements, metric: metric)
    }
}

extension SchemaComplaints {
    /// What is wrong with the indexes of vectors that a class declares.
    static func vectors(_ model: ModelClass) -> [String] {
        if model.isEmbedded, let index = model.ownVectors.first {
            return ["Embedded class '\(model.name)' cannot have an index of vectors, as of '\(index.property)': it finds objects by "
                + "vectors of their own. Declare it without 'vector:'."]
        }
        return model.ownVectors.filter { $0.dimensions == 0 }.map { index in
            "Property '\(model.name).\(index.property)' is declared as a vector of too few or too many numbers: it can have 1 to "
                + "65535."
        }
    }
}
