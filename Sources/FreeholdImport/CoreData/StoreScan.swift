import FreeholdEngine

/// Reads every row of a store once: how many objects each entity has, and what its columns hold.
struct StoreScan {
    /// The number of objects of each entity, without those of entities that inherit from it.
    private(set) var counts: [Int]
    /// For each property of each entity, what its column holds.
    private(set) var evidence: [[ColumnEvidence]]
    /// By table, the rows whose entity is not known.
    private(set) var strayRows: [Int: Int] = [:]

    private let entities: [StoredEntity]

    init(_ entities: [StoredEntity]) {
        self.entities = entities
        counts = Array(repeating: 0, count: entities.count)
        evidence = entities.map { Array(repeating: ColumnEvidence(), count: $0.properties.count) }
    }

    /// Reads all tables. If one is damaged, the others are read all the same, to say what is left.
    mutating func run(_ file: SQLiteFile, _ external: ExternalData) throws(SourceError) {
        var damaged: Set<Int> = [], damage: SourceError?
        for table in Set(entities.map(\.table)).sorted() {
            do throws(SourceError) { try scan(table, of: file, external) } catch {
                guard error.kind == .damaged else { throw error }
                damaged.insert(table)
                damage = damage ?? error
            }
        }
        guard let damage else { return }
        let readable = entities.indices.map { place in
            ReadableClass(entities[place].name, count: counts[place], isWhole: !damaged.contains(entities[place].table))
        }
        throw damage.with(readable: readable)
    }

    /// A column to watch.
    private struct Watched {
        let slot: Int
        let column: Int
        let reading: AttributeReading
    }

    private mutating func scan(_ table: Int, of file: SQLiteFile, _ external: ExternalData) throws(SourceError) {
        var slots: [(entity: Int, property: Int)] = []
        var found: [ColumnEvidence] = []
        let members = entities.indices.filter { entities[$0].table == table }
        var own: [Int: [Watched]] = [:]
        for entity in members {
            own[entity] = entities[entity].properties.enumerated().compactMap { property, stored in
                guard case .attribute(let column, let reading) = stored.source else { return nil }
                slots.append((entity, property))
                found.append(ColumnEvidence())
                return Watched(slot: slots.count - 1, column: column, reading: reading)
            }
        }
        var watched: [Int: [Watched]] = [:]
        let numbers = Dictionary(members.map { (entities[$0].number, $0) }) { first, _ in first }
        let entityColumn = file.tables[table].position(of: "Z_ENT")
        var rows = try file.reader(of: file.tables[table], after: nil)
        var last = (number: Int64.min, entity: -1, columns: [Watched]())
        while try rows.next() {
            guard let entityColumn, case .int(let number) = try rows.field(entityColumn) else {
                strayRows[table, default: 0] += 1
                continue
            }
            if number != last.number {
                let entity = numbers[number] ?? -1
                if entity >= 0, watched[entity] == nil { watched[entity] = lineage(entity).flatMap { own[$0] ?? [] } }
                last = (number, entity, watched[entity] ?? [])
            }
            guard last.entity >= 0 else {
                strayRows[table, default: 0] += 1
                continue
            }
            for column in last.columns { try found[column.slot].add(&rows, column.column, column.reading, external) }
            counts[last.entity] += 1
        }
        for (slot, place) in slots.enumerated() { evidence[place.entity][place.property] = found[slot] }
    }

    private func lineage(_ place: Int) -> [Int] {
        var places = [place]
        while let parent = entities[places[places.count - 1]].parent { places.append(parent) }
        return places
    }
}
