import FreeholdEngine

/// Infers classes from records: the type of each property, and which objects are nested in others.
///
/// 1. A nested object becomes an object of its own class, named after the property (or as `links` says), and is linked
///    from there. Arrays of values become lists, arrays of objects lists of links; arrays of both, and arrays that mix
///    arrays with values, become JSON text.
/// 2. A declared type is used, whatever values are seen.
/// 3. A property is nullable if any record lacked it or had null for it, or if not all records were seen; a primary key
///    never is.
/// 4. An object that names its class (`$class`) belongs to a subclass of the class it would otherwise get. The
///    properties of the base class are those of its own objects or, without any, those that all objects have; the
///    others belong to the named classes.
public struct SchemaInference {
    struct Property {
        var name: String
        var evidence: TypeEvidence = []
        var presentCount = 0
        var arrays = ArrayEvidence()
    }

    struct ClassEvidence {
        var name: String
        /// The superclass: this class's objects named their class in places where the superclass was expected.
        var superclass: String?
        var properties: [Property] = []
        var indexOf: TextMap<Int> = [:]
        var recordCount = 0
    }

    private let rootName: String
    private let isAllText: Bool
    private let links: TextMap<String>
    private let declared: TextMap<DeclaredType>
    private var classes: [ClassEvidence]

    /// - Parameters:
    ///   - className: the class of the records.
    ///   - isAllText: whether the format has only strings (CSV, TSV, control files).
    ///   - links: by property, the class it links to.
    ///   - declared: by property (of another class than `className`: `Class.property`), the declared type.
    public init(
        className: String, isAllText: Bool, links: TextMap<String> = [:], declared: TextMap<DeclaredType> = [:]
    ) {
        rootName = className
        self.isAllText = isAllText
        self.links = links
        self.declared = declared
        classes = [ClassEvidence(name: className)]
    }

    /// The declared types whose property was never seen, in order.
    func unusedDeclarations(_ schemas: [ClassSchema]) -> [String] {
        let names = schemas.flatMap { schema in
            let isRoot = schema.name.isSame(as: rootName) || schema.superclass.isSame(as: rootName)
            return schema.properties.flatMap { isRoot ? [$0.name, "\(schema.name).\($0.name)"] : ["\(schema.name).\($0.name)"] }
        }
        return declared.keys.filter { !names.has($0) }.sorted { $0.precedes($1) }
    }

    /// The class of nested objects in the property.
    public func nestedClassName(of property: String) -> String { links[property] ?? property }

    /// Records the values of a record.
    public mutating func note(_ object: ImportedObject) { note(object, into: 0) }

    /// The inferred classes, the records' own first. A class is left out if its objects occurred only where other
    /// values occurred as well, so that the property became a string.
    /// - Parameters:
    ///   - primaryKey: the records' primary key.
    ///   - nestedKeys: by other class, its primary key.
    ///   - isComplete: whether every record was noted.
    public func schemas(primaryKey: String?, nestedKeys: TextMap<String> = [:], isComplete: Bool) -> [ClassSchema] {
        let all = Self.related(classes).enumerated().map { index, evidence in
            let key = index == 0 ? primaryKey : nestedKeys[evidence.name]
            let properties = evidence.properties.map { property in
                schema(property, of: evidence, isComplete: isComplete, isKey: property.name.isSame(as: key))
            }
            return ClassSchema(evidence.name, primaryKey: key, superclass: evidence.superclass, properties)
        }
        var reached = Set<ExactText>(exact: [rootName])
        var waiting = [rootName]
        while let name = waiting.popLast() {
            let targets = all.first { $0.name.isSame(as: name) }?.properties.compactMap(\.linkTarget) ?? []
            let heirs = all.filter { $0.superclass.isSame(as: name) }.map(\.name)
            for target in targets + heirs where reached.insert(target).inserted { waiting.append(target) }
        }
        return all.filter { reached.contains($0.name) }
    }

    private mutating func note(_ object: ImportedObject, into base: Int) {
        var index = base
        if case .text(let name)? = object.className, !name.isSame(as: classes[base].name) {
            index = self.index(of: name)
            if classes[index].superclass == nil, index > 0 { classes[index].superclass = classes[base].name }
        }
        classes[index].recordCount += 1
        for (place, (name, value)) in zip(object.shape.names, object.values).enumerated() where place != object.shape.classPlace {
            // If every object has every name, null means that the object's class lacks the property.
            if isAllText, object.className != nil, value == .null { continue }
            let property = self.property(name, of: index)
            classes[index].properties[property].evidence.formUnion(TypeEvidence(value, isAllText: isAllText))
            if case .null = value { continue }
            classes[index].properties[property].presentCount += 1
            if value.tagged != nil { continue }
            for nested in classes[index].properties[property].arrays.objects(noting: value, isAllText: isAllText) {
                note(nested, into: self.index(of: nestedClassName(of: name)))
            }
        }
    }

    private mutating func property(_ name: String, of index: Int) -> Int {
        if let known = classes[index].indexOf[name] { return known }
        let property = classes[index].properties.count
        classes[index].properties.append(Property(name: name))
        classes[index].indexOf[name] = property
        return property
    }

    private mutating func index(of className: String) -> Int {
        if let known = classes.firstIndex(where: { $0.name.isSame(as: className) }) { return known }
        classes.append(ClassEvidence(name: className))
        return classes.count - 1
    }

    private func schema(
        _ property: Property, of evidence: ClassEvidence, isComplete: Bool, isKey: Bool
    ) -> PropertySchema {
        let isRoot = evidence.name.isSame(as: rootName) || evidence.superclass.isSame(as: rootName)
        let name = property.name
        if let declared = (isRoot ? declared[name] : nil) ?? declared["\(evidence.name).\(name)"] {
            return PropertySchema(name, declared.type, isNullable: declared.isNullable && !isKey)
        }
        if property.evidence == .array, let list = property.arrays.schema(name, linkTo: nestedClassName(of: name), isLinked: isRoot && links[name] != nil, isAllText: isAllText) {
            return list
        }
        if property.evidence == .object || isRoot && links[name] != nil {
            return PropertySchema(name, linkTo: nestedClassName(of: name))
        }
        let isAlwaysThere = isComplete && property.presentCount == evidence.recordCount
        return PropertySchema(name, property.evidence.type(isAllText: isAllText), isNullable: !isAlwaysThere && !isKey)
    }
}
