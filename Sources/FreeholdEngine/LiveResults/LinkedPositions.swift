extension CollectionReader {
    /// The ascending positions of elements that are, or hold, a link to one of the given objects.
    ///
    /// A set is searched. A long list is first checked for any of the objects, if they are few; otherwise all elements
    /// are read.
    ///
    /// - Parameter targets: the linked objects; classes of links in mixed values are given as table numbers.
    func positions(linkingTo targets: Set<LinkTarget>, _ schema: StoredSchema) throws(FreeholdError) -> [Int] {
        if targets.isEmpty || count == 0 { return [] }
        var positions: [Int] = []
        if shape.isPlain, shape.kind == .set, shape.type == .link, targets.count < count / 8 {
            for target in targets {
                if let position = try firstPosition(linkingTo: target, from: 0) { positions.append(position) }
            }
            return positions.sorted()
        }
        if try !mayLink(to: targets) { return [] }
        if shape.isPlain, shape.kind != .map, shape.type == .link { return try self.positions(ofKeys: Set(targets.map(\.key))) }
        for position in 0..<count {
            var isMeant = false
            func note(_ target: LinkTarget) { isMeant = isMeant || targets.contains(target.atItsTable(schema)) }
            if shape.isPlain { try value(at: position).forEachLink(note) } else {
                try inner(at: position).forEachLink { target throws(FreeholdError) in
                    note(target)
                    return !isMeant
                }
            }
            if isMeant { positions.append(position) }
        }
        return positions
    }

    /// False if it is known that there is no link to any of the targets.
    private func mayLink(to targets: Set<LinkTarget>) throws(FreeholdError) -> Bool {
        guard let occurrences, shape.type == .link, targets.count < 64 else { return true }
        for target in targets where try occurrences.contains(target) { return true }
        return false
    }

    private func positions(ofKeys keys: Set<Int64>) throws(FreeholdError) -> [Int] {
        var positions: [Int] = [], position = 0
        do {
            try forEachInteger { key in
                if keys.contains(key) { positions.append(position) }
                position += 1
            }
        } catch let error as FreeholdError { throw error } catch { throw FreeholdError(.corrupt, "\(error)", path: access.path) }
        return positions
    }

    /// The objects that the links lead to, in order and with duplicates.
    func linkedKeys() throws(FreeholdError) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        if shape.isPlain, shape.kind == .map {
            // In key order: the values of a short map are not stored in that order.
            try forEach(in: 0..<count) { value throws(FreeholdError) in
                value.forEachLink { keys.append(ObjectKey($0.key)) }
                return true
            }
            return keys
        }
        try forEachLink { target throws(FreeholdError) in
            keys.append(ObjectKey(target.key))
            return true
        }
        return keys
    }
}

extension LinkTarget {
    /// The target with the number of the object's table in place of the number of its class.
    fileprivate func atItsTable(_ schema: StoredSchema) -> LinkTarget {
        guard classNumber != Self.declared, schema.tables.indices.contains(classNumber) else { return self }
        return LinkTarget(ObjectReference(classNumber: schema.tables[classNumber], key: ObjectKey(key)))
    }
}
