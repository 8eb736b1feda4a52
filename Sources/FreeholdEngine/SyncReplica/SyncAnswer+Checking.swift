/// What an answer has to keep to before it is applied. Decoded bytes may be forged, too: their numbers are in their own tables, no more.
///
/// 1. Classes, properties within one, and objects are named once.
/// 2. Numbers of classes, properties and replicas are in the answer's tables.
/// 3. An identity is given once: to one embedded object, or to one element or position of a list. Of the file's own replica there is none
///    that it has not given.
/// 4. Maps that are one value have each key once, in the order of bytes, and values have no more levels than a message can have.
extension SyncAnswer {
    /// - Returns: the latest stamp of a value.
    /// - Throws: `.malformedInput`.
    func requireSound(for body: SyncBody) throws(FreeholdError) -> SyncStamp {
        guard hasDistinctNames else { throw malformed("names a class or property twice") }
        let gone = Set(gone.map(\.object)), mine = replicas.firstIndex(of: body.replica)
        guard gone.count == self.gone.count else { throw malformed("names an object twice") }
        var embedded: Set<SyncIdentity> = [], latest = SyncStamp.none, last: SyncObject?, isInOrder = true
        try storedRows.forEach { row throws(FreeholdError) in
            if gone.contains(row.object) || row.object == last { throw malformed("names an object twice") }
            if let last, row.object < last { isInOrder = false }
            last = row.object
            try requireSound(row, mine: mine, of: body)
            for register in row.registers {
                latest = max(latest, register.stamp)
                guard case .embedded(let identity) = register.value else { continue }
                if !embedded.insert(identity).inserted { throw malformed("has an embedded object twice") }
            }
        }
        // A server names objects in their order, so that they need not all be remembered.
        if try isInOrder ? false : !hasDistinctRows() { throw malformed("names an object twice") }
        return latest
    }

    private func hasDistinctRows() throws(FreeholdError) -> Bool {
        var known = Set<SyncObject>(minimumCapacity: storedRows.count), areDistinct = true
        try storedRows.forEach { row in if !known.insert(row.object).inserted { areDistinct = false } }
        return areDistinct
    }

    private func requireSound(_ row: SyncRow, mine: Int?, of body: SyncBody) throws(FreeholdError) {
        guard let count = names.propertyCount(of: row.object.type), row.isInside(properties: count, replicas: replicas.count) else {
            throw malformed("has a number that it does not explain")
        }
        guard row.hasWellFormedValues else { throw malformed("has a map with a key twice or in another order, or too many levels") }
        guard row.lists.allSatisfy(\.hasDistinctElements) else { throw malformed("has an element of a list twice") }
        guard let mine else { return }
        let isGiven = row.hasIdentities { $0.replica != mine || $0.count <= body.identities }
        if !isGiven { throw malformed("has an identity that this file is to have given, and has not") }
    }

    private func malformed(_ what: String) -> FreeholdError {
        FreeholdError(.malformedInput, "the server's answer to replica \(replica) \(what); nothing of it is applied")
    }

    private var hasDistinctNames: Bool {
        let classes = Set(names.classes.map { ExactText($0.name) })
        return classes.count == names.classes.count && names.classes.allSatisfy { entry in
            Set(entry.properties.map { ExactText($0) }).count == entry.properties.count
        }
    }
}

extension SyncRow.List {
    fileprivate var hasDistinctElements: Bool {
        var identities = Set<SyncIdentity>(minimumCapacity: elements.count), positions = Set<SyncIdentity>(minimumCapacity: elements.count)
        return elements.allSatisfy { identities.insert($0.identity).inserted && positions.insert($0.position).inserted }
    }
}

extension SyncRow {
    fileprivate func isInside(properties: Int, replicas: Int) -> Bool {
        let isProperty = { (number: Int32) in number >= 0 && Int(number) < properties }
        return registers.allSatisfy { isProperty($0.path.property) && Int($0.replica) < replicas }
            && counters.allSatisfy { isProperty($0.property) } && members.allSatisfy { isProperty($0.property) }
            && lists.allSatisfy { isProperty($0.property) }
    }

    fileprivate var hasWellFormedValues: Bool {
        registers.allSatisfy { $0.value.isWellFormed() } && members.allSatisfy { $0.element.isWellFormed() }
            && lists.allSatisfy { $0.elements.allSatisfy { $0.value.isWellFormed() } }
    }

    /// Whether all identities of embedded objects, elements and positions are such.
    fileprivate func hasIdentities(_ isMeant: (SyncIdentity) -> Bool) -> Bool {
        for case .embedded(let identity) in registers.lazy.map(\.value) where !isMeant(identity) { return false }
        return lists.allSatisfy { $0.elements.allSatisfy { isMeant($0.identity) && isMeant($0.position) } }
    }
}
