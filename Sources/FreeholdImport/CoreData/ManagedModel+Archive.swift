import FreeholdEngine

extension ManagedModel {
    /// The largest model that is read, in bytes after decompression.
    static let sizeLimit = 8 << 20
    /// The largest number of entities, and of properties of all of them together, inherited ones included.
    static let entityLimit = 2_000
    static let propertyLimit = 100_000

    /// Reads the content of `Z_MODELCACHE`: a keyed archive of an NSManagedObjectModel, compressed.
    init(cache: [UInt8]) throws(SourceError) {
        let bytes = BinaryPropertyList.isBinaryPropertyList(cache) ? cache : try Inflate.anyFormat(cache, limit: Self.sizeLimit)
        try self.init(archive: KeyedArchive(bytes))
    }

    /// Reads an archived NSManagedObjectModel, as compiled models (`.mom`) are.
    init(archive: KeyedArchive) throws(SourceError) {
        guard let root = archive.root, let model = try archive.instance(root), model.className.isSame(as: "NSManagedObjectModel"),
            let all = try archive.field("NSEntities", of: model)
        else { throw SourceError(.damaged, "an archive without a managed object model") }
        let indexes = try archive.members(all)
        guard indexes.count <= Self.entityLimit else {
            throw SourceError(.unsupported, "a model of more than \(Self.entityLimit) entities")
        }
        var reader = EntityReader(archive: archive)
        var entities: [ManagedEntity] = []
        var names: Set<ExactText> = []
        for index in indexes {
            let entity = try reader.entity(index)
            guard names.insert(entity.name).inserted else {
                throw SourceError(.damaged, "a model with two entities named '\(entity.name)'")
            }
            entities.append(entity)
        }
        self.init(entities: Self.withoutInherited(entities).sorted { $0.name.precedes($1.name) })
    }

    /// Entities list what they inherit, as references to the parents' properties or as copies: the name decides.
    private static func withoutInherited(_ entities: [ManagedEntity]) -> [ManagedEntity] {
        var listed = TextMap<Set<ExactText>>()
        for entity in entities { listed[entity.name] = Set(exact: entity.properties.map(\.name)) }
        return entities.map { entity in
            guard let inherited = entity.parent.flatMap({ listed[$0] }) else { return entity }
            var own = entity
            own.properties.removeAll { inherited.contains(ExactText($0.name)) }
            return own
        }
    }
}

/// Reads the entities of an archived model.
private struct EntityReader {
    let archive: KeyedArchive
    private var budget = ManagedModel.propertyLimit

    init(archive: KeyedArchive) { self.archive = archive }

    mutating func entity(_ index: Int) throws(SourceError) -> ManagedEntity {
        guard let entity = try archive.instance(index), let name = try archive.text("NSEntityName", of: entity) else {
            throw SourceError(.damaged, "a model with an entity that has no name")
        }
        var properties: [ManagedProperty] = []
        if let field = try archive.field("NSProperties", of: entity) {
            for index in try archive.members(field) {
                budget -= 1
                if budget < 0 { throw SourceError(.unsupported, "a model of more than \(ManagedModel.propertyLimit) properties") }
                properties.append(try property(index))
            }
        }
        guard Set(exact: properties.map(\.name)).count == properties.count else {
            throw SourceError(.damaged, "a model whose entity '\(name)' has two properties of one name")
        }
        return ManagedEntity(
            name: name, parent: try entityName("NSSuperentity", of: entity), isAbstract: try archive.int("NSIsAbstract", of: entity) == 1,
            properties: properties.sorted { $0.name.precedes($1.name) })
    }

    private func property(_ index: Int) throws(SourceError) -> ManagedProperty {
        guard var property = try archive.instance(index) else { throw damaged("a property that is none") }
        // A property as a subentity has it: chains of these end, as each costs a step.
        var steps = 0
        while let inner = try archive.field("NSUnderlyingProperty", of: property), let next = try archive.instance(inner) {
            property = next
            steps += 1
            if steps > 100 { throw damaged("a property that refers to itself") }
        }
        guard let name = try archive.text("NSPropertyName", of: property), !name.isEmpty else { throw damaged("a property without a name") }
        return ManagedProperty(
            name: name, kind: try kind(property), isOptional: try archive.int("NSIsOptional", of: property) == 1,
            isTransient: try archive.int("NSIsTransient", of: property) == 1, isValidated: try isValidated(property))
    }

    private func kind(_ property: KeyedArchive.Instance) throws(SourceError) -> ManagedProperty.Kind {
        if let number = try archive.int("NSAttributeType", of: property) {
            // The class of the values is telling where the numbers of other systems are not.
            switch try archive.text("NSAttributeValueClassName", of: property) {
            case "NSUUID": return .attribute(.uuid)
            case "NSURL": return .attribute(.uri)
            default: return .attribute(AttributeType(rawValue: number) ?? .undefined)
            }
        }
        var destination = try archive.text("_NSDestinationEntityName", of: property)
        if destination == nil { destination = try entityName("NSDestinationEntity", of: property) }
        guard let destination else { return .other(property.className) }
        var inverse = try archive.text("_NSInverseRelationshipName", of: property)
        if inverse == nil, let field = try archive.field("NSInverseRelationship", of: property), let other = try archive.instance(field) {
            inverse = try archive.text("NSPropertyName", of: other)
        }
        return .relationship(
            ManagedRelationship(
                destination: destination, inverse: inverse, isToMany: try archive.int("NSMaxCount", of: property) != 1,
                isOrdered: try archive.int("NSIsOrdered", of: property) == 1,
                deleteRule: try archive.int("NSDeleteRule", of: property).flatMap { ManagedRelationship.DeleteRule(rawValue: $0) }
                    ?? .nullify))
    }

    /// Whether it has predicates or, as a relationship, a number of objects other than the usual.
    private func isValidated(_ property: KeyedArchive.Instance) throws(SourceError) -> Bool {
        if let field = try archive.field("NSValidationPredicates", of: property), try archive.elements(field)?.isEmpty == false {
            return true
        }
        if try archive.int("NSMinCount", of: property) ?? 0 > 1 { return true }
        return try archive.int("NSMaxCount", of: property) ?? 0 > 1
    }

    private func entityName(_ field: String, of instance: KeyedArchive.Instance) throws(SourceError) -> String? {
        guard let index = try archive.field(field, of: instance), let entity = try archive.instance(index) else { return nil }
        return try archive.text("NSEntityName", of: entity)
    }

    private func damaged(_ what: String) -> SourceError { SourceError(.damaged, "a model with \(what)") }
}
