/// Sets and maps: the row's with the pending members and keys.
extension AnswerApplication {
    /// Additions by others that a pending removal did not know of stay.
    func updateSet(_ own: AppliedClass, _ object: Int64, _ column: Int, _ members: [SyncRow.Member],
                   _ entries: [PendingEntry]) throws(FreeholdError) {
        guard let place = try own.writer.state.find(object), let reader = try own.writer.state.collection(place, column) else { return }
        let property = own.stored.properties[column], key = ByteBuffer()
        var pending: [[UInt8]: PendingEntry] = [:]
        for entry in entries { if case .member(_, let bytes) = entry.what { pending[bytes] = entry } }
        var known: Set<[UInt8]> = [], additions: [Value] = [], removals: [Value] = []
        for member in members {
            guard let value = try value(member.element, of: property) else {
                try refuse(own, object, property)
                continue
            }
            // The object that a member links to is not here.
            if value == .null, member.element != .null { continue }
            key.setIndexKey(value, of: property.type)
            let bytes = key.array, (position, isHere) = try reader.search(value)
            known.insert(bytes)
            if isHere {
                // 1.00 is sent as 1, and -0 as 0: all files have the member as the server does.
                let isSame = try reader.value(at: position).isIdentical(to: value)
                if isSame || pending[bytes] != nil { continue }
                removals.append(value)
            } else if let entry = pending[bytes] {
                guard member.isFresh else { continue }
                own.pending.remove(entry)
            }
            additions.append(value)
        }
        for position in 0..<reader.count {
            let value = try reader.value(at: position)
            key.setIndexKey(value, of: property.type)
            if !known.contains(key.array), pending[key.array] == nil, !value.hasReference(where: isUnsynced) { removals.append(value) }
        }
        if !removals.isEmpty { try change(own, object, column, .discard(removals)) }
        try changeEach(own, object, column, additions) { .add($0) }
    }

    func updateMap(_ own: AppliedClass, _ object: Int64, _ column: Int, _ registers: [SyncRow.Register],
                   _ entries: [PendingEntry]) throws(FreeholdError) {
        guard let place = try own.writer.state.find(object), let reader = try own.writer.state.collection(place, column) else { return }
        let property = own.stored.properties[column]
        var pending: [ExactText: PendingEntry] = [:]
        for entry in entries {
            guard case .mapKey(_, let bytes) = entry.what, let key = String(validating: bytes, as: UTF8.self) else { continue }
            pending[ExactText(key)] = entry
        }
        var known: Set<ExactText> = [], values: [(String, Value)] = [], removals: [String] = []
        for register in registers {
            guard case .string(let key) = register.path.key else { continue }
            if let entry = pending[ExactText(key)] {
                guard isLater(register, than: entry) else { continue }
                own.pending.remove(entry)
                note(own, try own.primaryKey(of: object), property.name, .beaten)
                pending[ExactText(key)] = nil
            }
            if register.value == .absent { continue }
            known.insert(key)
            guard let value = try value(register.value, of: property) else {
                try refuse(own, object, property)
                continue
            }
            let (position, isFound) = try reader.search(key: key)
            if isFound, try isSame(self.value(reader, position), value, property) { continue }
            values.append((key, value))
        }
        for position in 0..<reader.count {
            let key = try reader.key(at: position)
            if !known.contains(key), pending[ExactText(key)] == nil { removals.append(key) }
        }
        if !removals.isEmpty { try change(own, object, column, .removeKeys(removals)) }
        try changeEach(own, object, column, values) { .put($0) }
    }

    func value(_ reader: CollectionReader, _ position: Int) throws(FreeholdError) -> Value {
        reader.shape.inner == nil ? try reader.value(at: position) : try reader.inner(at: position).value()
    }

    /// Changes a collection by all parts at once; where one is refused, each by itself.
    private func changeEach<Part>(_ own: AppliedClass, _ object: Int64, _ column: Int, _ parts: [Part],
                                  _ change: ([Part]) -> CollectionChange) throws(FreeholdError) {
        if parts.isEmpty { return }
        if parts.count > 1, try self.change(own, object, column, change(parts), isReported: false) { return }
        for part in parts { try self.change(own, object, column, change([part])) }
    }

    /// Changes a collection. False if a value is refused, which is reported: then nothing is changed.
    @discardableResult
    func change(_ own: AppliedClass, _ object: Int64, _ column: Int, _ change: CollectionChange,
                isReported: Bool = true) throws(FreeholdError) -> Bool {
        let place = own.stored.column(column)
        let writer = CollectionWriter(transaction: transaction, table: own.objects, key: ObjectKey(object), column: place)
        do throws(FreeholdError) {
            try writer.change(change)
            return true
        } catch {
            guard error.isOfValue else { throw error }
            if isReported { try refuse(own, object, own.stored.properties[column]) }
            return false
        }
    }
}
