/// Binding of places.
extension QueryBinder {
    func within(_ comparison: QueryComparison) throws(FreeholdError) -> BoundCondition {
        let sources: [QueryExpression] = if case .list(let paths) = comparison.left { paths } else { [comparison.left] }
        guard case .shape(let shape) = comparison.right else {
            throw error(.malformedInput, "GEOWITHIN takes a shape; '\(comparison.right.written)' is none", at: comparison.left.place)
        }
        if case .box(let box) = shape, let complaint = box.complaint {
            throw error(.malformedInput, complaint, at: comparison.left.place)
        }
        guard comparison.options.isEmpty else { throw error(.malformedInput, "GEOWITHIN has no options", at: comparison.left.place) }
        var paths: [PropertyPath] = []
        for source in sources {
            guard case .path(let path) = source else {
                throw error(.typeMismatch, "GEOWITHIN tests properties; '\(source.written)' is none", at: source.place)
            }
            paths.append(path)
        }
        let place = try self.place(paths, "GEOWITHIN"), source = comparison.left
        if place.isToMany, comparison.quantifier == nil {
            throw error(.typeMismatch, "'\(source.written)' has several values; put ANY, ALL or NONE before it", at: paths[0].place)
        }
        if !place.isToMany, let quantifier = comparison.quantifier {
            throw error(.typeMismatch, "\(quantifier.rawValue) needs a collection; '\(source.written)' has one value", at: paths[0].place)
        }
        return .within(BoundWithin(place, shape, comparison.quantifier, source: comparison))
    }

    func distance(_ paths: [PropertyPath], from point: GeoPoint) throws(FreeholdError) -> BoundDistance {
        let place = try place(paths, "@distance")
        if place.isToMany {
            throw error(.typeMismatch, "@distance is of one place; '\(paths[0].written)' has several", at: paths[0].place)
        }
        return BoundDistance(place, from: point)
    }

    /// A distance to sort by.
    func distance(_ path: PropertyPath, _ longitude: [PathStep], from point: GeoPoint) throws(FreeholdError) -> BoundPath {
        guard path.variable == nil else { throw error(.malformedInput, "SORT has no variables", at: path.place) }
        var paths = [PropertyPath(Array(path.steps.dropLast()), variable: nil, at: path.place)]
        if !longitude.isEmpty { paths.append(PropertyPath(longitude, variable: nil, at: path.place)) }
        let distance = try distance(paths, from: point)
        return BoundPath(origin: 0, [.distance(distance)], type: .double, targets: nil, isToMany: false, source: path)
    }

    /// The place at one path, or at a latitude and a longitude.
    private func place(_ paths: [PropertyPath], _ word: String) throws(FreeholdError) -> BoundPlace {
        guard let first = paths.first, paths.count <= 2 else {
            throw FreeholdError(.malformedInput, "query: \(word) takes a place, or a latitude and a longitude")
        }
        if let second = paths.dropFirst().first {
            return BoundPlace(.degrees(latitude: try degrees(first, word), longitude: try degrees(second, word)))
        }
        let bound = try withoutAggregate(first, word)
        guard bound.type == .link, !bound.isCollection, let targets = bound.targets else { throw noPlace(first, bound.type.name, word) }
        guard let type = try? targets.column("type"), let coordinates = try? targets.column("coordinates"), type.type == .string,
              !type.isCollection, coordinates.type == .double, try isList(coordinates, of: targets) else {
            throw noPlace(first, "an object of class \(try targets.className)", word)
        }
        return BoundPlace(.objects(bound, targets, type: type, coordinates: coordinates))
    }

    private func isList(_ column: Column, of table: Table) throws(FreeholdError) -> Bool {
        let shape = table.state.stored.properties[try table.own(column).index].shape
        return shape?.kind == .list && shape?.inner == nil
    }

    private func noPlace(_ path: PropertyPath, _ type: String, _ word: String) -> FreeholdError {
        error(.typeMismatch, "\(word) needs a place: an object with a string 'type' and a list of doubles 'coordinates', or a latitude "
            + "and a longitude; '\(path.written)' is \(type.hasPrefix("an object") ? type : "of type \(type)")", at: path.place)
    }

    private func degrees(_ path: PropertyPath, _ word: String) throws(FreeholdError) -> BoundPath {
        let bound = try withoutAggregate(path, word)
        guard [.double, .float].contains(bound.type), !bound.isToMany, !bound.isCollection else {
            throw error(.typeMismatch, "\(word) takes a latitude and a longitude that are doubles; '\(path.written)' is "
                + (bound.isToMany ? "several values" : "of type \(bound.type.name)"), at: path.place)
        }
        return bound
    }

    private func withoutAggregate(_ path: PropertyPath, _ word: String) throws(FreeholdError) -> BoundPath {
        if path.steps.contains(where: { if case .aggregate = $0 { true } else { false } }) {
            throw error(.typeMismatch, "\(word) takes properties; '\(path.written)' is an aggregate", at: path.place)
        }
        return try boundPath(path, path.steps[...])
    }
}

