import FreeholdEngine

/// The classes of a Realm file as they are to be in a database, and what changes or is left out.
///
/// 1. The engine refuses empty names, and two classes or two properties of one class with the same name: those get
///    another name.
/// 2. Null is allowed where Realm allows it; for links and mixed values as `PropertySchema` says.
struct RealmSchema {
    private(set) var classes: [SourceClass] = []
    private(set) var remarks: [SourceRemark] = []
    /// The tables of the classes, with the columns that are imported and their targets.
    private(set) var tables: [RealmTable]
    /// The places of the classes by the keys of their tables.
    private(set) var places: [Int64: Int] = [:]

    /// - Parameter olderKeys: names of primary keys by the names of classes, from a table of their own in old files.
    init(_ tables: [RealmTable], olderKeys: TextMap<String>) throws(SourceError) {
        self.tables = tables
        for (place, table) in tables.enumerated() {
            guard places.updateValue(place, forKey: table.key) == nil else {
                throw .damaged("two tables have the same key", Int(clamping: table.clusters))
            }
        }
        var taken: Set<ExactText> = []
        var names: [String] = []
        for table in tables {
            let name = Self.free(table.name, "Unnamed", &taken)
            names.append(name)
        }
        for place in tables.indices { try add(place, names, olderKeys) }
    }

    private mutating func add(_ place: Int, _ names: [String], _ olderKeys: TextMap<String>) throws(SourceError) {
        let table = tables[place], name = names[place]
        if !name.isSame(as: table.name) {
            remarks.append(SourceRemark(.renamed, name, "the class is called '\(table.name)' in the Realm file"))
        }
        if table.isAsymmetric { remarks.append(SourceRemark(.converted, name, "the asymmetric class becomes an ordinary one")) }
        var taken: Set<ExactText> = [], properties: [PropertySchema] = [], columns: [RealmColumn] = []
        var primaryKey: String?
        for var column in table.columns {
            if column.kind == .link {
                guard let target = places[column.targetKey] else {
                    remarks.append(SourceRemark(.lost, "\(name).\(column.name)", "the links lead to a table that is no class"))
                    continue
                }
                column.target = (target, tables[target].isEmbedded)
                if tables[target].isEmbedded, column.shape == .set {
                    throw .damaged("a set holds embedded objects", Int(clamping: table.clusters))
                }
            }
            let free = Self.free(column.name, "unnamed", &taken)
            remark(column, free, of: name)
            let isKey = table.primaryKey == column.key
                || table.primaryKey == nil && column.name.isSame(as: olderKeys[table.name]) && column.shape == .single
            if isKey, column.shape == .single, !table.isEmbedded, column.canBeKey { primaryKey = free }
            properties.append(property(column, free, names, isKey: isKey))
            columns.append(column)
        }
        guard properties.count <= 900 else {
            throw SourceError(
                .unsupported, "class '\(name)' has \(properties.count) properties; a class of a Freehold database has at most 900")
        }
        tables[place].columns = columns
        let schema = ClassSchema(name, primaryKey: primaryKey, isEmbedded: table.isEmbedded, properties)
        classes.append(SourceClass(schema, count: table.isEmbedded ? 0 : table.count, sourceName: table.name))
    }

    private mutating func remark(_ column: RealmColumn, _ name: String, of owner: String) {
        let place = "\(owner).\(name)"
        if !name.isSame(as: column.name) {
            remarks.append(SourceRemark(.renamed, place, "the property is called '\(column.name)' in the Realm file"))
        }
        if column.isFullText { remarks.append(SourceRemark(.lost, place, "the full-text index is not imported; the strings are")) }
        if column.kind == .typedLink {
            remarks.append(SourceRemark(.converted, place, "the link to objects of any class becomes a mixed property"))
        }
    }

    private func property(_ column: RealmColumn, _ name: String, _ names: [String], isKey: Bool) -> PropertySchema {
        let collections: [CollectionKind] = switch column.shape {
        case .single: []
        case .list: [.list]
        case .set: [.set]
        case .dictionary: [.map]
        }
        if let target = column.target {
            var property = PropertySchema(name, linkTo: names[target.place], collections: collections)
            if column.shape == .dictionary { property.isNullable = true }
            return property
        }
        let isIndexed = column.isIndexed && collections.isEmpty && !isKey
        return PropertySchema(name, column.type, isNullable: column.isNullable, isIndexed: isIndexed, collections: collections)
    }

    /// A name that is not taken, like the given one or instead of an empty one.
    private static func free(_ name: String, _ fallback: String, _ taken: inout Set<ExactText>) -> String {
        let name = name.isEmpty ? fallback : name
        if taken.insert(name).inserted { return name }
        var number = 2
        while !taken.insert("\(name)_\(number)").inserted { number += 1 }
        return "\(name)_\(number)"
    }
}

extension RealmColumn {
    /// The type of the property.
    var type: PropertyType {
        switch kind {
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .data: .data
        case .mixed, .typedLink: .mixed
        case .date: .date
        case .float: .float
        case .double: .double
        case .decimal: .decimal
        case .link: .link
        case .objectId: .objectId
        case .uuid: .uuid
        }
    }

    /// Whether the type may be that of a primary key.
    var canBeKey: Bool {
        switch kind {
        case .int, .string, .date, .objectId, .uuid: true
        default: false
        }
    }
}
