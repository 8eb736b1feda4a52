/// Tracing of changes back to the objects whose reach contains them.
extension Reach {
    /// Whether anything within the reach may have changed; at almost no cost.
    func isTouched(by step: VersionStep) -> Bool { places.contains { step.hasChanged(table: $0.table) } }

    /// The keys of the objects, of the older version or the newer, whose reach changed.
    ///
    /// A changed object was reached before by links that are still there; or one of these links changed, and is found
    /// by that. So links are followed back in the newer version only, except for the links that changed themselves.
    func objects(touchedBy step: VersionStep) throws(FreeholdError) -> Set<ObjectKey> {
        let now = try step.newer.schema()
        guard now === schema else { return try moved(to: now).objects(touchedBy: step) }
        var found = Array(repeating: Set<ObjectKey>(), count: places.count)
        for number in places.indices.reversed() {
            let place = places[number]
            if step.hasChanged(table: place.table) {
                for difference in try step.differences(inTable: place.table) where place.isTouched(by: difference) {
                    try note(difference, at: number, in: step, &found)
                }
            }
            try noteReplaced(at: number, in: step, &found)
            if found[number].isEmpty { continue }
            for way in place.ways { found[way.from].formUnion(try sources(of: found[number], place, way, in: step)) }
            if number > 0 { found[number] = [] }
        }
        return found[0]
    }

    private func note(_ difference: ObjectDifference, at number: Int, in step: VersionStep, _ found: inout [Set<ObjectKey>]) throws(FreeholdError) {
        let place = places[number]
        if number == 0 {
            found[0].insert(ObjectKey(difference.key))
            return
        }
        for way in place.ways {
            switch way.hop {
            case .link:
                // Links to deleted objects are cleared, and new objects are linked to by objects that changed.
                if difference.kind == .changed || difference.kind == .replaced { found[number].insert(ObjectKey(difference.key)) }
            case .backlink(let column):
                let rows = try step.rows(difference, inTable: place.table)
                if let row = rows.before { found[way.from].formUnion(try targets(of: row, column, number: place.table, linked: places[way.from].table, in: step.older)) }
                if let row = rows.after { found[way.from].formUnion(try targets(of: row, column, number: place.table, linked: places[way.from].table, in: step.newer)) }
            }
        }
    }

    /// Notes the objects at a place where an observed property took the name of another one, whose value was different.
    private func noteReplaced(at number: Int, in step: VersionStep, _ found: inout [Set<ObjectKey>]) throws(FreeholdError) {
        let place = places[number]
        let replaced = try step.replacedColumns(inTable: place.table).filter { place.hasAllColumns || place.columns.contains($0.new) }
        guard !replaced.isEmpty, let table = try step.newer.table(numbered: place.table) else { return }
        for key in try table.keys() {
            guard let rows = try step.rows(key, inTable: place.table) else { continue }
            for column in replaced where try rows.differ(in: column) {
                found[number].insert(key)
                for way in place.ways where way.hop == .backlink(column.new) {
                    try rows.before.forEachTarget(rows.older.column(column.old)) { found[way.from].insert(ObjectKey($0.key)) }
                }
            }
        }
    }

    /// The objects at the beginning of a way from which it leads to one of the keys.
    private func sources(of keys: Set<ObjectKey>, _ place: Place, _ way: Way, in step: VersionStep) throws(FreeholdError) -> Set<ObjectKey> {
        var found: Set<ObjectKey> = []
        switch way.hop {
        case .link(let index):
            guard let table = try step.newer.table(numbered: places[way.from].table) else { return [] }
            let column = table.state.stored.column(index)
            if column.type == .mixed {
                for key in keys { found.formUnion(try table.backlinks(to: ObjectReference(classNumber: place.table, key: key), from: column)) }
            } else {
                for key in keys { found.formUnion(try table.backlinks(to: key, from: column)) }
            }
        case .backlink(let index):
            guard let table = try step.newer.table(numbered: place.table) else { return [] }
            for key in keys {
                guard let row = try table.row(key) else { continue }
                found.formUnion(try targets(of: row, index, number: place.table, linked: places[way.from].table, in: step.newer))
            }
        }
        return found
    }

    /// The objects of one table that a row links to: mixed values may link to objects of other tables.
    private func targets(of row: Row, _ index: Int, number: Int, linked: Int, in snapshot: Snapshot) throws(FreeholdError) -> Set<ObjectKey> {
        // The property may have another position in the older version.
        guard let property = property(index, ofTable: number), let table = try snapshot.table(numbered: number),
              let index = table.state.stored.place(of: property) else { return [] }
        var found: Set<ObjectKey> = []
        try row.forEachTarget(table.state.stored.column(index)) { target in
            if target.classNumber == LinkTarget.declared || target.classNumber == linked { found.insert(ObjectKey(target.key)) }
        }
        return found
    }
}

extension Snapshot {
    /// A table by its number; nil if this version does not have it.
    func table(numbered number: Int) throws(FreeholdError) -> Table? {
        guard let stored = try schema().find(number: number) else { return nil }
        return try table(stored.name)
    }
}
