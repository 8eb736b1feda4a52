/// Objects that come and go.
extension AnswerApplication {
    /// Another has deleted the object, or it has left what the user sees. What is pending of it is dropped, and reported.
    func remove(_ own: AppliedClass, _ key: SyncKey, _ reason: SyncAnswer.Leaving) throws(FreeholdError) {
        let found = try own.find(key), creation = try found.flatMap { object throws(FreeholdError) in try own.pending.creation(of: object) }
        let deletion = try own.deletion(key)
        if let deletion {
            // Deleted here, too: nothing is left to say.
            own.pending.remove(deletion.entry)
            own.pending.removeDeletion(primaryKey: deletion.indexKey, of: deletion.entry.key)
        }
        // Created here, and not sent yet: the object stays.
        guard let object = found, creation == nil else { return }
        let entries = try own.pending.changes(of: object).filter { $0.what != .deleted }, sums = try own.pending.sums(of: object)
        let inner = try ownedEntries(own, object)
        if reason == .deleted, own.updateWins, !entries.isEmpty || !inner.isEmpty { return try createAgain(own, object, entries, sums) }
        if reason == .left, cleared.creation(of: object, in: own.table) != nil { note(own, key.value, nil, .notVisible) }
        try dropPending(own, object, key, reason == .deleted ? .deleted : .notVisible)
        try delete(own, object)
    }

    /// Drops what is pending of an object, but for its creation and deletion, and reports it.
    private func dropPending(_ own: AppliedClass, _ object: Int64, _ key: SyncKey, _ reason: SyncReport.Reason) throws(FreeholdError) {
        let entries = try own.pending.changes(of: object).filter { $0.what != .deleted }, sums = try own.pending.sums(of: object)
        noteAll(own, key.value, entries, sums, reason)
        for entry in entries { own.pending.remove(entry) }
        for sum in sums { own.pending.remove(sum) }
        for (own, entry) in try ownedEntries(own, object) { own.pending.remove(entry) }
    }

    private func isOfOtherClass(_ own: AppliedClass, _ object: Int64, _ row: SyncRow) throws(FreeholdError) -> Bool {
        guard own.stored.family != nil, let place = try own.writer.state.find(object) else { return false }
        return try !own.writer.state.className(place).isSame(as: className(of: row, own))
    }

    /// The class of a row's object: one that extends the class that is synced, or that itself.
    private func className(of row: SyncRow, _ own: AppliedClass) -> String {
        let schema = transaction.schema
        guard let subclass = own.subclass, case .string(let text)? = row.registers.first(where: { $0.path.property == subclass })?.value,
              let heir = schema.find(text), schema.table(of: Int(heir.number)) == own.table else { return own.stored.name }
        return heir.name
    }

    /// What a reset does not name is not there. Pending deletions stay: the object may have reached the server after its snapshot.
    func removeUnnamed() throws(FreeholdError) {
        // Of a class that the server does not have it says nothing.
        for own in classes.compactMap(\.self) where own.objects.count > 0 {
            var named: Set<SyncKey> = []
            try answer.storedRows.forEach { row in if self.own(row.object) === own { named.insert(row.object.key) } }
            for one in answer.gone where self.own(one.object) === own { named.insert(one.object.key) }
            var unnamed: [SyncKey] = []
            for object in try own.objects.keys() {
                guard let key = SyncKey(try own.primaryKey(of: object.rawValue)), !named.contains(key) else { continue }
                unnamed.append(key)
            }
            for key in unnamed { try remove(own, key, .left) }
        }
    }

    /// The object was changed here and deleted elsewhere, and its class says that changes win: it is created anew, whole, since the next
    /// batch's cursor will say that this file knew of the deletion.
    private func createAgain(_ own: AppliedClass, _ object: Int64, _ entries: [PendingEntry], _ sums: [PendingSum]) throws(FreeholdError) {
        for entry in entries { own.pending.remove(entry) }
        // What has changed within embedded objects is created with them.
        for (inner, entry) in try ownedEntries(own, object) { inner.pending.remove(entry) }
        own.pending.insert(PendingEntry(key: object, what: .created(through: object), stamp: now(), origin: origin))
        // The increments of others have gone with the deleted object.
        for (column, property) in own.stored.properties.enumerated() where own.stored.isCounter(column) {
            try set(own, object, column, to: .int(sums.total(of: property.number)))
        }
        try own.pending.write()
        report.changedObjects += 1
    }

