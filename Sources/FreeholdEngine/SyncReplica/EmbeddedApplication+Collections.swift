/// Lists and maps of embedded objects: the row's elements and entries with what is pending of this file's.
extension EmbeddedApplication {
    // MARK: What is pending within

    /// What is pending of an embedded object and of those that it owns.
    func pending(within object: Int64, _ inner: AppliedClass) throws(FreeholdError) -> [(own: AppliedClass, entry: PendingEntry)] {
        if !application.hasPendingWithin { return [] }
        return try inner.pending.changes(of: object).map { (inner, $0) } + application.ownedEntries(inner, object)
    }

    private func pending(within element: Value, _ property: StoredProperty) throws(FreeholdError)
        -> [(own: AppliedClass, entry: PendingEntry)] {
        if !application.hasPendingWithin { return [] }
        let inner = try inner(property)
        var all: [(own: AppliedClass, entry: PendingEntry)] = []
        for key in element.embeddedKeys { all += try pending(within: key, inner) }
        return all
    }

    // MARK: Lists

    /// The elements of a list within which something is pending, with the last change.
    func changed(within reader: CollectionReader, _ list: ListedIdentities,
                 _ property: StoredProperty) throws(FreeholdError) -> [(identity: SyncIdentity, entry: PendingEntry)] {
        if !application.hasPendingWithin { return [] }
        var found: [(identity: SyncIdentity, entry: PendingEntry)] = []
        for position in 0..<reader.count {
            guard let entry = try pending(within: application.value(reader, position), property).map(\.entry).newest else { continue }
            guard let identity = list.identity(at: position) else { throw ListIdentities.damaged() }
            found.append((identity, entry))
        }
        return found
    }

    /// Makes a list show the elements: those that are here stay the objects that they are.
    func write(_ rebase: ListRebase, _ own: AppliedClass, _ object: Int64, _ column: Int,
               _ reader: CollectionReader) throws(FreeholdError) {
        let property = own.stored.properties[column]
        var old: [Value] = [], made: [Value] = []
        for position in 0..<reader.count { old.append(try application.value(reader, position)) }
        for element in rebase.elements {
            switch element.source {
            case .local(let index): made.append(old[index])
            case .row(let value): made.append(value)
            case .message(let message):
                let index = rebase.local(element.identity).flatMap { old.indices.contains($0) ? $0 : nil }
                made.append(try remade(index.map { old[$0] }, message, property.shape?.inner, of: property, property.name))
            }
        }
        var head = 0, tail = 0
        while head < min(old.count, made.count), made[head].isIdentical(to: old[head]) { head += 1 }
        while tail < min(old.count, made.count) - head, made[made.count - 1 - tail].isIdentical(to: old[old.count - 1 - tail]) { tail += 1 }
        let new = Array(made[head..<made.count - tail]), gone = head + new.count..<old.count - tail + new.count
        let collections = own.writer.collections
        if !new.isEmpty { try collections.change(object, column, .insert(new, at: head), at: []) }
        if !gone.isEmpty { try collections.change(object, column, .remove(gone), at: []) }
        try deleteLost(Array(old[head..<old.count - tail]), new, property)
    }

    // MARK: Maps

    func updateMap(_ own: AppliedClass, _ object: Int64, _ column: Int, _ registers: [SyncRow.Register],
                   _ entries: [PendingEntry]) throws(FreeholdError) {
        let property = own.stored.properties[column]
        guard let place = try own.writer.state.find(object), let shape = property.shape,
              case .map(let old)? = try own.writer.state.collection(place, column)?.value() else { return }
        var pending: [ExactText: [(own: AppliedClass, entry: PendingEntry)]] = [:], made = old, known: Set<ExactText> = []
        for (key, value) in old.sortedByKey { pending[ExactText(key)] = try self.pending(within: value, property) }
        for entry in entries {
            guard case .mapKey(_, let bytes) = entry.what, let key = String(validating: bytes, as: UTF8.self) else { continue }
            pending[ExactText(key), default: []].append((own, entry))
        }
        for register in registers {
            guard case .string(let key) = register.path.key else { continue }
            known.insert(ExactText(key))
            let waiting = pending[ExactText(key)] ?? []
            if let last = waiting.map(\.entry).newest {
                guard application.isLater(register, than: last) else { continue }
                for (own, entry) in waiting { own.pending.remove(entry) }
                note(property.name, .beaten)
            }
            if register.value == .absent {
                made[key] = nil
            } else if shape.takes(element: register.value) {
                made[key] = try remade(old[key], register.value, shape.inner, of: property, property.name)
            } else {
                note(property.name, .unknown)
            }
        }
        for (key, _) in old.sortedByKey where !known.contains(ExactText(key)) {
            if pending[ExactText(key)]?.isEmpty != false { made[key] = nil }
        }
        try replace(old, by: made, own, object, column)
    }

    /// Replaces the entries of a map that differ, and deletes what that lets go.
    private func replace(_ old: TextMap<Value>, by made: TextMap<Value>, _ own: AppliedClass, _ object: Int64,
                         _ column: Int) throws(FreeholdError) {
        let gone = old.sortedByKey.filter { made[$0.key] == nil }
        let new = made.sortedByKey.filter { old[$0.key]?.isIdentical(to: $0.value) != true }
        let collections = own.writer.collections
        if !gone.isEmpty { try collections.change(object, column, .removeKeys(gone.map(\.key)), at: []) }
        if !new.isEmpty { try collections.change(object, column, .put(new.map { ($0.key, $0.value) }), at: []) }
        try deleteLost(gone.map(\.value) + new.compactMap { old[$0.key] }, new.map(\.value), own.stored.properties[column])
    }
}
