import FreeholdEngine

/// The indexes in a collation that a class declares.
extension ModelClass {
    /// All indexes over properties of the class, by their names in the program: those of marked properties first.
    var collationIndexes: [CollationIndex] {
        stored?.collationIndexes ?? properties.flatMap { property in
            property.attributes.collations.map { CollationIndex(property.name, collation: $0) }
        } + type.declaredCollations
    }

    /// The indexes that the class declares itself: a subclass inherits the others.
    var ownCollations: [CollationIndex] {
        let inherited = superclass?.collationIndexes ?? []
        return collationIndexes.filter { !inherited.contains($0) }
    }

    /// An index by the name that its property has in the file; nil if it is over no string.
    func storedCollation(_ index: CollationIndex) -> CollationIndex? {
        string(index.property).found.map { CollationIndex($0, collation: index.collation) }
    }

    /// The name in the file of a property of type string, or what is wrong with it.
    fileprivate func string(_ name: String) -> (found: String?, complaint: String) {
        let (found, complaint) = resolve(name, of: .string, as: "an index in a collation is over a string")
        if let found, found.count > 1 { return (nil, "leads over a link; an index in a collation is over a property of the class") }
        return (found?.first?.storedName, complaint)
    }
}

extension SchemaComplaints {
    /// What is wrong with the indexes in a collation that a class declares.
    static func collations(_ model: ModelClass) -> [String] {
        let all = model.ownCollations
        if all.isEmpty { return [] }
        if model.isEmbedded { return ["Embedded class '\(model.name)' cannot have an index in a collation."] }
        var complaints: [String] = []
        for (number, index) in all.enumerated() {
            let place = "Index in a collation of class '\(model.name)'", wrong = model.string(index.property).complaint
            if all[..<number].contains(index) { complaints.append("\(place): '\(index.order)' is declared twice.") }
            if !wrong.isEmpty { complaints.append("\(place): '\(index.property)' \(wrong).") }
        }
        return complaints
    }
}
