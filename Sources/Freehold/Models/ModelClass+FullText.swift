import FreeholdEngine

/// The full-text indexes that a class declares.
extension ModelClass {
    /// The index of the properties that are declared with `fullText`, those of superclasses included; nil if there are none.
    var markedFullText: FullTextIndex? {
        let marked = properties.filter { $0.attributes.fullTextWeight > 0 }
        return marked.isEmpty ? nil : FullTextIndex(marked.map(\.fullTextField), language: markedLanguages.first)
    }

    /// The languages that its properties give to their index: one, or none.
    fileprivate var markedLanguages: [String] {
        properties.compactMap(\.attributes.fullTextLanguage).reduce(into: []) { if !$0.has($1) { $0.append($1) } }
    }

    /// All indexes over properties of the class, by their names in the program: that of marked properties first.
    var fullText: [FullTextIndex] { stored?.fullTextIndexes ?? (markedFullText.map { [$0] } ?? []) + type.declaredFullText }

    /// The indexes that the class declares itself: a subclass inherits the others.
    var ownFullText: [FullTextIndex] {
        guard let superclass else { return fullText }
        let inherited = superclass.fullText
        return fullText.filter { index in !inherited.contains { $0.hasSameFields(as: index) } }
    }

    /// An index by the names that properties have in the file; nil if a field leads to no property.
    func storedFullText(_ index: FullTextIndex) -> FullTextIndex? {
        let fields = index.fields.compactMap { field in
            resolve(field.path, of: .string, as: Self.text).found.map { found in
                FullTextField(found.map(\.storedName).joined(separator: "."), weight: field.weight)
            }
        }
        return fields.count == index.fields.count ? FullTextIndex(fields, language: index.language) : nil
    }

    fileprivate static let text = "a field is a string"

    /// The properties on the path of an index's field, or what is wrong with it.
    ///
    /// - Parameters:
    ///   - type: the type that the property at the end has.
    ///   - rule: that a field is of this type, as messages say it.
    func resolve(_ path: String, of type: PropertyType, as rule: String) -> (found: [ModelProperty]?, complaint: String) {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let name = names.first, let place = place(of: name) else { return (nil, "does not exist on object '\(self.name)'") }
        let own = properties[place]
        if names.count == 1 { return own.isSingle(type) ? ([own], "") : (nil, "is of type '\(own.typeInWords)'; \(rule)") }
        if names.count > 2 { return (nil, "leads over more than one link") }
        guard own.isStored, !own.isCollection, let target = own.kind.objectType, let other = try? ModelClass.of(target) else {
            return (nil, "leads over '\(name)', which is no link to one object")
        }
        guard let place = other.place(of: names[1]) else {
            return (nil, "leads to '\(names[1])', which does not exist on object '\(other.name)'")
        }
        let end = other.properties[place]
        return end.isSingle(type) ? ([own, end], "") : (nil, "leads to a property of type '\(end.typeInWords)'; \(rule)")
    }
}

extension ModelProperty {
    /// The property as a field of its class's full-text index.
    fileprivate var fullTextField: FullTextField {
        let weight = attributes.fullTextWeight
        return FullTextField(name, weight: weight == PropertyAttributes.wrongWeight ? .nan : Double(weight) / 256)
    }

    /// Whether its values are single values of a type.
    fileprivate func isSingle(_ type: PropertyType) -> Bool { isStored && !isCollection && kind.type == type }

    fileprivate var typeInWords: String { kind.collections.isEmpty ? "\(kind.type)" : "collection of \(kind.type)" }
}

extension PropertyAttributes {
    /// The word of a weight that is out of range.
    static let wrongWeight = UInt16.max
}

extension SchemaComplaints {
    /// What is wrong with the full-text indexes that a class declares.
    static func fullText(_ model: ModelClass, _ schema: ModelSchema) -> [String] {
        let all = model.ownFullText
        if all.isEmpty { return [] }
        let place = "Full-text index of class '\(model.name)'"
        if model.isEmbedded {
            return ["Embedded class '\(model.name)' cannot have a full-text index; declare one in the class that holds it, "
                + "with fields such as 'address.street'."]
        }
        var complaints: [String] = []
        if model.markedLanguages.count > 1 {
            let named = model.markedLanguages.map { "'\($0)'" }.joined(separator: " and ")
            complaints.append("\(place): its properties say different languages, \(named); an index has one.")
        }
        for (number, index) in all.enumerated() {
            if !(1...16).contains(index.fields.count) { complaints.append("\(place) has \(index.fields.count) fields; it has 1 to 16.") }
            if all[..<number].contains(where: { $0.hasSameFields(as: index) }) {
                complaints.append("\(place) of '\(index.paths)' is declared twice.")
            }
            if Set(exact: index.fields.map(\.path)).count < index.fields.count {
                complaints.append("\(place) names a property twice: '\(index.paths)'.")
            }
            if let complaint = index.language.flatMap(FullTextIndex.complaint) { complaints.append("\(place): \(complaint).") }
            for field in index.fields {
                let complaint = model.resolve(field.path, of: .string, as: ModelClass.text).complaint
                if !complaint.isEmpty { complaints.append("\(place): '\(field.path)' \(complaint).") }
                if !(field.weight >= 1.0 / 256 && field.weight <= 255) {
                    complaints.append("\(place): '\(field.path)' has a weight out of range; a field counts from 1/256 to 255.")
                }
            }
        }
        return complaints
    }
}
