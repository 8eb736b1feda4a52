import FreeholdEngine

/// The indexes of places that a class declares.
extension ModelClass {
    /// All indexes over properties of the class, by their names in the program: those of marked properties first.
    var placeIndexes: [PlaceIndex] {
        stored?.placeIndexes ?? properties.filter(\.attributes.isPlace).map { PlaceIndex($0.name) } + type.declaredPlaces
    }

    /// The indexes that the class declares itself: a subclass inherits the others.
    var ownPlaces: [PlaceIndex] {
        let inherited = superclass?.placeIndexes ?? []
        return placeIndexes.filter { !inherited.contains($0) }
    }

    /// An index by the names that properties have in the file; nil if it leads to no places.
    func storedPlaces(_ index: PlaceIndex) -> PlaceIndex? {
        if let link = index.link { return placesByLink(link).found }
        if index == PlaceIndex() { return hasPoint ? index : nil }
        let found = index.paths.map { resolve($0, of: .double, as: Self.degrees).found?.map(\.storedName).joined(separator: ".") }
        guard found.count == 2, let latitude = found[0], let longitude = found[1] else { return nil }
        return PlaceIndex(latitude: latitude, longitude: longitude)
    }

    /// What is wrong with an index; empty if nothing is.
    fileprivate func complaints(about index: PlaceIndex) -> [String] {
        if let link = index.link { return [placesByLink(link).complaint].filter { !$0.isEmpty } }
        if index == PlaceIndex() { return hasPoint ? [] : ["the class has no \(Self.point)"] }
        if index.paths[0].isSame(as: index.paths[1]) { return ["'\(index.paths[0])' is named as latitude and as longitude"] }
        return index.paths.compactMap { path in
            let complaint = resolve(path, of: .double, as: Self.degrees).complaint
            return complaint.isEmpty ? nil : "'\(path)' \(complaint)"
        }
    }

    private static let degrees = "a latitude and a longitude are of type 'double'"
    private static let point = "property 'type', a string, with 'coordinates', a list of doubles"

    /// The index of the places in the objects that a link leads to, or what is wrong with it.
    private func placesByLink(_ name: String) -> (found: PlaceIndex?, complaint: String) {
        guard let place = place(of: name) else { return (nil, "'\(name)' does not exist on object '\(self.name)'") }
        let link = properties[place]
        guard link.isStored, !link.isCollection, let target = link.kind.objectType, let other = try? ModelClass.of(target) else {
            return (nil, "'\(name)' is no link to one object")
        }
        guard other.hasPoint else { return (nil, "'\(name)' leads to class '\(other.name)', which has no \(Self.point)") }
        return (PlaceIndex(link.storedName), "")
    }

    /// Whether its objects have the two properties of a point, by the names that these have in the file.
    private var hasPoint: Bool {
        func has(_ name: String, _ type: PropertyType, _ collections: [CollectionKind]) -> Bool {
            properties.contains { property in
                property.isStored && property.storedName.isSame(as: name) && property.kind.type == type
                    && property.kind.collections == collections
            }
        }
        return has("type", .string, []) && has("coordinates", .double, [.list])
    }
}

extension SchemaComplaints {
    /// What is wrong with the indexes of places that a class declares.
    static func places(_ model: ModelClass) -> [String] {
        let all = model.ownPlaces
        if all.isEmpty { return [] }
        if model.isEmbedded {
            return ["Embedded class '\(model.name)' cannot have an index of places; declare it in the class that holds it, as "
                + "@Persisted(places: true) var location: Location?, or in placeIndexes()."]
        }
        var complaints: [String] = []
        for (number, index) in all.enumerated() {
            let place = "Index of places of class '\(model.name)'"
            if all[..<number].contains(index) { complaints.append("\(place) over '\(index.place)' is declared twice.") }
            complaints += model.complaints(about: index).map { "\(place): \($0)." }
        }
        return complaints
    }
}
