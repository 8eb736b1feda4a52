import FreeholdEngine

/// The classes of a transaction, each looked up once.
final class ClassBook {
    let source: any ObjectSource
    /// Every class with what it declares itself.
    let declared: [ClassSchema]
    private let byName: TextMap<ClassSchema>
    private var known: TextMap<ClassEntry> = [:]
    private var links: TextMap<[LinkEntry]> = [:]

    init(_ source: any ObjectSource, _ classes: [ClassSchema]) {
        self.source = source
        declared = classes
        byName = TextMap(classes.map { ($0.name, $0) }) { first, _ in first }
    }

    /// A class by its name; throws ``OperationMistake`` for an unknown or hidden class.
    func entry(_ name: String) throws -> ClassEntry {
        if let entry = known[name] { return entry }
        if byName[name] == nil { throw OperationMistake("there is no class '\(name)'") }
        let table = try source.table(name, withSubclasses: true)
        let entry = ClassEntry(name: name, root: lineage(of: name).last ?? name, table: table, schema: table.schema, columns: table.columns,
                               hasSubclasses: declared.contains { $0.superclass.isSame(as: name) })
        known[name] = entry
        return entry
    }

    /// The declaration of a class; nil if there is none.
    func declaration(_ name: String) -> ClassSchema? { byName[name] }

    func isEmbedded(_ property: PropertySchema) -> Bool {
        property.type == .link && property.linkTarget.flatMap { byName[$0] }?.isEmbedded == true
    }

    /// The class and those that it extends, up to the base class.
    func lineage(of name: String) -> [String] {
        var names = [name], last = name
        while let above = byName[last]?.superclass, names.count <= declared.count {
            names.append(above)
            last = above
        }
        return names
    }

    /// The properties that can link to objects of a class, those of mixed values included.
    func links(to name: String) throws -> [LinkEntry] {
        if let found = links[name] { return found }
        let targets = Set(exact: lineage(of: name))
        var found: [LinkEntry] = []
        for source in declared {
            for property in source.properties where property.type == .mixed || property.linkTarget.map(targets.contains) == true {
                let entry = try entry(source.name)
                found.append(LinkEntry(source: entry, property: property, column: try entry.table.column(property.name)))
            }
        }
        links[name] = found
        return found
    }

    /// The objects that link to an object through one property.
    func sources(of link: LinkEntry, to key: ObjectKey, in target: ClassEntry) throws -> [ObjectKey] {
        if link.property.type == .mixed { return try link.source.table.backlinks(to: target.table.reference(to: key), from: link.column) }
        return try link.source.table.backlinks(to: key, from: link.column)
    }

    /// The number of objects that link to an object, counted once for each property.
    func incomingCount(of key: ObjectKey, in target: ClassEntry) throws -> Int {
        try links(to: target.name).reduce(0) { $0 + (try sources(of: $1, to: key, in: target)).count }
    }
}

/// A class: its objects, and its properties with those it inherits.
struct ClassEntry {
    let name: String
    /// The base class, whose table has the objects.
    let root: String
    let table: Table
    let schema: ClassSchema
    let columns: [Column]
    let hasSubclasses: Bool

    /// The place of a property; throws ``OperationMistake`` if the class does not have it.
    func place(of property: String) throws -> Int {
        if let place = schema.properties.firstIndex(where: { $0.name.isSame(as: property) }) { return place }
        throw OperationMistake("class '\(name)' has no property '\(property)'")
    }
}

/// A property that can link to objects of a class.
struct LinkEntry {
    let source: ClassEntry
    let property: PropertySchema
    let column: Column
}
