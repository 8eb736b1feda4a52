import FreeholdEngine

/// Unique values, and who sees what afterwards.
extension Merge {
    /// The first that has reached the server keeps a value; a later one becomes null, and its writer receives the reason.
    mutating func keepUnique() throws(FreeholdError) {
        guard !claimed.isEmpty, !shortcuts.contains(.ignoresUnique) else { return }
        let changes = context.push.changes
        var seen: Set<UniqueValue> = []
        for (place, property) in claimed {
            guard let row = rows[place], row.isAlive, !row.value(of: property).isNull else { continue }
            let type = changes[place].object.type, value = row.value(of: property)
            guard seen.insert(UniqueValue(type: type, property: property, value: value)).inserted else { continue }
            let holders = changes.indices.filter {
                changes[$0].object.type == type && rows[$0]?.isAlive == true && rows[$0]!.value(of: property) == value
            }
            let setters = holders.filter { holder in claimed.contains { $0 == (holder, property) } }
            var hasElder = setters.count < holders.count
            if !hasElder { hasElder = try !store.holders(of: value, property: property, type: type).isEmpty }
            let keeps = hasElder ? nil : setters.min { changes[$0].object < changes[$1].object }
            for setter in setters where setter != keeps { takeValue(of: setter, property) }
        }
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

    /// Materialises who has begun or ceased to see what.
    func noteViews() throws(FreeholdError) {
        let changes = context.push.changes
        var upkeep = ViewUpkeep(store: store, transaction: context.transaction)
        for place in changes.indices {
            let after = rows[place].flatMap { $0.isAlive ? streams.audience(of: changes[place].object, $0) : nil }
            try upkeep.change(changes[place].object, from: audiences[place], to: after)
        }
        try upkeep.finish()
    }
}
