import FreeholdEngine

/// What the user may do, asked of the rows as they were before the batch. An object that the batch creates is asked about when the
/// batch has said all of it.
extension Merge {
    /// What rights are asked of.
    struct Asked {
        /// The rows as they were before the batch; none where nobody's rights are asked.
        var originals: [StoredRow?] = []
        /// Places of objects that the batch creates, with the row that was there then, deleted or none.
        var created: [Int: StoredRow?] = [:]
        /// These objects.
        var createdObjects: Set<SyncObject> = []
        /// What the user may set, as far as it was asked.
        var settable: [Setting: Bool] = [:]
    }

    /// A property of one of the batch's objects.
    struct Setting: Hashable {
        let place: Int
        let property: Int32
    }

    func allows(_ act: SyncAct, _ place: Int) throws(FreeholdError) -> Bool {
        guard !asked.originals.isEmpty, let row = asked.originals[place] else { return true }
        return try streams.allows(act, of: context.push.changes[place].object, row, by: context.user)
    }

    /// Why a property may not be set so; nil if it may.
    mutating func refusal(of property: Int32, _ value: SyncValue, _ place: Int) throws(FreeholdError) -> SyncRejection.Reason? {
        if shortcuts.contains(.ignoresRights) { return nil }
        if asked.created[place] == nil {
            let setting = Setting(place: place, property: property)
            let allowed = if let known = asked.settable[setting] { known } else { try allows(.setting(property), place) }
            asked.settable[setting] = allowed
            if !allowed { return .notAllowed }
        }
        return try showsMore(value, property, context.push.changes[place].object.type) ? .notVisible : nil
    }

    /// Whether a value links to what the user does not see, by a property whose links a stream follows: it would be seen by that.
    private func showsMore(_ value: SyncValue, _ property: Int32, _ type: Int32) throws(FreeholdError) -> Bool {
        guard !shortcuts.contains(.showsWhatIsLinked), streams.follows(property, of: type) else { return false }
        var targets: [SyncObject] = []
        value.forEachLink { targets.append($0) }
        for target in targets where !asked.createdObjects.contains(target) {
            if try !store.sight(of: target, by: context.user).sees { return true }
        }
        return false
    }

    // MARK: Creations

    /// Asks about objects that the batch has created: about their properties first, then about what is left.
    mutating func checkCreations(_ admitted: [Int]) throws(FreeholdError) {
        if asked.originals.isEmpty { return }
        var refused: Set<SyncObject> = []
        for place in admitted where asked.created[place] != nil {
            let change = context.push.changes[place], row = rows[place]!
            for property in change.properties where try !streams.allows(.setting(property), of: change.object, row, by: context.user) {
                withdraw(property, place, .notAllowed)
            }
            if try streams.allows(.creation, of: change.object, rows[place]!, by: context.user) { continue }
            if let entry = change.created {
                observer?.set(entry.trace, .refused)
                reject(change.object, .creation, entry, .notAllowed)
            }
            void(change, .notAllowed)
            rows[place] = asked.created[place]!
            refused.insert(change.object)
        }
        if !refused.isEmpty { withdrawLinks(to: refused, admitted) }
    }

    /// What is not created is not there to be followed to: another user may create it later.
    private mutating func withdrawLinks(to refused: Set<SyncObject>, _ admitted: [Int]) {
        for place in admitted where !refused.contains(context.push.changes[place].object) {
            let change = context.push.changes[place]
            for property in change.properties where streams.follows(property, of: change.object.type) {
                if change.links(of: property).contains(where: refused.contains) { withdraw(property, place, .notVisible) }
            }
        }
    }

    /// A property is what it was before the batch, with all that it embeds; what the batch says of it is refused.
    private mutating func withdraw(_ property: Int32, _ place: Int, _ reason: SyncRejection.Reason) {
        let object = context.push.changes[place].object
        let empty = StoredRow(transaction: 0, propertyCount: schema[object].properties.count), numbers = schema[object].within(property)
        let base = asked.created[place] == nil ? asked.originals[place]! : empty
        rows[place]!.take(numbers, from: base)
        var part = context.push.changes[place]
        (part.deleted, part.created) = (nil, nil)
        part.registers.removeAll { !numbers.contains($0.path.property) }
        part.members.removeAll { !numbers.contains($0.property) }
        part.elements.removeAll { !numbers.contains($0.property) }
        part.sums.removeAll { !numbers.contains($0.property) }
        for one in part.registers { observer?.set(one.entry.trace, .refused) }
        for one in part.members { observer?.set(one.entry.trace, .refused) }
        for one in part.elements { observer?.set(one.entry.trace, .refused) }
        void(part, reason)
    }
}

extension SyncChange {
    /// The properties that it changes, ascending.
    fileprivate var properties: [Int32] {
        Set(registers.map(\.path.property) + members.map(\.property) + elements.map(\.property) + sums.map(\.property)).sorted()
    }

    /// What it links to by a property.
    fileprivate func links(of property: Int32) -> [SyncObject] {
        var found: [SyncObject] = []
        for one in registers where one.path.property == property { one.value.forEachLink { found.append($0) } }
        for one in members where one.property == property && one.isMember { one.element.forEachLink { found.append($0) } }
        for one in elements where one.property == property { one.value.forEachLink { found.append($0) } }
        return found
    }
}

extension SyncSchema.Class {
    /// A property and those of the objects that it embeds.
    fileprivate func within(_ property: Int32) -> Set<Int32> {
        var found: Set<Int32> = [property], size = 0
        while size < found.count {
            size = found.count
            for number in owners.indices where found.contains(owners[number]) { found.insert(Int32(number)) }
        }
        return found
    }
}

extension StoredRow {
    /// Takes what another row has of some properties.
    fileprivate mutating func take(_ properties: Set<Int32>, from other: StoredRow) {
        for property in properties {
            registers[Int(property)] = other.registers[Int(property)]
            counters[property] = other.counters[property]
            lists[property] = other.lists[property]
        }
        entries = entries.filter { !properties.contains($0.key.property) }
        entries.merge(other.entries.filter { properties.contains($0.key.property) }) { $1 }
        members = members.filter { !properties.contains($0.key.property) }
        members.merge(other.members.filter { properties.contains($0.key.property) }) { $1 }
    }
}
