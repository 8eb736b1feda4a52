import FreeholdEngine

/// A batch in the server's numbers of classes and properties, and checked: decoded bytes are in their own tables only.
struct BatchReading {
    private let push: SyncPush
    private let schema: SyncSchema
    /// Changes of classes and properties that the server does not have, in the message's numbers of replicas.
    private(set) var unknown: [SyncRejection] = []

    init(_ push: SyncPush, _ schema: SyncSchema) {
        self.push = push
        self.schema = schema
    }

    /// What the server does not know is left out, and noted in `unknown`.
    ///
    /// - Throws: `.malformedInput`.
    mutating func translated() throws(FreeholdError) -> SyncPush {
        try checkWriters()
        var made = push
        if push.names != schema.names { rename(&made) }
        try joinObjects(&made)
        return made
    }

    /// Entries belong to the replica that pushes, up to the sealed epoch, or to one that its file was before.
    private func checkWriters() throws(FreeholdError) {
        var limits = [UInt64](repeating: 0, count: push.replicas.count)
        for one in push.inherited { limits[Int(one.replica)] = .max }
        limits[0] = push.epoch
        var isValid = Set(push.replicas).count == push.replicas.count
        let check = { (replica: UInt32, epoch: UInt64) in if epoch == 0 || epoch > limits[Int(replica)] { isValid = false } }
        for change in push.changes {
            if let entry = change.deleted { check(entry.replica, entry.epoch) }
            if let entry = change.created { check(entry.replica, entry.epoch) }
            for one in change.registers { check(one.entry.replica, one.entry.epoch) }
            for one in change.members { check(one.entry.replica, one.entry.epoch) }
            for one in change.elements { check(one.entry.replica, one.entry.epoch) }
            for one in change.sums { check(one.replica, one.epoch) }
        }
        guard isValid else {
            throw FreeholdError(.malformedInput, "the batch \(push.epoch) of replica \(push.replicas[0]) names epochs that are not its own")
        }
    }

    /// An object that is named twice is one change after the other; merging takes each row once.
    private func joinObjects(_ made: inout SyncPush) throws(FreeholdError) {
        guard Set(made.changes.lazy.map(\.object)).count != made.changes.count else { return }
        throw FreeholdError(.malformedInput, "the batch \(push.epoch) of replica \(push.replicas[0]) names an object twice")
    }

    private mutating func rename(_ made: inout SyncPush) {
        let types = push.names.classes.map { entry in
            schema.classes.firstIndex { $0.name.isSame(as: entry.name) }.map { Int32($0) }
        }
        let properties = zip(push.names.classes, types).map { entry, type in
            entry.properties.map { name in
                type.flatMap { type in schema.classes[Int(type)].properties.firstIndex { $0.name.isSame(as: name) } }.map { Int32($0) }
            }
        }
        made.changes = push.changes.compactMap { change in
            guard let type = types[Int(change.object.type)] else {
                unknown.append(refusal(of: change))
                return nil
            }
            var renaming = Renaming(push: push, types: types, numbers: properties[Int(change.object.type)], type: type)
            defer { unknown += renaming.unknown }
            return renaming.renamed(change)
        }
    }

    /// The refusal of all changes of an object, whose class the server does not have.
    private func refusal(of change: SyncChange) -> SyncRejection {
        let sum = change.sums.first.map { SyncEntry(stamp: .none, epoch: $0.epoch, replica: $0.replica) }
        let entry = change.deleted ?? change.created ?? change.registers.first?.entry ?? change.members.first?.entry
            ?? change.elements.first?.entry ?? sum ?? SyncEntry(stamp: .none, epoch: push.epoch)
        let place = SyncRejection.Place.unknown(className: push.names.classes[Int(change.object.type)].name, property: nil)
        return SyncRejection(object: SyncObject(type: 0, key: change.object.key), place: place, reason: .unknown, entry: entry)
    }
}

/// One object's change in the server's numbers, without what the server does not know.
private struct Renaming {
    let push: SyncPush
    let types: [Int32?]
    /// Those of the properties of its class.
    let numbers: [Int32?]
    let type: Int32
    var unknown: [SyncRejection] = []

    mutating func renamed(_ change: SyncChange) -> SyncChange {
        var made = change
        made.object = SyncObject(type: type, key: change.object.key)
        (made.registers, made.members, made.elements, made.sums) = ([], [], [], [])
        for var one in change.registers where isKnown(one.path.property, one.value, one.entry, change) {
            one.path.property = numbers[Int(one.path.property)] ?? 0
            one.value = renamed(one.value)
            made.registers.append(one)
        }
        for var one in change.members where isKnown(one.property, one.element, one.entry, change) {
            one.property = numbers[Int(one.property)] ?? 0
            one.element = renamed(one.element)
            made.members.append(one)
        }
        for var one in change.elements where isKnown(one.property, one.value, one.entry, change) {
            one.property = numbers[Int(one.property)] ?? 0
            one.value = renamed(one.value)
            made.elements.append(one)
        }
        for var one in change.sums {
            let entry = SyncEntry(stamp: .none, epoch: one.epoch, replica: one.replica)
            guard isKnown(one.property, .null, entry, change) else { continue }
            one.property = numbers[Int(one.property)] ?? 0
            made.sums.append(one)
        }
        return made
    }

    /// Whether the server has the property, and all classes that the value links to; else the change is refused.
    private mutating func isKnown(_ property: Int32, _ value: SyncValue, _ entry: SyncEntry, _ change: SyncChange) -> Bool {
        var isKnown = numbers[Int(property)] != nil
        value.forEachLink { if types[Int($0.type)] == nil { isKnown = false } }
        if isKnown { return true }
        let names = push.names.classes[Int(change.object.type)]
        let place = SyncRejection.Place.unknown(className: names.name, property: names.properties[Int(property)])
        let object = SyncObject(type: type, key: change.object.key)
        unknown.append(SyncRejection(object: object, place: place, reason: .unknown, entry: entry))
        return false
    }

    private func renamed(_ value: SyncValue) -> SyncValue {
        value.mapping({ SyncObject(type: types[Int($0.type)] ?? 0, key: $0.key) }, { $0 })
    }
}
