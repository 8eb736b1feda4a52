import FreeholdEngine

/// Deletions, creations, and whether the contents of a change are for the object that is there.
extension Merge {
    /// Applies deletion and creation. Whether there is an object that the contents are for.
    mutating func admit(_ change: SyncChange, _ place: Int) throws(FreeholdError) -> Bool {
        let object = change.object
        if !shortcuts.contains(.ignoresRights), let row = rows[place], row.isAlive,
           try !store.sight(of: object, by: context.user).sees {
            void(change, .notVisible)
            return false
        }
        if let entry = change.deleted, !isApplied(entry) { try delete(object, place, entry) }
        if let entry = change.created, !isApplied(entry) {
            // Who may not change an object that is there does not join its creation either: that would be a change.
            if rows[place]?.isAlive == true, try !allows(.change, place) {
                reject(object, .creation, entry, .notAllowed)
                void(change, .notAllowed)
                return false
            }
            create(object, place, entry)
        }
        if let row = rows[place], !row.isAlive, schema[object].conflict == .updateWins, hasContents(change) { try revive(object, place) }
        guard let row = rows[place], row.isAlive, try meansThisLife(object, row) else {
            void(change, .deleted)
            return false
        }
        if asked.created[place] == nil, try !allows(.change, place) {
            void(change, .notAllowed)
            return false
        }
        if !row.births.contains(where: isSelf) { observer?.willApply(to: object, birth: row.birth) }
        return true
    }

    private func hasContents(_ change: SyncChange) -> Bool {
        change.registers.contains { !isApplied($0.entry) } || change.members.contains { !isApplied($0.entry) }
            || change.elements.contains { !isApplied($0.entry) }
            || change.sums.contains { !context.isApplied($0.replica, $0.epoch, shortcuts) }
    }

    /// Whether the writer had this life of the object, or has created it.
    private func meansThisLife(_ object: SyncObject, _ row: StoredRow) throws(FreeholdError) -> Bool {
        if shortcuts.contains(.mixesLives) || row.births.contains(where: isSelf) { return true }
        return try hasSeen(object, row.birth)
    }

    private mutating func delete(_ object: SyncObject, _ place: Int, _ entry: SyncEntry) throws(FreeholdError) {
        observer?.note(entry.trace, .won)
        guard var row = rows[place], row.isAlive, try meansThisLife(object, row) else { return }
        guard try allows(.deletion, place) else {
            observer?.set(entry.trace, .refused)
            return reject(object, .deletion, entry, .notAllowed)
        }
        let updateWins = schema[object].conflict == .updateWins
        if updateWins, try !knowsAll(object, row) {
            observer?.set(entry.trace, .beaten)
            return
        }
        rows[place] = nil
        row.isAlive = false
        row.death = (context.transaction, context.numbers[Int(entry.replica)])
        row.note(context.writer, context.transaction)
        if let observer { row.forEachTrace { observer.set($0, .overwritten) } }
        if !updateWins {
            row.wipe()
            observer?.wiped(object)
        }
        rows[place] = row
    }

    private func knowsAll(_ object: SyncObject, _ row: StoredRow) throws(FreeholdError) -> Bool {
        for (replica, transaction) in row.changed.pairs where try !knows(object, transaction, by: replica) { return false }
        return true
    }

    /// A creation that meets a deleted object begins a new life; one that meets another creation joins it.
    private mutating func create(_ object: SyncObject, _ place: Int, _ entry: SyncEntry) {
        observer?.note(entry.trace, .won)
        if rows[place]?.isAlive != true {
            asked.created[place] = .some(rows[place])
            asked.createdObjects.insert(object)
            rows[place] = StoredRow(transaction: context.transaction, propertyCount: schema[object].properties.count)
            observer?.wiped(object)
        }
        let creator = context.numbers[Int(entry.replica)]
        if !rows[place]!.births.contains(creator) { rows[place]!.births.append(creator) }
        if !rows[place]!.births.contains(context.writer) { rows[place]!.births.append(context.writer) }
        rows[place]!.note(context.writer, context.transaction)
    }

    /// A change that did not know of the deletion ends it, if the class says so.
    private mutating func revive(_ object: SyncObject, _ place: Int) throws(FreeholdError) {
        let row = rows[place]!
        guard try !knows(object, row.death.transaction, by: row.death.replica), try meansThisLife(object, row) else { return }
        // Who had ceased to see it before cannot bring it back.
        let sight = try store.sight(of: object, by: context.user)
        guard shortcuts.contains(.ignoresRights) || sight.wasSeen(until: row.death.transaction), try allows(.change, place) else { return }
        rows[place]!.isAlive = true
        rows[place]!.note(context.writer, context.transaction)
        guard !shortcuts.contains(.ignoresUniqueOfRevived) else { return }
        for property in schema[object].uniqueProperties where !row.value(of: property).isNull { claimed.append((place, property)) }
    }

    /// Refuses what a change holds: there is no object that it is for.
    mutating func void(_ change: SyncChange, _ reason: SyncRejection.Reason) {
        let object = change.object
        if reason == .notVisible {
            if let entry = change.deleted, !isApplied(entry) { reject(object, .deletion, entry, reason) }
            if let entry = change.created, !isApplied(entry) { reject(object, .creation, entry, reason) }
        }
        for one in change.registers where !isApplied(one.entry) { reject(object, .register(context.stored(one.path)), one.entry, reason) }
        for one in change.members where !isApplied(one.entry) {
            reject(object, .member(property: one.property, element: context.stored(one.element)), one.entry, reason)
        }
        for one in change.elements where !isApplied(one.entry) {
            reject(object, .element(property: one.property, element: context.stored(one.element), act: one.act), one.entry, reason)
        }
        for sum in change.sums where !context.isApplied(sum.replica, sum.epoch, shortcuts) {
            observer?.counted(object, sum.trace, .void)
            let entry = SyncEntry(stamp: .none, epoch: sum.epoch, replica: sum.replica)
            reject(object, .counter(property: sum.property), entry, reason)
        }
    }
}

extension StoredRow {
    /// Writes that a deletion ends: for a judge.
    fileprivate func forEachTrace(_ body: (UInt32) -> Void) {
        for register in registers where register.isWritten { body(register.trace) }
        for register in entries.values { body(register.trace) }
        for list in lists.values {
            for element in list.elements.values { body(element.value.trace) }
        }
    }
}
