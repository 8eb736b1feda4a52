import FreeholdEngine

/// The model classes of one realm.
///
/// Safe to share: nothing changes after it is made.
final class ModelSchema: @unchecked Sendable {
    /// The classes, superclasses first.
    let classes: [ModelClass]
    private let places: [ObjectIdentifier: Int]
    private let names: TextMap<Int>
    private let extended: Set<ObjectIdentifier>
    /// The classes as schemas of the engine, each with the properties it declares itself.
    let classSchemas: [ClassSchema]

    /// The schema whose property names are accepted, if that is another one.
    private let naming: ModelSchema?

    /// Creates a schema without classes: those of a file are read as untyped objects, and the property names in
    /// `schema` are accepted for them.
    init(namesOf schema: ModelSchema) {
        (classes, places, names, extended, classSchemas) = ([], [:], [:], [], [])
        naming = schema
    }

    /// Creates the schema of these classes and their superclasses.
    init(_ types: [ObjectBase.Type]) throws {
        naming = nil
        var classes: [ModelClass] = [], known: Set<ObjectIdentifier> = []
        func add(_ model: ModelClass) {
            if let superclass = model.superclass { add(superclass) }
            if known.insert(ObjectIdentifier(model.type)).inserted { classes.append(model) }
        }
        for type in types { add(try ModelClass.of(type)) }
        self.classes = classes
        places = Dictionary(uniqueKeysWithValues: classes.enumerated().map { (ObjectIdentifier($1.type), $0) })
        names = TextMap(classes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        extended = Set(classes.compactMap { $0.superclass.map { ObjectIdentifier($0.type) } })
        classSchemas = classes.map { Self.classSchema($0, of: classes) }
        let complaints = SchemaComplaints.of(self)
        if !complaints.isEmpty {
            throw RealmError(.fail, "Schema validation failed due to the following errors:\n" + complaints.map { "- \($0)" }.joined(separator: "\n"))
        }
    }

    func hasSameClasses(as other: ModelSchema) -> Bool { self === other || classes.elementsEqual(other.classes, by: ===) }

    /// Whether a class declares a full-text index, or an index of places, of vectors or in a collation.
    var declaresDerived: Bool {
        classSchemas.contains {
            !$0.fullTextIndexes.isEmpty || !$0.placeIndexes.isEmpty || !$0.vectorIndexes.isEmpty || !$0.collationIndexes.isEmpty
        }
    }

    func place(of type: ObjectBase.Type) -> Int? { places[ObjectIdentifier(type)] }
    func place(named name: String) -> Int? { names[name] }

    /// The program's class with a name, whose property names are accepted.
    func known(_ name: String) -> ModelClass? {
        let schema = naming ?? self
        return schema.place(named: name).map { schema.classes[$0] }
    }

    /// The class's name in the file.
    func storedName(of model: ModelClass) -> String { model.name }

    func hasSubclasses(_ model: ModelClass) -> Bool { extended.contains(ObjectIdentifier(model.type)) }

    /// The class as a schema of the engine, with the properties it declares itself.
    private static func classSchema(_ model: ModelClass, of all: [ModelClass]) -> ClassSchema {
        let inherited = model.superclass?.properties.count ?? 0
        let own = model.properties.dropFirst(inherited).compactMap { $0.schema { (try? ModelClass.of($0))?.name ?? $0.className() } }
        let key = model.primaryKey.flatMap { $0 < inherited ? nil : model.properties[$0].storedName }
        var schema = ClassSchema(model.name, primaryKey: key, superclass: model.superclass?.name, isEmbedded: model.isEmbedded, own)
        schema.fullTextIndexes = model.ownFullText.compactMap(model.storedFullText)
        schema.placeIndexes = model.ownPlaces.compactMap(model.storedPlaces)
        schema.vectorIndexes = model.ownVectors
        schema.collationIndexes = model.ownCollations.compactMap(model.storedCollation)
        schema.syncRules = model.storedSync(all)
        return schema
    }
}

/// Checks model classes for errors, with messages for their author.
enum SchemaComplaints {
    static func of(_ schema: ModelSchema) -> [String] {
        var complaints: [String] = []
        for (name, classes) in Dictionary(grouping: schema.classes, by: { ExactText($0.name) }) where classes.count > 1 {
            complaints.append("\(classes.count) classes are named '\(name.text)'; give one of them another name, or list the classes of the file in objectTypes.")
        }
        for model in schema.classes { complaints += of(model, schema) }
        return complaints.sorted()
    }

