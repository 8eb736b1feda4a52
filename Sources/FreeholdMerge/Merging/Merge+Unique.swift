import FreeholdEngine

/// Unique values, and who sees what afterwards.
extension Merge {
    /// The first that has reached the server keeps a value; a later one becomes null, and its writer receives the reason.
    mutating func keepUnique() throws(FreeholdError) {
        guard !claimed.isEmpty, !shortcuts.contains(.ignoresUnique) else { return }
        let changes = context.push.changes, batchHolders = self.batchHolders()
        var seen: Set<UniqueValue> = []
        for (place, property) in claimed {
            guard let value = uniqueValue(of: place, property), seen.insert(value).inserted else { continue }
            let holders = batchHolders[value] ?? [], setters = holders.filter(\.isSetter)
            var hasElder = setters.count < holders.count
            if !hasElder { hasElder = try !store.holders(of: value.value, property: property, type: value.type).isEmpty }
            let keeps = hasElder ? nil : setters.map(\.place).min { changes[$0].object < changes[$1].object }
            for setter in setters where setter.place != keeps { takeValue(of: setter.place, property) }
        }
    }

    /// What a living row of the batch has of a unique property, unless null.
    private func uniqueValue(of place: Int, _ property: Int32) -> UniqueValue? {
        guard let row = rows[place], row.isAlive else { return nil }
        let value = row.value(of: property)
        return value.isNull ? nil : UniqueValue(type: context.push.changes[place].object.type, property: property, value: value)
    }

    /// Which rows of the batch have a unique value, in their order, and whether the batch has set it.
    private func batchHolders() -> [UniqueValue: [Holder]] {
        var setters: [Int32: Set<Int>] = [:]
        for (place, property) in claimed { setters[property, default: []].insert(place) }
        var found: [UniqueValue: [Holder]] = [:]
        for place in context.push.changes.indices {
            for property in schema[context.push.changes[place].object].uniqueProperties {
                guard let value = uniqueValue(of: place, property) else { continue }
                found[value, default: []].append(Holder(place: place, isSetter: setters[property]?.contains(place) == true))
            }
        }
        return found
    }

    private struct Holder {
        let place: Int
        let isSetter: Bool
    }

    private struct UniqueValue: Hashable {
        let type: Int32
        let property: Int32
        let value: SyncValue
    }

    private mutating func takeValue(of place: Int, _ property: Int32) {
        var register = rows[place]!.registers[Int(property)]
        register.value = .null
        register.transaction = context.transaction
        rows[place]!.registers[Int(property)] = register
        rows[place]!.note(context.writer, context.transaction)
        observer?.set(register.trace, .refused)
        let entry = SyncEntry(stamp: register.stamp, epoch: register.epoch, replica: register.replica, trace: register.trace)
        let path = SyncPath(property: property)
        let rejection = SyncRejection(object: context.push.changes[place].object, place: .register(path), reason: .notUnique, entry: entry)
        ledger.rejections.append((context.transaction, rejection))
    }

    /// Who sees an object by what the batch has made of it so far; nil if it is not alive.
    func audience(_ place: Int) throws(FreeholdError) -> SyncAudience? {
        guard let row = rows[place], row.isAlive else { return nil }
        return try streams.audience(of: context.push.changes[place].object, row)
    }

    /// Materialises who has begun or ceased to see what.
    func noteViews() throws(FreeholdError) {
        let changes = context.push.changes
        var upkeep = ViewUpkeep(store: store, streams: streams, transaction: context.transaction)
        for place in changes.indices {
            upkeep.change(changes[place].object, from: audiences[place], to: try audience(place))
        }
        try upkeep.finish()
    }
}
