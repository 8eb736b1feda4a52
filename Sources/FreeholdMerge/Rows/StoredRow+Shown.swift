import FreeholdEngine

/// What a device shows of a row, without what the merge knows of it.
extension StoredRow {
    /// The value of a single property; null if it was never written, or belongs to an embedded object that is not there any more.
    public func shownValue(of property: Int32, in type: SyncSchema.Class) -> SyncValue {
        let register = registers[Int(property)], owner = type.owners[Int(property)]
        guard register.isWritten else { return .null }
        if owner < 0 { return register.value }
        guard case .embedded(let instance) = shownValue(of: owner, in: type), instance == register.instance else { return .null }
        return register.value
    }

    /// The members of each set, by property, in no order.
    public var shownMembers: [Int32: [SyncValue]] {
        var made: [Int32: [SyncValue]] = [:]
        for (name, additions) in members where !additions.isEmpty { made[name.property, default: []].append(name.element) }
        return made
    }

    /// The entries of each map, by property, in no order.
    public var shownEntries: [Int32: [(key: SyncValue, value: SyncValue)]] {
        var made: [Int32: [(key: SyncValue, value: SyncValue)]] = [:]
        for (path, register) in entries {
            if case .absent = register.value { continue }
            made[path.property, default: []].append((path.key, register.value))
        }
        return made
    }

    /// The elements of each list, by property, in their order.
    public var shownElements: [Int32: [SyncValue]] {
        lists.mapValues { list in
            var made: [SyncValue] = []
            list.forEachShown { made.append($1.value.value) }
            return made
        }
    }
}
