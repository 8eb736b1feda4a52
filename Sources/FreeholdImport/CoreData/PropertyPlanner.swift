import FreeholdEngine

/// What is known of a store before its properties are: entities, tables, and the columns of attributes and links.
///
/// 1. A column is called Z and the property's name in capitals. Entities of one table that have properties of one name each
///    have a column of their own: in the order of the entities' numbers, the first without a number, the next with 1, 2, …
final class StoreLayout {
    let model: ManagedModel
    let tables: [SQLiteTable]
    let entities: [StoredEntity]
    private let places: TextMap<Int>
    private let joins: [JoinTable.Key: [JoinTable]]
    private let joinsByName: [ExactText: [JoinTable]]
    private let columns: [ColumnOwner: Int]
    /// The columns that properties have, by table.
    let claimed: [Int: Set<Int>]

    init(model: ManagedModel, tables: [SQLiteTable], entities: [StoredEntity]) {
        (self.model, self.tables, self.entities) = (model, tables, entities)
        places = TextMap(entities.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
        let all = JoinTable.all(tables)
        joins = Dictionary(grouping: all, by: \.key)
        joinsByName = Dictionary(grouping: all, by: \.key.stem)
        (columns, claimed) = Self.columns(model, tables, entities)
    }

    private static func columns(
        _ model: ManagedModel, _ tables: [SQLiteTable], _ entities: [StoredEntity]
    ) -> ([ColumnOwner: Int], [Int: Set<Int>]) {
        var columns: [ColumnOwner: Int] = [:]
        var claimed: [Int: Set<Int>] = [:]
        var taken: [Int: TextMap<Int>] = [:]
        var positions: [Int: TextMap<Int>] = [:]
        for (place, entity) in entities.enumerated().sorted(by: { $0.element.number < $1.element.number }) {
            let table = entity.table
            if positions[table] == nil {
                positions[table] = TextMap(tables[table].columns.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
            }
            for property in model[entity.name]?.properties ?? [] where property.hasColumn {
                let base = "Z" + property.name.uppercased()
                let number = taken[table]?[base] ?? 0
                taken[table, default: TextMap()][base] = number + 1
                guard let column = positions[table]?[number == 0 ? base : "\(base)\(number)"] else { continue }
                columns[ColumnOwner(entity: place, property: ExactText(property.name))] = column
                claimed[table, default: []].insert(column)
            }
        }
        return (columns, claimed)
    }

    /// The place of an entity; nil if the store does not have it.
    func place(of name: String) -> Int? { places[name] }

    /// The column of a property of an entity, also of one it inherits.
    func column(of name: String, in place: Int) -> Int? {
        lineage(place).lazy.compactMap { self.columns[ColumnOwner(entity: $0, property: ExactText(name))] }.first
    }

    /// An entity and its parents.
    func lineage(_ place: Int) -> [Int] {
        var places = [place]
        while let parent = entities[places[places.count - 1]].parent { places.append(parent) }
        return places
    }

    /// The tables that may have the pairs of a relationship of this name of any entity.
    func joins(of relationship: String) -> [JoinTable] { joinsByName[ExactText(JoinTable.baseName(relationship.uppercased()))] ?? [] }

    /// The tables that may have the pairs of a relationship of this name of one of these entities.
    func joins(of relationship: String, from numbers: Set<Int64>) -> [JoinTable] {
        let name = JoinTable.baseName(relationship.uppercased())
        return numbers.sorted().flatMap { joins[JoinTable.Key(number: $0, stem: ExactText(name))] ?? [] }
    }
}

/// Finds where the values of each property of a model are: its column, or the rows of its relationship.
struct PropertyPlanner {
    let layout: StoreLayout
    /// The properties of each entity.
    private(set) var properties: [[StoredProperty]]
    private(set) var remarks: [SourceRemark] = []

    init(_ layout: StoreLayout) {
        self.layout = layout
        properties = Array(repeating: [], count: layout.entities.count)
    }

    /// Finds the properties of all entities.
    mutating func plan() {
        for (place, entity) in layout.entities.enumerated() {
            for property in layout.model[entity.name]?.properties ?? [] { add(property, to: place) }
        }
        for table in Set(layout.entities.map(\.table)).sorted() { addUnexplained(table) }
    }

    private mutating func add(_ property: ManagedProperty, to place: Int) {
        let name = "\(layout.entities[place].name).\(property.name)"
        switch property.kind {
        case _ where property.isTransient: break
        case .other(let kind): remarks.append(SourceRemark(.lost, name, "a property of the kind \(kind) has no values"))
        case .attribute(.composite):
            remarks.append(SourceRemark(.converted, name, "a composite attribute, whose parts become properties of their own"))
        case .attribute(let type):
            guard let column = layout.column(of: property.name, in: place) else {
                remarks.append(SourceRemark(.lost, name, "the store has no column for this attribute"))
                return
            }
            append(property, .attribute(column: column, type.reading), to: place)
        case .relationship(let relationship):
            var planner = RelationshipPlanner(layout, place, property, relationship)
            if let source = planner.source() {
                append(property, source, deleteRule: relationship.deleteRule.kept, to: place)
            }
            remarks += planner.remarks
        }
    }

    private mutating func append(
        _ property: ManagedProperty, _ source: StoredProperty.Source, deleteRule: DeleteRule = .nullify, to place: Int
    ) {
        properties[place].append(
            StoredProperty(name: property.name, source: source, isOptional: property.isOptional, deleteRule: deleteRule))
        if property.isValidated {
            let name = "\(layout.entities[place].name).\(property.name)"
            remarks.append(SourceRemark(.lost, name, "the model restricts its values, the database does not"))
        }
    }

    /// Gives the columns that no property explains to the outermost entity of the table.
    private mutating func addUnexplained(_ table: Int) {
        let entities = layout.entities.indices.filter { layout.entities[$0].table == table }
        guard let root = entities.first(where: { layout.entities[$0].parent == nil }) else { return }
        var names = Set(exact: entities.flatMap { layout.model[layout.entities[$0].name]?.properties ?? [] }.map(\.name))
        for (column, stored) in layout.tables[table].columns.enumerated() where !(layout.claimed[table]?.contains(column) ?? false) {
            guard let wanted = GuessedName.property(stored.name) else { continue }
            let name = GuessedName.unused(wanted, &names)
            let source = StoredProperty.Source.attribute(column: column, AttributeReading(declared: stored.declaredType))
            properties[root].append(StoredProperty(name: name, source: source, isUnexplained: true))
        }
    }
}

/// A property of an entity, as the key of its column.
private struct ColumnOwner: Hashable {
    let entity: Int
    let property: ExactText
}

extension ManagedProperty {
    /// Whether its values are in a column of the entity's table.
    var hasColumn: Bool {
        if isTransient { return false }
        switch kind {
        case .attribute(let type): return type != .composite
        case .relationship(let relationship): return !relationship.isToMany
        case .other: return false
        }
    }
}

extension ManagedRelationship.DeleteRule {
    /// The rule that the database has for it.
    var kept: DeleteRule {
        switch self {
        case .noAction, .nullify: .nullify
        case .cascade: .cascade
        case .deny: .deny
        }
    }
}

extension AttributeType {
    /// How values of the type are read.
    var reading: AttributeReading {
        switch self {
        case .int16, .int32, .int64: .int
        case .decimal: .decimal
        case .double: .double
        case .float: .float
        case .string, .uri: .string
        case .bool: .bool
        case .date: .date
        case .data: .data
        case .uuid: .uuid
        case .transformable: .archive
        case .undefined, .objectID, .composite: .any
        }
    }
}

extension AttributeReading {
    /// The reading for the type that Core Data declares for a column.
    init(declared: String) {
        self =
            switch SQLiteName.uppercased(declared) {
            case "INTEGER": .int
            case "FLOAT": .double
            case "DECIMAL": .decimal
            case "VARCHAR": .string
            case "TIMESTAMP": .date
            case "BLOB": .data
            default: .any
            }
    }
}
