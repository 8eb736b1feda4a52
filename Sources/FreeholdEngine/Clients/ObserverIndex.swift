/// Finds the observers to advance after a step, by their interests.
struct ObserverIndex {
    private var known: [UInt64: Interest] = [:]
    private var byTable: [Int: Set<UInt64>] = [:]
    private var byObject: [Int: [ObjectKey: Set<UInt64>]] = [:]

    mutating func insert(_ observer: Observer) {
        let interest = observer.interest, number = observer.number
        if known[number] == interest { return }
        remove(number)
        known[number] = interest
        for table in interest.tables { byTable[table, default: []].insert(number) }
        for object in interest.objects { byObject[object.table, default: [:]][object.key, default: []].insert(number) }
    }

    mutating func remove(_ number: UInt64) {
        guard let interest = known.removeValue(forKey: number) else { return }
        for table in interest.tables { byTable[table]?.remove(number) }
        for object in interest.objects {
            byObject[object.table]?[object.key]?.remove(number)
            if byObject[object.table]?[object.key]?.isEmpty == true { byObject[object.table]?[object.key] = nil }
        }
    }

    /// The numbers of the observers that a step may touch; nil for all. Other observers cost nothing.
    func touched(by step: VersionStep) throws(FreeholdError) -> Set<UInt64>? {
        guard let tables = try step.changedTables() else { return nil }
        var found: Set<UInt64> = []
        for table in tables {
            if let numbers = byTable[table] { found.formUnion(numbers) }
            guard let objects = byObject[table], !objects.isEmpty else { continue }
            for key in try step.changedKeys(inTable: table) { if let numbers = objects[key] { found.formUnion(numbers) } }
        }
        return found
    }
}
