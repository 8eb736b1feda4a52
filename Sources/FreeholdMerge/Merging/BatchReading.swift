import FreeholdEngine

/// A batch in the server's numbers of classes and properties, and checked: decoded bytes are in their own tables only.
struct BatchReading {
    private var push: SyncPush
    private let schema: SyncSchema
    /// What the server does not have.
    private(set) var unknown: [Unknown] = []

    /// A change of a class or property that the server does not have, or has in another way.
    struct Unknown {
        let className: String
        /// Nil if it is the class.
        let property: String?
        /// In the message's numbers of replicas.
        let entry: SyncEntry

        var name: String { property.map { "'\(className).\($0)'" } ?? "class '\(className)'" }
    }

    init(_ push: consuming SyncPush, _ schema: SyncSchema) {
        self.push = push
        self.schema = schema
    }

    /// What the server does not know is noted in `unknown`; without it the batch may not be merged: its file would take the rest for all.
    ///
    /// - Throws: `.malformedInput`.
    mutating func translated() throws(FreeholdError) -> SyncPush {
        try checkWriters()
        // Millions of changes are translated where they are.
        var changes = push.changes
        push.changes = []
        if push.names != schema.names { rename(&changes) }
        changes.removeAll { !hasOwnKey($0) }
        for change in changes { checkTypes(of: change) }
        push.changes = changes
        changes = []
        try joinObjects(&push)
        return push
    }

    // MARK: Types

    /// Whether an object's key has the type of its class.
    private mutating func hasOwnKey(_ change: SyncChange) -> Bool {
        let type = schema[change.object]
        if change.object.key.has(type.key.type) { return true }
        noteAll(change, type.name)
        return false
    }

    /// Notes what has another type than at the server: its file declares a property in another way.
    private mutating func checkTypes(of change: SyncChange) {
        let type = schema[change.object], properties = type.properties
        func check(_ property: Int32, _ entry: SyncEntry, _ isTaken: Bool) {
            if !isTaken { unknown.append(Unknown(className: type.name, property: properties[Int(property)].name, entry: entry)) }
        }
        for one in change.registers {
            check(one.path.property, one.entry, type.takes(one.path) && properties[Int(one.path.property)].takes(one.value))
        }
        for one in change.members { check(one.property, one.entry, properties[Int(one.property)].takes(one.element, in: .set)) }
        for one in change.elements { check(one.property, one.entry, properties[Int(one.property)].takes(one.value, in: .list)) }
        for one in change.sums { check(one.property, one.entry, properties[Int(one.property)].kind == .counter) }
    }

    /// Notes each change of an object whose class the server does not have, or with another key.
    private mutating func noteAll(_ change: SyncChange, _ className: String) {
        var entries = [change.deleted, change.created].compactMap(\.self) + change.registers.map(\.entry) + change.members.map(\.entry)
        entries += change.elements.map(\.entry) + change.sums.map(\.entry)
        if entries.isEmpty { entries = [SyncEntry(stamp: .none, epoch: push.epoch)] }
        unknown += entries.map { Unknown(className: className, property: nil, entry: $0) }
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

    private mutating func rename(_ changes: inout [SyncChange]) {
        let types = push.names.classes.map { entry in
            schema.classes.firstIndex { $0.name.isSame(as: entry.name) }.map { Int32($0) }
        }
        let properties = zip(push.names.classes, types).map { entry, type in
            entry.properties.map { name in
                type.flatMap { type in schema.classes[Int(type)].properties.firstIndex { $0.name.isSame(as: name) } }.map { Int32($0) }
            }
        }
        changes.removeAll { change in
            let number = Int(change.object.type), isUnknown = types[number] == nil
            if isUnknown { noteAll(change, push.names.classes[number].name) }
            return isUnknown
        }
        for place in changes.indices {
            let number = Int(changes[place].object.type)
            var renaming = Renaming(names: push.names.classes[number], types: types, numbers: properties[number])
            renaming.rename(&changes[place])
            unknown += renaming.unknown
        }
    }
}

/// One object's change in the server's numbers, without what the server does not know.
private struct Renaming {
    let names: SyncNames.Entry
    let types: [Int32?]
    /// Those of the properties of its class, which the server has.
    let numbers: [Int32?]
    var unknown: [BatchReading.Unknown] = []

    mutating func rename(_ change: inout SyncChange) {
        change.object = SyncObject(type: types[Int(change.object.type)]!, key: change.object.key)
        change.registers.removeAll { !isKnown($0.path.property, $0.value, $0.entry) }
        for place in change.registers.indices {
            change.registers[place].path.property = number(change.registers[place].path.property)
            rename(&change.registers[place].value)
        }
        change.members.removeAll { !isKnown($0.property, $0.element, $0.entry) }
        for place in change.members.indices {
            change.members[place].property = number(change.members[place].property)
            rename(&change.members[place].element)
        }
        change.elements.removeAll { !isKnown($0.property, $0.value, $0.entry) }
        for place in change.elements.indices {
            change.elements[place].property = number(change.elements[place].property)
            rename(&change.elements[place].value)
        }
        change.sums.removeAll { !isKnown($0.property, .null, $0.entry) }
        for place in change.sums.indices { change.sums[place].property = number(change.sums[place].property) }
    }

    private func number(_ property: Int32) -> Int32 { numbers[Int(property)]! }

    /// Whether the server has the property, and all classes that the value links to.
    private mutating func isKnown(_ property: Int32, _ value: SyncValue, _ entry: SyncEntry) -> Bool {
        var isKnown = numbers[Int(property)] != nil
        value.forEachLink { if types[Int($0.type)] == nil { isKnown = false } }
        if !isKnown { unknown.append(BatchReading.Unknown(className: names.name, property: names.properties[Int(property)], entry: entry)) }
        return isKnown
    }

    private func rename(_ value: inout SyncValue) {
        var hasLinks = false
        value.forEachLink { _ in hasLinks = true }
        if hasLinks { value = value.mapping({ SyncObject(type: types[Int($0.type)]!, key: $0.key) }, { $0 }) }
    }
}

extension SyncChange.Sum {
    fileprivate var entry: SyncEntry { SyncEntry(stamp: .none, epoch: epoch, replica: replica) }
}

extension SyncSchema.Class {
    /// Whether a path leads to a value of its own: of the object, of an embedded one in it, or of a key of a map.
    fileprivate func takes(_ path: SyncPath) -> Bool {
        if path.instance != .none, depth(path.property) == 0 { return false }
        return switch properties[Int(path.property)].kind {
        case .map: !path.key.isNull && path.instance == .none
        case .plain, .merged: path.key.isNull
        default: false
        }
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
    /// Whether it is a collection of a kind that can have an element.
    fileprivate func takes(_ element: SyncValue, in kind: SyncSchema.Kind) -> Bool { self.kind == kind && takes(element) }

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
