import DatabaseKit
import TestKit
@testable import FreeholdEngine
@testable import FreeholdMerge

/// A real file that goes through the same history as a device: the same transactions, the same answers. What it holds and what it sends
/// is compared with the device's after each step.
final class ShadowFile {
    static let path = "/shadow.freehold"
    static let classNames = ["Thing", "Update", "Part"]

    var machine: SimulatedSystem
    /// Nil while no process has the file open.
    var handle: Database?
    let options: OpenOptions
    private var sealed: SyncReplica.Sealed?
    private var steps = 0
    /// Whether elements of lists and values of maps are embedded objects.
    private let embeds: Bool
    /// Objects with a link to one that programs have deleted or created here: whether it shows is decided by a later answer.
    private(set) var looseLinks: Set<Int> = []

    var database: Database { get throws { try handle.orThrow("the file is not open") } }

    init(_ device: Device, seed: UInt64) throws {
        machine = SimulatedSystem(seed: seed)
        options = .simulated(seed: seed)
        embeds = device.world.rules.embeds
        handle = try Database.open(Self.path, options, on: machine.makeProcess())
        try database.write { transaction in
            // First, so that embedded objects get their identities before elements of lists do.
            try transaction.createClass(ClassSchema("Inner", isEmbedded: true, [PropertySchema("inner", .int, isNullable: true)]))
            for name in Self.classNames { try transaction.createClass(schema(name)) }
            if embeds { try embedItems(transaction) }
            for name in Self.classNames {
                let onConflict = name == "Update" ? SyncConflict.updateWins : .deletionWins
                try transaction.sync.mark(name, SyncRules(onConflict: onConflict, counters: ["counter"], merged: ["merged"]))
            }
            var body = try transaction.sync.body()
            body.replica = ReplicaIdentity(high: 0, low: UInt64(device.now.replica))
            transaction.changedSync = body
        }
    }

    deinit {
        close()
        machine.discard()
    }

    /// A copy of a file, on a machine of its own: another inode.
    init(copyOf file: ShadowFile, withSidecar: Bool, _ device: Device, seed: UInt64) throws {
        machine = SimulatedSystem(seed: seed)
        (embeds, options) = (file.embeds, file.options)
        let process = machine.makeProcess()
        for number in 0..<device.number { try process.openFile("/\(number)", .createExclusive(permissions: 0o600)).close() }
        try put(file.bytes(), sidecar: withSidecar ? file.sidecar() : nil)
        loosenLinks(device)
    }

    /// The last process closes the file.
    func close() {
        sealed = nil
        handle?.close()
        handle = nil
    }

    /// What a program shows of links to absent objects is not known in another state of the file.
    func loosenLinks(_ device: Device) {
        looseLinks = Set((0..<Key.count).filter { (device.now.objects[$0]?.registers.value(.link) ?? 0) != 0 })
    }

    /// After the others, so that items get their identities when elements of lists have theirs.
    private func embedItems(_ transaction: WriteTransaction) throws {
        for one in ShadowItems.classes { try transaction.createClass(one) }
        try transaction.addProperty(ShadowItems.inner, to: "Item")
        for name in Self.classNames {
            for (property, kind) in [("list", CollectionKind.list), ("map", .map)] {
                try transaction.addProperty(PropertySchema(property, linkTo: "Item", collections: [kind]), to: name)
            }
        }
    }

    /// Items have identities of their own, of which a history's device knows nothing.
    private func countIdentities(_ device: Device) throws {
        if embeds, let body = try database.snapshot().syncState() { device.now.identities = max(device.now.identities, body.identities) }
    }

    private func schema(_ name: String) -> ClassSchema {
        var properties = [PropertySchema("id", .int)]
        for property in World.schema.classes[0].properties where !property.name.utf8.contains(UInt8(ascii: ".")) {
            switch property.name {
            case "link": properties.append(PropertySchema("link", .mixed))
            case "embedded": properties.append(PropertySchema("embedded", linkTo: "Inner"))
            case "map" where embeds, "list" where embeds: break
            case "map": properties.append(PropertySchema("map", .int, collections: [.map]))
            case "set": properties.append(PropertySchema("set", .int, collections: [.set]))
            case "list": properties.append(PropertySchema("list", .int, collections: [.list]))
            case "counter": properties.append(PropertySchema("counter", .int))
            default: properties.append(PropertySchema(property.name, .int, isNullable: true, isUnique: property.isUnique))
            }
        }
        return ClassSchema(name, primaryKey: "id", properties)
    }

    func setTime(_ device: Device) { machine.wallClockNanoseconds = device.wallMilliseconds * 1_000_000 }

    // MARK: A program's transaction

