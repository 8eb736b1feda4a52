import FreeholdEngine

/// Finds which indexes of the tables become indexes of the classes: those over attributes, unique ones included.
struct ReadIndexes {
    private let tables: [SQLiteTable]
    /// By class, the place of the property of each column.
    private let places: [[Int: Int]]

    /// The most indexes over several properties that a class gets.
    private static let maximumCount = 64

    init(_ tables: [SQLiteTable], _ classes: [ReadClass]) {
        self.tables = tables
        places = classes.map { read in
            var places: [Int: Int] = [:]
            for (place, property) in read.properties.enumerated() {
                if case .attribute(let column, let reading) = property.source, reading.canBeIndexed { places[column] = place }
            }
            return places
        }
    }

    /// Adds the indexes to the classes.
    func add(to classes: inout [ReadClass]) {
        for table in Set(classes.map(\.table)).sorted() {
            let members = classes.indices.filter { classes[$0].table == table }
            for index in tables[table].indexes where !index.isPartial && !index.columns.contains(nil) {
                add(index.columns.compactMap { $0 }, isUnique: index.isUnique, to: members, of: &classes)
            }
        }
    }

    private func add(_ columns: [Int], isUnique: Bool, to members: [Int], of classes: inout [ReadClass]) {
        guard Set(columns).count == columns.count else { return }
        for member in members {
            let properties = columns.compactMap { places[member][$0] }
            guard properties.count == columns.count else { continue }
            if let only = properties.first, properties.count == 1 {
                classes[member].schema.properties[only].isIndexed = true
                if isUnique { classes[member].schema.properties[only].isUnique = true }
                continue
            }
            // Of classes that extend one another, the first that has all properties.
            let isInherited = classes[member].parent.map { parent in columns.allSatisfy { places[parent][$0] != nil } } ?? false
            guard !isInherited, classes[member].schema.indexes.count < Self.maximumCount else { continue }
            let names = properties.map { classes[member].schema.properties[$0].name }
            classes[member].schema.indexes.append(IndexSchema(names, isUnique: isUnique))
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
