import FreeholdEngine

/// Translates the property names of a query into the file's names.
struct StoredNames {
    private let core: RealmCore
    /// The class at which paths begin; nil for a class that the program does not declare.
    private let model: ModelClass?
    /// The classes of the variables of the enclosing subqueries.
    private var variables: TextMap<ModelClass?> = [:]

    /// Whether the class is the file's: then it may have properties that the program does not know.
    private let isDynamic: Bool

    init(of model: ModelClass, in core: RealmCore) {
        self.core = core
        isDynamic = model.isDynamic
        self.model = model.isDynamic ? core.model(known: model.name) : model
    }

    mutating func query(_ query: ObjectQuery) throws(FreeholdError) -> ObjectQuery {
        ObjectQuery(try condition(query.condition), try query.steps.map { step throws(FreeholdError) in try self.step(step) })
    }

    /// A path with the file's names; throws if a step is not a property.
    func path(observed path: PropertyPath) throws(FreeholdError) -> PropertyPath { try walk(path).path }

    private mutating func step(_ step: QueryStep) throws(FreeholdError) -> QueryStep {
        switch step {
        case .limit, .offset: return step
        case .nearest(var nearest):
            nearest.path = try path(nearest.path)
            return .nearest(nearest)
        case .fuse(var fusion):
            for place in fusion.rankings.indices { fusion.rankings[place].query = try query(fusion.rankings[place].query) }
            return .fuse(fusion)
        case .sort(let keys):
            return .sort(try keys.map { key throws(FreeholdError) in
                var key = key
                key.path = try path(key.path)
                return key
            })
        case .distinct(let paths): return .distinct(try paths.map { path throws(FreeholdError) in try self.path(path) })
        case .group(let paths, let figures):
            return .group(by: try paths.map { path throws(FreeholdError) in try self.path(path) }, select: try figures.map { figure throws(FreeholdError) in
                QueryAggregate(figure.kind, try figure.path.map { path throws(FreeholdError) in try self.path(path) })
            })
        }
    }

    private mutating func condition(_ condition: QueryCondition) throws(FreeholdError) -> QueryCondition {
        switch condition {
        case .constant: return condition
        case .all(let parts): return .all(try conditions(parts))
        case .any(let parts): return .any(try conditions(parts))
        case .not(let part): return .not(try self.condition(part))
        case .comparison(var comparison):
            comparison.left = try expression(comparison.left)
            comparison.right = try expression(comparison.right)
            return .comparison(comparison)
        }
    }

    private mutating func conditions(_ parts: [QueryCondition]) throws(FreeholdError) -> [QueryCondition] {
        var renamed: [QueryCondition] = []
        for part in parts { renamed.append(try condition(part)) }
        return renamed
    }

    private mutating func expression(_ expression: QueryExpression) throws(FreeholdError) -> QueryExpression {
        switch expression {
        case .value, .shape: return expression
        case .list(let elements):
            var renamed: [QueryExpression] = []
            for element in elements { renamed.append(try self.expression(element)) }
            return .list(renamed)
        case .path(let path): return .path(try self.path(path))
        case .arithmetic(let sign, let left, let right): return .arithmetic(sign, try self.expression(left), try self.expression(right))
        case .negation(let inner): return .negation(try self.expression(inner))
        case .distance(let paths, let point):
            return .distance(try paths.map { path throws(FreeholdError) in try self.path(path) }, from: point)
        case .subquery(let path, let variable, let condition):
            let (collection, elements) = try walk(path), outer = variables[variable]
            variables[variable] = .some(elements)
            defer { variables[variable] = outer }
            return .subquery(collection, variable: variable, try self.condition(condition))
        }
    }

    private func path(_ path: PropertyPath) throws(FreeholdError) -> PropertyPath { try walk(path).path }

    /// The path with the file's names, and the class at its end.
    private func walk(_ path: PropertyPath) throws(FreeholdError) -> (path: PropertyPath, end: ModelClass?) {
        var steps: [PathStep] = []
        var here = path.variable.map { variables[$0] ?? nil } ?? model
        for step in path.steps {
            switch step {
            case .property(let name):
                guard let known = here else {
                    steps.append(step)
                    continue
                }
                guard let property = known.property(named: name) else {
                    if isDynamic {
                        here = nil
                        steps.append(step)
                        continue
                    }
                    throw path.unknownProperty(name, of: known.name, among: known.properties.map(\.name))
                }
                here = property.kind.objectType.flatMap { try? ModelClass.of($0) }
                steps.append(Self.step(property, to: here))
            case .backlinks(let name, let property):
                here = core.schema.place(named: name).map { core.schema.classes[$0] }
                steps.append(.backlinks(class: name, property: here?.property(named: property)?.storedName ?? property))
            case .distance(let point, let longitude):
                here = nil
                let other = try self.path(PropertyPath(longitude, variable: path.variable))
                steps.append(.distance(from: point, longitude: other.steps))
            case .keys, .size, .type, .links, .score:
                here = nil
                steps.append(step)
            case .key, .position, .first, .last, .each, .values, .aggregate: steps.append(step)
            }
        }
        return (path.renamed(steps), here)
    }

    /// A step over a property. Linking objects become the other class's property, followed backwards.
    private static func step(_ property: ModelProperty, to target: ModelClass?) -> PathStep {
        guard !property.isStored, let target, let origin = property.attributes.originProperty else { return .property(property.storedName) }
        return .backlinks(class: target.name, property: target.property(named: origin)?.storedName ?? origin)
    }
}

extension ModelClass {
    /// The property with a name, either the program's or the file's.
    fileprivate func property(named name: String) -> ModelProperty? {
        place(of: name).map { properties[$0] } ?? properties.first { $0.storedName.isSame(as: name) && $0.isStored }
    }
}