    /// - Parameters:
    ///   - before: the objects before the transaction.
    func commit(_ changes: [(key: Int, made: DeviceObject?)], before: [DeviceObject?], isDurable: Bool, _ device: Device) throws {
        setTime(device)
        let transaction = try database.beginWrite()
        // A version of its own, also if nothing is changed.
        transaction.changedSync = try transaction.sync.body()
        // Links lead to objects that the same transaction may create.
        for (key, made) in changes where made == nil || made!.born != before[key]?.born {
            let table = try transaction.table(Self.className(key))
            if before[key] != nil {
                try transaction.delete(ObjectKey(Int64(key)), from: table)
            }
            // What links to it shows null until the server says more.
            for other in 0..<Key.count where before[other]?.registers.value(.link) == key + 1 { looseLinks.insert(other) }
            if made != nil { try transaction.insert(into: table, primaryKey: .int(Int64(key))) { _ in } }
        }
        for (key, made) in changes {
            guard let made else { continue }
            let old = before[key].flatMap { $0.born == made.born ? $0 : nil } ?? DeviceObject()
            try embed(key, made, old, transaction)
            try write(key, made, old, transaction)
        }
        try transaction.commit(isDurable ? .full : .processCrash)
        try countIdentities(device)
    }

    private func embed(_ key: Int, _ made: DeviceObject, _ old: DeviceObject, _ transaction: WriteTransaction) throws {
        let table = try transaction.table(Self.className(key)), object = ObjectKey(Int64(key)), column = try table.column("embedded")
        let instance = made.registers.instance
        if instance == .none { return }
        let inner = made.registers.value(.inner(instance)), value = inner == 0 ? Value.null : .int(Int64(inner))
        if instance != old.registers.instance {
            try transaction.embed([("inner", value)], in: object, of: table, column)
        } else if inner != old.registers.value(.inner(instance)), case .link(let target) = try table.value(object, column) {
            let targets = try transaction.table("Inner")
            try transaction.set(target, in: targets, targets.column("inner"), to: value)
        }
    }

    private func write(_ key: Int, _ made: DeviceObject, _ old: DeviceObject, _ transaction: WriteTransaction) throws {
        let table = try transaction.table(Self.className(key)), object = ObjectKey(Int64(key))
        for entry in made.registers.entries where old.registers.value(entry.path) != entry.value {
            if entry.path.isEntry {
                let map = try transaction.map(of: object, in: table, table.column("map")), name = "\(entry.path.detail)"
                if embeds {
                    try ShadowItems.write(map, name, from: old.registers.value(entry.path), to: entry.value, transaction)
                } else if entry.value == 0 {
                    try map.remove(name)
                } else {
                    try map.set(.int(Int64(entry.value)), for: name)
                }
            } else if entry.path == .link {
                looseLinks.remove(key)
                let target = entry.value == 0 ? Value.null : try Self.reference(entry.value - 1, transaction)
                try transaction.set(object, in: table, table.column("link"), to: target)
            } else if !entry.path.isInner, entry.path != .embedded {
                let name = World.schema.classes[0].properties[entry.path.detail].name
                try transaction.set(object, in: table, table.column(name), to: entry.value == 0 ? .null : .int(Int64(entry.value)))
            }
        }
        if made.elements.map(\.value) != old.elements.map(\.value) {
            let list = try transaction.list(of: object, in: table, table.column("list"))
            if embeds {
                try ShadowItems.write(list, from: old.elements.map(\.value), to: made.elements.map(\.value), transaction)
            } else {
                try list.assign(made.elements.map { .int(Int64($0.value)) })
            }
        }
        if made.count != old.count { try transaction.set(object, in: table, table.column("counter"), to: .int(made.count)) }
        let set = try transaction.set(of: object, in: table, table.column("set"))
        for member in 0..<2 where (made.members ^ old.members) & 1 << UInt8(member) != 0 {
            if made.members & 1 << UInt8(member) != 0 { try set.insert(.int(Int64(member))) } else { try set.remove(.int(Int64(member))) }
        }
    }

    private static func className(_ key: Int) -> String { classNames[Int(Key(rawValue: key)!.type)] }

    private static func reference(_ key: Int, _ transaction: WriteTransaction) throws -> Value {
        .object(try transaction.table(className(key)).reference(to: ObjectKey(Int64(key))))
    }

    // MARK: The agent

    func seal(_ epoch: UInt64) throws {
        sealed = try SyncReplica(database).seal()
        guard let sealed, sealed.epoch == epoch else { throw ShadowDifference("epoch \(epoch) was sealed, here \(sealed?.epoch ?? 0)") }
    }

