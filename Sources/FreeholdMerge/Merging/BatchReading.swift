import FreeholdEngine

/// A batch in the server's numbers of classes and properties, and checked: decoded bytes are in their own tables only.
struct BatchReading {
    private let push: SyncPush
    private let schema: SyncSchema

    init(_ push: SyncPush, _ schema: SyncSchema) {
        self.push = push
        self.schema = schema
    }

    /// - Throws: `.schemaMismatch`, `.malformedInput`.
    func translated() throws(FreeholdError) -> SyncPush {
        try checkWriters()
        var made = push
        if push.names != schema.names { try rename(&made) }
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

    private func rename(_ made: inout SyncPush) throws(FreeholdError) {
        var types: [Int32] = [], properties: [[Int32]] = []
        for entry in push.names.classes {
            guard let type = schema.classes.firstIndex(where: { $0.name.isSame(as: entry.name) }) else {
                throw FreeholdError(.schemaMismatch, "the server has no synced class '\(entry.name)'; add it, or remove its mark")
            }
            types.append(Int32(type))
            properties.append([])
            for name in entry.properties {
                guard let property = schema.classes[type].properties.firstIndex(where: { $0.name.isSame(as: name) }) else {
                    throw FreeholdError(.schemaMismatch, "the server's class '\(entry.name)' has no property '\(name)'; add it")
                }
                properties[properties.count - 1].append(Int32(property))
            }
        }
        let object = { (object: SyncObject) in SyncObject(type: types[Int(object.type)], key: object.key) }
        let value = { (value: SyncValue) in value.mapping(object) { $0 } }
        for index in made.changes.indices {
            let numbers = properties[Int(made.changes[index].object.type)]
            made.changes[index].object = object(made.changes[index].object)
            for one in made.changes[index].registers.indices {
                var register = made.changes[index].registers[one]
                register.path.property = numbers[Int(register.path.property)]
                register.value = value(register.value)
                made.changes[index].registers[one] = register
            }
            for one in made.changes[index].members.indices {
                made.changes[index].members[one].property = numbers[Int(made.changes[index].members[one].property)]
                made.changes[index].members[one].element = value(made.changes[index].members[one].element)
            }
            for one in made.changes[index].elements.indices {
                made.changes[index].elements[one].property = numbers[Int(made.changes[index].elements[one].property)]
                made.changes[index].elements[one].value = value(made.changes[index].elements[one].value)
            }
            for one in made.changes[index].sums.indices {
                made.changes[index].sums[one].property = numbers[Int(made.changes[index].sums[one].property)]
            }
        }
    }
}
