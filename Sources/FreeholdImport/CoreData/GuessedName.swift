import FreeholdEngine

/// Names of properties from those of columns and tables, where no model knows them.
enum GuessedName {
    /// The name of an attribute: `zipcode` of ZZIPCODE; nil for columns that are not attributes.
    static func property(_ column: String) -> String? {
        guard column.hasPrefix("Z"), let second = column.dropFirst().first, second != "_", !(second.isASCII && second.isNumber) else {
            return nil
        }
        return column.dropFirst().lowercased()
    }

    /// The name, or one like it that is not among `names`, which gets it.
    static func unused(_ name: String, _ names: inout Set<ExactText>) -> String {
        if names.insert(name).inserted { return name }
        var number = 2
        while !names.insert("\(name)\(number)").inserted { number += 1 }
        return "\(name)\(number)"
    }
}

/// Finds the properties of entities that no model describes: their columns by their declared types, under the outermost
/// entity of the table, and the relationships that the names of columns and tables give away.
struct PropertyGuesser {
    private let tables: [SQLiteTable]
    private let entities: [StoredEntity]
    private let places: [Int64: Int]
    /// The properties of each entity.
    private(set) var properties: [[StoredProperty]]
    private var names: [Int: Set<ExactText>] = [:]

    init(tables: [SQLiteTable], entities: [StoredEntity]) {
        (self.tables, self.entities) = (tables, entities)
        places = Dictionary(entities.enumerated().map { ($0.element.number, $0.offset) }) { first, _ in first }
        properties = Array(repeating: [], count: entities.count)
    }

    /// Finds the properties of all entities.
    mutating func plan() {
        for table in Set(entities.map(\.table)).sorted() {
            guard let root = entities.indices.first(where: { entities[$0].table == table && entities[$0].parent == nil }) else { continue }
            for (column, stored) in tables[table].columns.enumerated() {
                if let name = GuessedName.property(stored.name) {
                    add(name, .attribute(column: column, AttributeReading(declared: stored.declaredType)), to: root)
                } else {
                    addColumnRelationship(stored.name, column, to: root, of: table)
                }
            }
        }
        for join in JoinTable.all(tables) { add(join) }
    }

    /// A column with the key of an object of another entity that has these objects: `Z4TRANSCRIPTS`.
    private mutating func addColumnRelationship(_ stored: String, _ column: Int, to target: Int, of table: Int) {
        guard let name = NumberedName(stored, prefix: "Z"), !name.name.isEmpty, let owner = places[name.number] else { return }
        let order = tables[table].position(of: "Z_FOK_\(stored.dropFirst())")
        let rows = LinkRows(table: table, owner: .column(column), target: .rowid, order: order)
        add(name.name.lowercased(), .links(rows, target: target, isOrdered: order != nil), to: owner)
    }

    private mutating func add(_ join: JoinTable) {
        guard let owner = places[join.name.number], let first = join.columns.first else { return }
        let name = String(join.name.name)
        let target = join.columns.first { $0.name.isNamed(name) } ?? first
        guard let destination = places[target.name.number],
            let source = join.reflexive ?? join.columns.first(where: { $0.column != target.column })?.column
        else { return }
        let rows = LinkRows(
            table: join.table, owner: .column(source), target: .column(target.column), order: target.order,
            isSymmetric: join.reflexive != nil)
        add(name.lowercased(), .links(rows, target: destination, isOrdered: target.order != nil), to: owner)
    }

    private mutating func add(_ name: String, _ source: StoredProperty.Source, to place: Int) {
        let name = GuessedName.unused(name, &names[entities[place].table, default: []])
        properties[place].append(StoredProperty(name: name, source: source))
    }
}