    func compare(_ push: SyncPush) throws {
        guard let sealed else { throw ShadowDifference("no epoch was sealed") }
        let mine = try SyncReplica(database).batch(sealed)
        // What is sent is the same as bytes.
        guard case .push(let sent) = try SyncMessage(bytes: SyncMessage.push(mine).bytes), sent == mine,
              case .push(let written) = try SyncMessage(bytes: SyncReplica(database).message(sealed)),
              written.changes.sorted(by: { $0.object < $1.object }) == mine.changes.sorted(by: { $0.object < $1.object }) else {
            throw ShadowDifference("the batch is not the same as bytes")
        }
        let (expected, found) = (PlainPush(push, World.schema.names), PlainPush(mine, mine.names))

        if expected != found {
            throw ShadowDifference("batch \(push.epoch): \(expected.difference(from: found))")
        }
    }

    /// What the pull says is durable.
    func pull(_ device: Device) throws {
        let pull = try SyncReplica(database).pull(sent: 0), copied = device.now.copied.map(\.replica)
        guard pull.replica.low == UInt64(device.now.replica), pull.history == device.now.history, pull.cursor == device.now.cursor,
              pull.inherited.map({ Int($0.low) }) == copied else { throw ShadowDifference("pull: \(pull), inherited \(copied)") }
    }

    func apply(_ message: AnswerMessage, _ device: Device) throws {
        setTime(device)
        // The device's limit of a round trip, which is counted in other units here.
        let late = device.world.time - Int(message.answer.sent) <= 12 ? 0 : 20_000
        let world = device.world
        let replica = try SyncReplica(database) { one in
            guard case .int(let mine) = one.mine.orZero, case .int(let theirs) = one.theirs.orZero else { return one.theirs }
            let number = world.number(of: world.sets[Int(mine)].union(world.sets[Int(theirs)]))
            return number == 0 ? .null : .int(Int64(number))
        }
        let sent = SyncMessage.answer(embeds ? ShadowItems.answer(message.answer) : message.answer).bytes
        guard case .answer(let answer) = try SyncMessage(bytes: sent, inMemory: world.time.isMultiple(of: 2) ? 0 : .max) else {
            throw ShadowDifference("the answer is not the same as bytes")
        }
        guard try replica.apply(answer, monotonic: message.answer.sent + UInt64(late)) != nil else {
            throw ShadowDifference("an answer was not due")
        }
        try countIdentities(device)
        for key in message.answer.rows.map({ World.key($0.object) }) {
            let link = device.now.objects[key]?.registers.value(.link) ?? 0
            if link == 0 || device.now.objects[link - 1] != nil { looseLinks.remove(key) }
        }
    }

    // MARK: The objects

    func compare(_ device: Device) throws {
        let snapshot = try database.snapshot(), body = try snapshot.syncState()!
        for key in 0..<Key.count {
            let found = try object(key, snapshot), expected = device.now.objects[key].map { PlainObject($0, device.now.objects) }
            if var found, let expected, looseLinks.contains(key) {
                if found.values["link"] == nil { found.values["link"] = expected.values["link"] }
                if found == expected { continue }
            }
            if found != expected { throw ShadowDifference("object \(key): expected \(expected as Any), found \(found as Any)") }
        }
        guard body.epoch == device.now.epoch, body.history == device.now.history, body.cursor == device.now.cursor else {
            throw ShadowDifference("epoch \(body.epoch) for \(device.now.epoch), history \(body.history), cursor \(body.cursor)")
        }
        guard body.clock == device.now.clock else {
            throw ShadowDifference("clock: expected \(device.now.clock), found \(body.clock)")
        }
        steps += 1
        if steps % 8 != 0 { return }
        let report = try database.check()
        if !report.problems.isEmpty { throw ShadowDifference("check: \(report.problems)") }
    }

    private func object(_ key: Int, _ snapshot: Snapshot) throws -> PlainObject? {
        let table = try snapshot.table(Self.className(key))
        guard let row = try table.row(ObjectKey(Int64(key))) else { return nil }
        var made = PlainObject()
        for column in table.columns {
            let name = table.state.stored.properties[column.index].name
            switch try row.value(column) {
            case .int(let number) where name == "counter": made.counter = number
            case .int(let number) where name != "id": made.values[name] = number
            case .link(let target) where name == "embedded":
                let targets = try snapshot.table("Inner")
                guard case .int(let number) = try targets.value(target, targets.column("inner")) else {
                    made.inner = 0
                    continue
                }
                made.inner = number
            case .object(let target): made.values[name] = target.key.rawValue + 1
            case .list(let elements) where embeds: made.elements = try elements.map { try ShadowItems.number($0, snapshot) }
            case .map(let entries) where embeds:
                for (entry, value) in entries { made.entries[entry] = try ShadowItems.number(value, snapshot) }
            case .list(let elements): made.elements = elements.map { if case .int(let number) = $0 { number } else { -1 } }
            case .set(let members): for case .int(let member) in members { made.members |= 1 << UInt8(member) }
            case .map(let entries): for (entry, value) in entries { if case .int(let number) = value { made.entries[entry] = number } }
            default: break
            }
        }
        return made
    }
}