    /// The object that a row is of: the one that is there, or a new one; nil if it was deleted here and stays so.
    func revive(_ own: AppliedClass, _ row: SyncRow) throws(FreeholdError) -> RevivedObject? {
        let key = row.object.key, found = try own.find(key)
        let creation = try found.flatMap { object throws(FreeholdError) in try own.pending.creation(of: object) }
        if let deletion = try own.deletion(key) {
            // The next batch's cursor says that this file knows the row: what is pending has to mean the same then.
            let isUpdated = row.isBorn || (own.updateWins && row.hasOthers && creation == nil)
            guard isUpdated else { return nil }
            note(own, key.value, nil, .updated)
            own.pending.remove(deletion.entry)
            own.pending.removeDeletion(primaryKey: deletion.indexKey, of: deletion.entry.key)
            try own.pending.write()
        }
        guard let object = found else { return try insert(own, row) }
        if try isOfOtherClass(own, object, row) {
            // Made anew, or by two devices: the server says of which class it is.
            try dropPending(own, object, key, .beaten)
            if let creation {
                note(own, key.value, nil, .beaten)
                try own.pending.removeCreation(of: object, from: creation)
            }
            try delete(own, object)
            return try insert(own, row)
        }
        if let creation {
            try becomeChanges(own, object, creation)
            // The server knows of the object now, and nothing pending of it says later that others can link to it.
            try showLinks(to: object, own, key)
        }
        return RevivedObject(key: object)
    }

    /// The object is there at the server: its creation becomes changes of all that it holds.
    private func becomeChanges(_ own: AppliedClass, _ object: Int64, _ creation: PendingEntry) throws(FreeholdError) {
        try own.pending.removeCreation(of: object, from: creation)
        let known = try own.pending.changes(of: object)
        guard let place = try own.writer.state.find(object) else { return }
        func note(_ what: PendingEntry.What) {
            if known.contains(where: { $0.what == what }) { return }
            own.pending.insert(PendingEntry(key: object, what: what, stamp: creation.stamp, origin: creation.origin))
        }
        let key = ByteBuffer()
        for (column, property) in own.stored.properties.enumerated()
        where !property.isClass && column != own.stored.primaryKey && !own.stored.isCounter(column) {
            guard try own.writer.state.has(place, column) else { continue }
            guard let shape = property.shape, let reader = try own.writer.state.collection(place, column) else {
                var isSet = try !own.writer.state.value(place, column).isIdentical(to: property.initialValue)
                if !isSet, property.isSingleLink { isSet = try absent.target(of: object, own.table, column) != nil }
                if isSet { note(.property(property.number)) }
                continue
            }
            if shape.kind == .list {
                try becomeInsertions(own, object, column, reader, known, creation)
                continue
            }
            for position in 0..<reader.count {
                switch shape.kind {
                case .set:
                    key.setIndexKey(try reader.value(at: position), of: property.type)
                    note(.member(property.number, key.array))
                case .map: note(.mapKey(property.number, Array(try reader.key(at: position).utf8)))
                case .list: break
                }
            }
        }
        try own.pending.write()
    }

    private func becomeInsertions(_ own: AppliedClass, _ object: Int64, _ column: Int, _ list: CollectionReader, _ known: [PendingEntry],
                                  _ creation: PendingEntry) throws(FreeholdError) {
        let reader = own.identities, property = own.stored.properties[column]
        var elements = PendingElements(known.filter { $0.property == property.number })
        let before = elements.changes.count
        let ages = try PositionAges(body) { replica throws(FreeholdError) in try reader.number(of: replica) }
        elements.addCreation(try runs(own, object, column, list).runs, creation, ages)
        for (change, _) in elements.changes[before...] {
            let what = PendingEntry.What.element(property.number, change)
            own.pending.insert(PendingEntry(key: object, what: what, stamp: creation.stamp, origin: creation.origin))
        }
    }

