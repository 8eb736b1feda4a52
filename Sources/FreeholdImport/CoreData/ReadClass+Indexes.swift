import FreeholdEngine

/// Finds which indexes of the tables become indexes of the classes: those over attributes, unique ones included.
struct ReadIndexes {
    private let tables: [SQLiteTable]
    private let entities: [StoredEntity]
    /// By table and column, the entity and the number of the property.
    private var owners: [Int: [Int: (entity: Int, property: Int)]] = [:]

    /// The most indexes over several properties that a class gets.
    private static let maximumCount = 64

    init(_ tables: [SQLiteTable], _ entities: [StoredEntity], _ classes: [ReadClass]) {
        (self.tables, self.entities) = (tables, entities)
        for (place, read) in classes.enumerated() {
            let first = read.properties.count - read.schema.properties.count
            for (number, property) in read.properties[first...].enumerated() {
                guard case .attribute(let column, let reading) = property.source, reading.canBeIndexed else { continue }
                owners[read.table, default: [:]][column] = (place, number)
            }
        }
    }

    /// Adds the indexes to the classes.
    func add(to classes: inout [ReadClass]) {
        for (table, columns) in owners.sorted(by: { $0.key < $1.key }) {
            for index in tables[table].indexes where !index.isPartial {
                let parts = index.columns.compactMap { $0.flatMap { columns[$0] } }
                guard parts.count == index.columns.count, let first = parts.first else { continue }
                if parts.count == 1 {
                    classes[first.entity].schema.properties[first.property].isIndexed = true
                    if index.isUnique { classes[first.entity].schema.properties[first.property].isUnique = true }
                } else if let member = lowest(parts.map(\.entity)), classes[member].schema.indexes.count < Self.maximumCount {
                    let names = parts.map { classes[$0.entity].schema.properties[$0.property].name }
                    guard Set(exact: names).count == names.count else { continue }
                    classes[member].schema.indexes.append(IndexSchema(names, isUnique: index.isUnique))
                }
            }
        }
    }

    /// The entity that has the properties of all of these: the one that inherits from the others; nil if none does.
    private func lowest(_ members: [Int]) -> Int? {
        members.first { member in
            var lineage: Set<Int> = []
            var next: Int? = member
            while let current = next {
                lineage.insert(current)
                next = entities[current].parent
            }
            return members.allSatisfy { lineage.contains($0) }
        }
    }
}

extension AttributeReading {
    /// Whether an index over such values is worth its space.
    var canBeIndexed: Bool {
        switch self {
        case .int, .bool, .double, .float, .decimal, .date, .string, .uuid: true
        case .data, .archive, .any: false
        }
    }
}