    private static func of(_ model: ModelClass, _ schema: ModelSchema) -> [String] {
        var complaints: [String] = []
        let name = model.name, own = model.properties
        if own.isEmpty, model.superclass == nil {
            complaints.append("No properties are defined for '\(name)'. Did you remember to mark them with '@Persisted' in your model?")
        }
        let keys = model.properties.filter(\.attributes.isPrimaryKey)
        if keys.count > 1 {
            complaints.append("Class '\(name)' has \(keys.count) primary keys: \(keys.map(\.name).joined(separator: ", ")).")
        }
        if let key = model.type.declaredKey, model.place(of: key) == nil {
            complaints.append("Primary key property '\(key)' does not exist on object '\(name)'.")
        }
        if model.isEmbedded, let key = keys.first {
            complaints.append("Embedded class '\(name)' cannot have a primary key '\(key.name)'.")
        }
        for index in model.type.declaredIndexes where model.place(of: index) == nil {
            complaints.append("Indexed property '\(index)' does not exist on object '\(name)'.")
        }
        for ignored in model.type.ignoredNames where ModelClass.persistedNames(of: model.type).contains(ignored) {
            complaints.append("Property '\(name).\(ignored)' is marked with '@Persisted' and listed by ignoredProperties(); take one of them away.")
        }
        for property in own { complaints += of(property, model, schema) }
        return complaints + fullText(model, schema) + places(model) + vectors(model) + collations(model) + sync(model)
    }

    private static func of(_ property: ModelProperty, _ model: ModelClass, _ schema: ModelSchema) -> [String] {
        let place = "'\(model.name).\(property.name)'"
        if property.kind.type == .any, property.kind.isOptional { return ["Property \(place) is mixed, which cannot be optional: '.none' is nothing."] }
        if property.kind.hasOptionalCollection { return ["Property \(place) is a collection, which cannot be optional."] }
        if property.kind.type == .object, let collection = property.kind.collections.last {
            let name = property.kind.objectType?.className() ?? ""
            // A value of a custom type cannot be nil: if the object is deleted, the type converts an empty one.
            if (collection == .map) != property.kind.isOptional, !(collection == .map && property.kind.isWrapped) {
                return ["Property \(place) \(collection == .map ? "must be of optional objects: Map<String, \(name)?>" : "cannot be of optional objects: say \(name), not \(name)?")."]
            }
            if collection == .set, property.isOwning { return ["Property \(place) is a set, but objects of class '\(name)' live within others; lists and maps hold those."] }
        }
        if property.kind.collections.dropLast().contains(.set) { return ["Property \(place) is a set of collections; lists and maps hold those."] }
        if let target = property.kind.objectType, schema.place(of: target) == nil {
            return ["Property \(place) of type '\(property.kind.type)' has unknown object type '\(target.className())'."]
        }
        if let origin = property.attributes.originProperty, let source = property.kind.objectType.flatMap({ try? ModelClass.of($0) }),
           !source.properties.contains(where: { $0.name.isSame(as: origin) && $0.kind.type == .object }) {
            return ["Property '\(source.name).\(origin)' declared as origin of linking objects property \(place) does not exist, or is no link."]
        }
        if property.attributes.isIndexed, property.isCollection || [.data, .object].contains(property.kind.type) {
            return ["Property \(place) of type '\(property.kind.type)' cannot be indexed."]
        }
        if property.attributes.isNumbered, !(property.attributes.isPrimaryKey && property.kind.type == .int) {
            return ["Property \(place) cannot be numbered: only an integer primary key can."]
        }
        return []
    }
}
