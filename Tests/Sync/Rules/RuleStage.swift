@testable import FreeholdEngine
@testable import FreeholdMerge

/// Classes, users and a server in memory for tests of rules.
final class RuleStage {
    static let schema = SyncSchema(classes: [
        .init("Task", key: .init("id", .string), properties: [
            .init("owner", type: .string), .init("team", type: .string), .init("price", type: .double),
            .init("stock", .counter, type: .int), .init("watchers", .set, type: .string), .init("notes", .list, type: .string),
            .init("roles", .map, type: .string),
            .init("project", type: .link, target: "Project"), .init("address", type: .link, target: "Address"),
            .init("address.city", type: .string), .init("done", type: .bool), .init("due", type: .date), .init("any", type: .mixed),
            .init("parts", .set, type: .link, target: "Project"), .init("odd name", type: .int),
            .init("number", isUnique: true, type: .int), .init("next", type: .link, target: "Task"),
            .init("others", .set, type: .link, target: "Task"),
        ]),
        .init("Project", conflict: .updateWins, key: .init("id", .int), properties: [
            .init("title", type: .string), .init("home", type: .link, target: "Country"),
        ]),
        .init("Country", key: .init("code", .string), properties: [.init("name", type: .string)]),
    ])
    static let project = SyncObject(type: 1, key: .int(1))

    let directory = MemoryDirectory()
    let store = MemoryStore(schema: schema)
    private(set) var server: SyncServer
    private var epochs: [UInt64: UInt64] = [:]
    private var time: Int64 = 1_000_000

    init(_ rules: String) throws(FreeholdError) {
        let streams = RuledStreams(try StreamRules(rules, Self.schema), Self.schema, directory)
        server = SyncServer(schema: Self.schema, store: store, streams: streams)
    }

    static func number(_ property: String, of type: Int32 = 0) -> Int32 {
        Int32(schema.classes[Int(type)].properties.firstIndex { $0.name.isSame(as: property) }!)
    }

    static func task(_ key: String) -> SyncObject { SyncObject(type: 0, key: .string(key)) }

    /// A user enters, or comes with other claims.
    @discardableResult
    func enter(_ name: String, _ number: Int64, _ claims: TextMap<Value> = [:]) throws(FreeholdError) -> SyncUser {
        let user = SyncUser(rawValue: number)
        let isKnown = directory.person(user) != nil
        directory.enter(SyncPerson(name, claims: claims), as: user)
        if isKnown { try server.renew(user) } else { try server.add(user) }
        return user
    }

    /// Other rules, with all views made anew.
    func change(to rules: String) throws(FreeholdError) {
        let streams = RuledStreams(try StreamRules(rules, Self.schema), Self.schema, directory)
        let shortcuts = server.shortcuts
        server = SyncServer(schema: Self.schema, store: store, streams: streams)
        server.shortcuts = shortcuts
        try server.renewAll()
    }

    // MARK: Batches

    private func replica(_ number: UInt64) -> ReplicaIdentity { ReplicaIdentity(high: 7, low: number) }

    func pull(_ user: SyncUser, file: UInt64? = nil, since cursor: SyncCursor = .never) throws(FreeholdError) -> SyncAnswer {
        let file = file ?? UInt64(user.rawValue)
        return try server.answer(SyncPull(replica: replica(file), history: 1, cursor: cursor, sent: 0), for: user, now: time)
    }

    /// Sends changes by a file of a user which has all that is new, and returns what is refused of them.
    @discardableResult
    func push(_ user: SyncUser, file: UInt64? = nil, _ changes: SyncChange...) throws(FreeholdError) -> [SyncRejection] {
        try push(user, file: file, changes)
    }

    func push(_ user: SyncUser, file: UInt64? = nil, _ changes: [SyncChange]) throws(FreeholdError) -> [SyncRejection] {
        let file = file ?? UInt64(user.rawValue), cursor = try pull(user, file: file).cursor
        epochs[file, default: 0] += 1
        let made = changes.map { $0.stamped(epochs[file]!, SyncStamp(milliseconds: time)) }
        time += 1
        let push = SyncPush(epoch: epochs[file]!, history: 1, cursor: cursor, seen: .none, names: Self.schema.names,
                            replicas: [replica(file)], changes: made)
        guard case .push(let received) = try SyncMessage(bytes: SyncMessage.push(push).bytes) else { return [] }
        _ = try server.commit(received, by: user, in: try server.begin(), now: time)
        return try pull(user, file: file, since: cursor).rejections
    }

    /// The keys of what a user gets from the beginning, as texts.
    func seen(_ user: SyncUser) throws(FreeholdError) -> [String] { try pull(user, file: 900).rows.map { "\($0.object.key)" }.sorted() }

    /// The value of a property at the server.
    func value(_ object: SyncObject, _ property: String) -> SyncValue? {
        store.row(object).map { $0.shownValue(of: Self.number(property, of: object.type), in: Self.schema[object]) }
    }
}

extension SyncChange {
    private static let entry = SyncEntry(stamp: .none, epoch: 0)

    /// Values of properties of an object, which is created or is there.
    static func of(_ object: SyncObject, creates: Bool = false, deletes: Bool = false, _ values: [(String, SyncValue)] = []) -> SyncChange {
        SyncChange(object: object, deleted: deletes ? entry : nil, created: creates ? entry : nil, registers: values.map { name, value in
            .init(path: SyncPath(property: RuleStage.number(name, of: object.type)), entry: entry, value: value)
        })
    }

    static func deletion(of object: SyncObject) -> SyncChange { of(object, deletes: true) }

    func adding(_ property: String, member: SyncValue, _ isMember: Bool = true) -> SyncChange {
        var made = self
        made.members.append(.init(property: RuleStage.number(property), element: member, isMember: isMember, entry: Self.entry))
        return made
    }

    func counting(_ property: String, _ amount: Int64) -> SyncChange {
        var made = self
        made.sums.append(.init(property: RuleStage.number(property), replica: 0, epoch: 0, amount: amount, count: 1, began: .none))
        return made
    }

    func inserting(_ property: String, _ value: SyncValue, _ count: Int) -> SyncChange {
        var made = self
        let identity = SyncIdentity(replica: 0, count: UInt64(count))
        made.elements.append(.init(property: RuleStage.number(property), element: identity, act: .inserted, entry: Self.entry,
                                   position: identity, value: value))
        return made
    }

    fileprivate func stamped(_ epoch: UInt64, _ stamp: SyncStamp) -> SyncChange {
        var made = self
        let entry = SyncEntry(stamp: stamp, epoch: epoch)
        if deleted != nil { made.deleted = entry }
        if created != nil { made.created = entry }
        for place in registers.indices { made.registers[place].entry = entry }
        for place in members.indices { made.members[place].entry = entry }
        for place in elements.indices { made.elements[place].entry = entry }
        for place in sums.indices { (made.sums[place].epoch, made.sums[place].began) = (epoch, stamp) }
        return made
    }
}
