import FreeholdEngine

/// A row of `Z_PRIMARYKEY`: the number and the name of an entity.
struct EntityRow {
    let number: Int64
    let name: String
    /// The number of the entity it inherits from; 0 for none.
    let parent: Int64
}

extension EntityRow {
    /// Core Data numbers the entities of its own history from here on.
    private static let firstHistoryNumber: Int64 = 16_000

    /// Whether it is one of the entities that Core Data keeps for itself: persistent history, and what it knows of CloudKit.
    var isInternal: Bool { number >= Self.firstHistoryNumber || name.hasPrefix("NSCK") }
}

/// Finds the entities of a store and their tables.
struct EntityFinder {
    private let rows: [EntityRow]
    private let model: ManagedModel?
    private let tables: [SQLiteTable]
    private(set) var entities: [StoredEntity] = []
    private(set) var remarks: [SourceRemark] = []
    private var places = TextMap<Int>()
    private var placesByNumber: [Int64: Int] = [:]
    private var parents: [Int64] = []

    /// Levels of inheritance, at most.
    private static let maximumDepth = 32

    init(rows: [EntityRow], model: ManagedModel?, tables: [SQLiteTable]) {
        (self.rows, self.model, self.tables) = (rows, model, tables)
    }

    /// The entities in the order of their numbers, without those that Core Data keeps for itself.
    mutating func find() throws(SourceError) {
        var numbers: Set<Int64> = []
        var names: Set<ExactText> = []
        for row in rows.sorted(by: { $0.number < $1.number }) where !row.isInternal {
            guard !row.name.isEmpty, !row.name.hasPrefix("$") else {
                throw SourceError(.damaged, "Z_PRIMARYKEY has an entity named '\(row.name)'")
            }
            guard numbers.insert(row.number).inserted, names.insert(row.name).inserted else {
                throw SourceError(.damaged, "Z_PRIMARYKEY has the entity '\(row.name)', number \(row.number), twice")
            }
            let known = model?[row.name]
            if model != nil, known == nil {
                remarks.append(
                    SourceRemark(.lost, row.name, "the model of the store does not have this entity, so its properties are not known"))
                continue
            }
            places[row.name] = entities.count
            placesByNumber[row.number] = entities.count
            parents.append(row.parent)
            entities.append(StoredEntity(name: row.name, number: row.number, isAbstract: known?.isAbstract ?? false))
        }
        reportMissing(names)
        for place in entities.indices { entities[place].parent = parent(of: place) }
        for place in entities.indices { entities[place].root = try root(of: place) }
        try findTables()
    }

    private mutating func reportMissing(_ names: Set<ExactText>) {
        for entity in model?.entities ?? [] where !names.contains(entity.name) {
            remarks.append(SourceRemark(.lost, entity.name, "the store has no objects of this entity of its model"))
        }
    }

    private func parent(of place: Int) -> Int? {
        guard let model else { return placesByNumber[parents[place]] }
        return model[entities[place].name]?.parent.flatMap { places[$0] }
    }

    private func root(of place: Int) throws(SourceError) -> Int {
        var root = place
        var depth = 0
        while let parent = entities[root].parent {
            root = parent
            depth += 1
            if depth > Self.maximumDepth {
                throw SourceError(
                    .damaged, "the entity '\(entities[place].name)' inherits from itself, or from more than \(Self.maximumDepth) entities")
            }
        }
        return root
    }

    /// Sets the tables; entities without one are left out.
    private mutating func findTables() throws(SourceError) {
        var places = TextMap<Int>()
        for (place, table) in tables.enumerated() { places[table.name] = place }
        let found = entities.map { places["Z" + entities[$0.root].name.uppercased()] }
        for (place, table) in found.enumerated() where table == nil {
            remarks.append(SourceRemark(.lost, entities[place].name, "the store has no table of this entity"))
        }
        let kept = entities.indices.filter { found[$0] != nil }
        let renumbered = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($0.element, $0.offset) })
        entities = kept.map { place in
            var entity = entities[place]
            entity.parent = entity.parent.flatMap { renumbered[$0] }
            entity.root = renumbered[entity.root] ?? 0
            entity.table = found[place] ?? 0
            return entity
        }
    }
}
