import FreeholdEngine

/// Works out classes from records: what each property holds, and which objects stand within others.
///
/// 1. An object within an object becomes an object of a class of its own, named after the property (or as `links` says),
///    linked from there. Arrays of values become lists, arrays of objects lists of links; arrays of both, or that hold arrays
///    beside values, JSON text.
/// 2. A declared type stands whatever is seen.
/// 3. A property is nullable if any record lacked it or had null for it, or if not all records were seen; a primary key
///    never is.
/// 4. An object that names its class (`$class`) is of one that extends the class it would be of. What objects of that class itself have
///    are its properties, or if there are none what all objects have; the rest are those of the classes named.
public struct SchemaInference {
    struct Property {
        var name: String
        var evidence: TypeEvidence = []
        var presentCount = 0
        var arrays = ArrayEvidence()
    }

    struct ClassEvidence {
        var name: String
        /// The class that it extends: its objects stood where that one's do, and named it.
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
    ///   - isAllText: whether the format knows nothing but text (CSV, TSV, control files).
    ///   - links: by property, the class it links to.
    ///   - declared: by property (of another class than `className`: `Class.property`), the type to take.
    public init(
        className: String, isAllText: Bool, links: TextMap<String> = [:], declared: TextMap<DeclaredType> = [:]
    ) {
        rootName = className
        self.isAllText = isAllText
        self.links = links
        self.declared = declared
        classes = [ClassEvidence(name: className)]
    }

    /// The declared types that no property has which was seen, in order.
    func unusedDeclarations(_ schemas: [ClassSchema]) -> [String] {
        let names = schemas.flatMap { schema in
            let isRoot = schema.name.isSame(as: rootName) || schema.superclass.isSame(as: rootName)
            return schema.properties.flatMap { isRoot ? [$0.name, "\(schema.name).\($0.name)"] : ["\(schema.name).\($0.name)"] }
        }
        return declared.keys.filter { !names.has($0) }.sorted { $0.precedes($1) }
    }

    /// The class that objects within the property are put into.
    public func nestedClassName(of property: String) -> String { links[property] ?? property }

    /// Takes a record into account.
    public mutating func note(_ object: ImportedObject) { note(object, into: 0) }

    /// The classes seen, the records' own first. A class whose objects came only where other values stood as well (so
    /// that the property became a string) is left out.
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
            // Where every object has every name, null says that its class may not.
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