    private func insert(_ own: AppliedClass, _ row: SyncRow) throws(FreeholdError) -> RevivedObject? {
        guard let column = own.stored.primaryKey, row.object.key.fits(own.stored.properties[column].type) else {
            note(own, row.object.key.value, nil, .unknown)
            return nil
        }
        let table = try transaction.table(className(of: row, own)), key = row.object.key.value
        // At once: the row may be in a cluster when its values are set one by one.
        if let values = try values(of: row, own, table) {
            do throws(FreeholdError) {
                let object = try transaction.insert(into: table, primaryKey: key, values: values).rawValue
                try showLinks(to: object, own, row.object.key)
                return RevivedObject(key: object, isNew: true, isFilled: true)
            } catch {
                // A value is refused by itself, and reported.
                guard error.isOfValue else { throw error }
            }
        }
        let object = try transaction.insert(into: table, primaryKey: key, values: table.initialValues).rawValue
        try showLinks(to: object, own, row.object.key)
        return RevivedObject(key: object, isNew: true)
    }

    /// The values of a new object as a row has them, those that do not stand alone as they are from the start; nil if the object cannot
    /// have one of them.
    private func values(of row: SyncRow, _ own: AppliedClass, _ table: Table) throws(FreeholdError) -> [Value]? {
        var values = table.initialValues
        let columns = own.stored.family == nil ? nil : own.stored.columns(of: table.number)
        func place(_ number: Int32, isCounter: Bool) -> Int? {
            guard own.columns.indices.contains(Int(number)), let column = own.columns[Int(number)], own.standsAlone[column],
                  own.stored.isCounter(column) == isCounter else { return nil }
            return columns.map { $0.firstIndex(of: column) } ?? column
        }
        for register in row.registers where register.path.key.isNull && register.path.instance == .none {
            guard let place = place(register.path.property, isCounter: false) else { continue }
            guard let value = try value(register.value, of: own.stored.properties[columns?[place] ?? place]) else { return nil }
            values[place] = value
        }
        for counter in row.counters { if let place = place(counter.property, isCounter: true) { values[place] = .int(counter.sum) } }
        return values
    }

    /// Links that were null because the object was not here show again. One that a program has changed meanwhile is forgotten.
    func showLinks(to object: Int64, _ own: AppliedClass, _ key: SyncKey) throws(FreeholdError) {
        for (number, link) in try absent.take(target: own.table, key) {
            let source = try table(number)
            guard let column = source.stored.column(numbered: link.property),
                  let place = try source.writer.state.find(link.object), try source.writer.state.has(place, column),
                  try source.writer.state.value(place, column) == .null else { continue }
            try set(source, link.object, column, to: source.stored.properties[column].link(to: object, own.table))
        }
    }

    /// Deletes an object that is gone elsewhere, with what it embeds. No rule holds: what else its deletion has taken along is named by
    /// itself. Links to it are noted, for the case that it comes again.
    private func delete(_ own: AppliedClass, _ object: Int64) throws(FreeholdError) {
        let key = try own.primaryKey(of: object)
        try noteCuts(own, object)
        try transaction.sync.delete(object, own.table) { source, link, column throws(FreeholdError) in
            guard let target = SyncKey(key) else { return }
            try self.absent.insert(source, link, column, target: own.table, target)
        }
        try absent.removeAll(of: object, own.table)
        report.changedObjects += 1
    }
}

extension [PendingSum] {
    /// The sum of all epochs of a property.
    func total(of property: UInt32) -> Int64 {
        // Safe: counters are sums modulo 2⁶⁴ on every device.
        reduce(0) { $1.property == property ? $0 &+ $1.amount : $0 }
    }
}
