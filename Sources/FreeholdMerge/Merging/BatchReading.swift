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
        made.changes = made.changes.compactMap { typed($0) }
        try joinObjects(&made)
        return made
    }

    // MARK: Types

    /// A change without what has another type than at the server: a file that declares a property in another way keeps its values.
    private mutating func typed(_ change: SyncChange) -> SyncChange? {
        let type = schema[change.object], properties = type.properties
        guard change.object.key.has(type.key.type) else {
            unknown.append(refusal(of: change, className: type.name))
            return nil
        }
        let isTyped = change.registers.allSatisfy { properties[Int($0.path.property)].takes($0.value) }
            && change.members.allSatisfy { properties[Int($0.property)].takes($0.element) }
            && change.elements.allSatisfy { properties[Int($0.property)].takes($0.value) }
        if isTyped { return change }
        var made = change
        made.registers = change.registers.filter { takes($0.path.property, $0.value, $0.entry, change) }
        made.members = change.members.filter { takes($0.property, $0.element, $0.entry, change) }
        made.elements = change.elements.filter { takes($0.property, $0.value, $0.entry, change) }
        return made
    }

    private mutating func takes(_ property: Int32, _ value: SyncValue, _ entry: SyncEntry, _ change: SyncChange) -> Bool {
        let type = schema[change.object]
        if type.properties[Int(property)].takes(value) { return true }
        let place = SyncRejection.Place.unknown(className: type.name, property: type.properties[Int(property)].name)
        unknown.append(SyncRejection(object: change.object, place: place, reason: .unknown, entry: entry))
        return false
    }

    // MARK: Writers

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
                unknown.append(refusal(of: change, className: push.names.classes[Int(change.object.type)].name))
                return nil
            }
            var renaming = Renaming(push: push, types: types, numbers: properties[Int(change.object.type)], type: type)
            defer { unknown += renaming.unknown }
            return renaming.renamed(change)
        }
    }

    /// The refusal of all changes of an object, whose class the server does not have, or with another key.
    private func refusal(of change: SyncChange, className: String) -> SyncRejection {
        let sum = change.sums.first.map { SyncEntry(stamp: .none, epoch: $0.epoch, replica: $0.replica) }
        let entry = change.deleted ?? change.created ?? change.registers.first?.entry ?? change.members.first?.entry
            ?? change.elements.first?.entry ?? sum ?? SyncEntry(stamp: .none, epoch: push.epoch)
        let place = SyncRejection.Place.unknown(className: className, property: nil)
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

extension SyncKey {
    /// Whether it is a key of a type.
    fileprivate func has(_ type: PropertyType) -> Bool {
        switch self {
        case .int: type == .int
        case .string: type == .string
        case .uuid: type == .uuid
        case .objectID: type == .objectId
        }
    }
}

extension SyncSchema.Property {
    /// Whether the property, or an element of it, can have a value. Where types are not known it can.
    fileprivate func takes(_ value: SyncValue) -> Bool {
        guard let type, type != .mixed else { return true }
        return switch value {
        case .null, .absent: true
        case .bool: type == .bool
        case .int: type == .int
        case .float: type == .float
        case .double: type == .double
        case .decimal: type == .decimal
        case .timestamp: type == .date
        case .uuid: type == .uuid
        case .objectID: type == .objectId
        case .string: type == .string
        case .data: type == .data
        case .link, .embedded: type == .link
        // Collections within others; a map is also an embedded object in one.
        case .list(let values), .set(let values): values.allSatisfy(takes)
        case .map(let entries): type == .link || entries.allSatisfy { takes($0.value) }
        }
    }
}
