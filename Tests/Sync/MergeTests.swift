import DatabaseKit
import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// The table of docs/sync.md, a rule at a time: Ann and Ben have the same state and are offline; then Ann's batch arrives first.
@Suite("Rules of merging")
struct MergeTests {
    private let server: SyncServer
    private let object = SyncObject(type: 0, key: .string("x"))
    private let ann = ReplicaIdentity(high: 0, low: 1), ben = ReplicaIdentity(high: 0, low: 2)
    private let user = SyncUser(rawValue: 1)
    private static let now: Int64 = 1_000_000

    init() throws {
        let properties: [SyncSchema.Property] = [
            .init("title"), .init("done"), .init("stock", .counter), .init("tags", .set), .init("items", .list), .init("map", .map),
            .init("address"), .init("address.city"), .init("notes", .merged), .init("code", isUnique: true),
        ]
        let schema = SyncSchema(classes: [
            .init("Task", properties: properties), .init("Note", conflict: .updateWins, key: .init("id", .int), properties: properties),
        ])
        server = SyncServer(schema: schema, store: MemoryStore(schema: schema))
        try server.add(user)
    }

    private func push(_ replica: ReplicaIdentity, _ epoch: UInt64, cursor: SyncCursor, _ changes: [SyncChange]) throws {
        let push = SyncPush(epoch: epoch, history: 1, cursor: cursor, seen: .none, names: server.schema.names, replicas: [replica],
                            changes: changes)
        // As bytes, as it would come.
        guard case .push(let received) = try SyncMessage(bytes: SyncMessage.push(push).bytes) else { return }
        _ = try server.commit(received, by: user, in: try server.begin(), now: Self.now)
    }

    private func pull(_ replica: ReplicaIdentity, since cursor: SyncCursor = .never) throws -> SyncAnswer {
        try server.answer(SyncPull(replica: replica, history: 1, cursor: cursor, sent: 0), for: user, now: Self.now)
    }

    @Test("an answer in parts ends with the error of who takes them, at its first part or its last")
    func partsThatNobodyTakes() throws {
        let text = String(repeating: "x", count: 100_000)
        try push(ReplicaIdentity(high: 1, low: 1), 1, cursor: .never, (0..<9).map { number in
            SyncChange(object: SyncObject(type: 0, key: .string("\(number)")), created: entry(1), registers: [set(0, .string(text), at: 1)])
        })
        let question = SyncPull(replica: ReplicaIdentity(high: 1, low: 2), history: 1, cursor: .never, sent: 0)
        for taken in 0..<4 {
            var parts = 0
            #expect(throws: FreeholdError.self) {
                _ = try server.answer(question, for: user, now: Self.now) { _ throws(FreeholdError) in
                    parts += 1
                    if parts > taken { throw FreeholdError(.io, "nobody takes it") }
                }
            }
            #expect(parts == taken + 1)
        }
    }

    private func entry(_ milliseconds: Int64, _ epoch: UInt64 = 1) -> SyncEntry {
        SyncEntry(stamp: SyncStamp(milliseconds: milliseconds), epoch: epoch)
    }

    private func set(_ property: Int32, _ value: SyncValue, at milliseconds: Int64, _ epoch: UInt64 = 1, key: SyncValue = .null,
                     in instance: SyncIdentity = .none) -> SyncChange.Register {
        .init(path: SyncPath(property: property, instance: instance, key: key), entry: entry(milliseconds, epoch), value: value)
    }

    /// An object that both have: the cursor that they have then.
    private func begin(_ object: SyncObject? = nil, _ registers: [SyncChange.Register] = []) throws -> SyncCursor {
        let other = ReplicaIdentity(high: 0, low: 9)
        try push(other, 1, cursor: .never, [SyncChange(object: object ?? self.object, created: entry(1), registers: registers)])
        return try pull(ann).cursor
    }

    private func row(_ object: SyncObject? = nil) throws -> SyncRow {
        try #require(try pull(ReplicaIdentity(high: 7, low: 7)).rows.first { $0.object == object ?? self.object })
    }

    private func value(_ property: Int32) throws -> SyncValue? {
        try row().registers.first { $0.path.property == property }?.value
    }

    @Test("the later stamp wins, each property by itself, and equal stamps by the replica")
    func properties() throws {
        let cursor = try begin()
        let bens = [set(0, .string("B"), at: 905), set(1, .bool(true), at: 905)]
        let anns = [set(0, .string("A"), at: 900), set(1, .bool(false), at: 905)]
        try push(ben, 1, cursor: cursor, [SyncChange(object: object, registers: bens)])
        try push(ann, 1, cursor: cursor, [SyncChange(object: object, registers: anns)])
        #expect(try value(0) == .string("B") && value(1) == .bool(true))
    }

    @Test("increments add up, and an epoch that comes again adds nothing")
    func counters() throws {
        let cursor = try begin()
        let sum = { (amount: Int64) in
            SyncChange.Sum(property: 2, replica: 0, epoch: 1, amount: amount, count: 1, began: SyncStamp(milliseconds: 5))
        }
        for _ in 0..<2 { try push(ann, 1, cursor: cursor, [SyncChange(object: object, sums: [sum(-2)])]) }
        try push(ben, 1, cursor: cursor, [SyncChange(object: object, sums: [sum(-1)])])
        #expect(try row().counters == [.init(property: 2, sum: -3)])
    }

    @Test("a deletion beats changes that did not know of it, and their writer receives the reason")
    func deletionWins() throws {
        let cursor = try begin()
        try push(ann, 1, cursor: cursor, [SyncChange(object: object, deleted: entry(900))])
        try push(ben, 1, cursor: cursor, [SyncChange(object: object, registers: [set(0, .string("B"), at: 905)])])
        let answer = try pull(ben, since: cursor)
        #expect(answer.gone == [.init(object: object, reason: .deleted)])
        #expect(answer.rejections.map(\.reason) == [.deleted] && answer.known == 1)
    }

    @Test("of a class whose updates win, a change brings the object back")
    func updateWins() throws {
        let note = SyncObject(type: 1, key: .int(4)), cursor = try begin(note, [set(1, .bool(true), at: 2)])
        try push(ann, 1, cursor: cursor, [SyncChange(object: note, deleted: entry(900))])
        try push(ben, 1, cursor: cursor, [SyncChange(object: note, registers: [set(0, .string("B"), at: 905)])])
        #expect(try row(note).registers.map(\.value) == [.string("B"), .bool(true)])
    }

    @Test("creations under one key are joined")
    func creations() throws {
        try push(ann, 1, cursor: .never, [SyncChange(object: object, created: entry(1), registers: [set(0, .string("A"), at: 1)])])
        try push(ben, 1, cursor: .never, [SyncChange(object: object, created: entry(2), registers: [set(1, .bool(true), at: 2)])])
        #expect(try row().registers.map(\.value) == [.string("A"), .bool(true)])
    }

    @Test("an addition to a set stays unless its remover knew it")
    func sets() throws {
        let member = { (isMember: Bool, epoch: UInt64) in
            SyncChange.Member(property: 3, element: .string("s"), isMember: isMember, entry: entry(900, epoch))
        }
        _ = try begin()
        try push(ann, 1, cursor: .never, [SyncChange(object: object, created: entry(1), members: [member(true, 1)])])
        let cursor = try pull(ann).cursor
        try push(ben, 1, cursor: cursor, [SyncChange(object: object, members: [member(true, 1)])])
        try push(ann, 2, cursor: cursor, [SyncChange(object: object, members: [member(false, 2)])])
        #expect(try row().members.map(\.element) == [.string("s")])
        try push(ann, 3, cursor: try pull(ann).cursor, [SyncChange(object: object, members: [member(false, 3)])])
        #expect(try row().members.isEmpty)
    }

    @Test("entries of a map are merged by key, and a replaced embedded object takes its properties with it")
    func mapsAndEmbedded() throws {
        let first = SyncIdentity(replica: 0, count: 1)
        let cursor = try begin(nil, [set(6, .embedded(first), at: 2), set(7, .string("Ulm"), at: 2, in: first)])
        try push(ann, 1, cursor: cursor, [SyncChange(object: object, registers: [
            set(5, .null, at: 900, key: .string("k")), set(5, .int(1), at: 900, key: .string("other")),
            set(6, .embedded(SyncIdentity(replica: 0, count: 8)), at: 900),
        ])])
        let change = SyncChange(object: object, registers: [set(5, .int(2), at: 905, key: .string("k"))])
        try push(ben, 1, cursor: cursor, [change])
        let values = Dictionary(uniqueKeysWithValues: try row().registers.filter { $0.path.property == 5 }.map { ($0.path.key, $0.value) })
        #expect(values == [.string("k"): .int(2), .string("other"): .int(1)])
        #expect(try value(7) == nil)
    }

    @Test("a moved element is there once, and deletion wins over a move")
    func lists() throws {
        let id = { SyncIdentity(replica: 0, count: $0) }
        let insert = { (count: UInt64, left: UInt64) in
            SyncChange.Element(property: 4, element: id(count), act: .inserted, entry: entry(800), position: id(count),
                               left: left == 0 ? .none : id(left), value: .int(Int64(count)))
        }
        _ = try begin()
        let typed = [insert(1, 0), insert(2, 1), insert(3, 2)]
        try push(ann, 1, cursor: .never, [SyncChange(object: object, created: entry(1), elements: typed)])
        let cursor = try pull(ann).cursor
        let move = SyncChange.Element(property: 4, element: id(1), act: .moved, entry: entry(900, 2), position: id(4), left: id(3))
        let deletion = SyncChange.Element(property: 4, element: id(2), act: .deleted, entry: entry(900, 2))
        try push(ann, 2, cursor: cursor, [SyncChange(object: object, elements: [move, deletion])])
        let late = SyncChange.Element(property: 4, element: id(2), act: .moved, entry: entry(990, 3), position: id(5), right: id(3))
        try push(ann, 3, cursor: cursor, [SyncChange(object: object, elements: [late])])
        #expect(try row().lists.flatMap(\.elements).map(\.value) == [.int(3), .int(1)])
    }

    @Test("a merged property is not overwritten unseen, and a unique value stays with the first")
    func refusals() throws {
        let cursor = try begin(), other = SyncObject(type: 0, key: .string("y"))
        let anns = [set(8, .int(1), at: 900), set(9, .string("red"), at: 900)]
        try push(ann, 1, cursor: cursor, [SyncChange(object: object, registers: anns)])
        try push(ben, 1, cursor: cursor, [
            SyncChange(object: object, registers: [set(8, .int(2), at: 990)]),
            SyncChange(object: other, created: entry(1), registers: [set(9, .string("red"), at: 1)]),
        ])
        let answer = try pull(ben, since: cursor)
        #expect(Set(answer.rejections.map(\.reason)) == [.conflict, .notUnique])
        #expect(try value(8) == .int(1) && row(other).registers.map(\.value) == [.null])
    }

    @Test("a stamp far ahead becomes the server's time")
    func clocks() throws {
        let cursor = try begin(), ahead = Self.now + 2 * StampAssignment.limitMilliseconds
        try push(ann, 1, cursor: cursor, [SyncChange(object: object, registers: [set(0, .string("A"), at: ahead)])])
        #expect(try row().registers.map(\.stamp.milliseconds) == [Self.now])
    }

    /// A file with a wrong clock was copied; the copy brings its first write again, after other software has replaced it.
    @Test("a stamp that was replaced once is replaced alike when a copied file brings it again, also when it is not ahead any more",
          arguments: [true, false], [5000, 3 * StampAssignment.limitMilliseconds])
    func copiedStamps(isRule: Bool, wait: Int64) throws {
        server.shortcuts = isRule ? [] : .replacesStampsAnew
        let cursor = try begin(), ahead = Self.now + 2 * StampAssignment.limitMilliseconds, copy = ReplicaIdentity(high: 0, low: 5)
        try push(ann, 1, cursor: cursor, [SyncChange(object: object)])
        let inherited = SyncEntry(stamp: SyncStamp(milliseconds: ahead), epoch: 2, replica: 1)
        let write = SyncChange.Register(path: SyncPath(property: 0), entry: inherited, value: .string("old"))
        for one in [copy, ReplicaIdentity(high: 0, low: 6)] {
            let batch = SyncPush(epoch: 1, history: 1, cursor: cursor, seen: .none, names: server.schema.names, replicas: [one, ann],
                                 inherited: [.init(replica: 1, openEpoch: 2, last: inherited.stamp)],
                                 changes: [SyncChange(object: object, registers: [write])])
            _ = try server.commit(batch, by: user, in: try server.begin(), now: Self.now + (one == copy ? 0 : wait))
            if one == copy { try server.write([(0, .string("new"), 0)], to: object, creates: false, now: Self.now + 1000) }
        }
        #expect(try value(0) == .string(isRule ? "new" : "old"))
    }

    @Test("a batch with epochs that are not there, or an object twice, is refused as a whole")
    func malformed() throws {
        let cursor = try begin(), change = SyncChange(object: object, registers: [set(0, .string("A"), at: 900, 7)])
        let error = #expect(throws: FreeholdError.self) { try push(ann, 1, cursor: cursor, [change]) }
        #expect(error?.code == .malformedInput)
        let twice = #expect(throws: FreeholdError.self) {
            try push(ann, 1, cursor: cursor, [SyncChange(object: object), SyncChange(object: object)])
        }
        #expect(twice?.code == .malformedInput)
        #expect(try value(0) == nil)
    }

    @Test("a batch with classes and properties that the server does not have, or links to such classes, is refused, and names them")
    func unknownNames() throws {
        let cursor = try begin()
        let names = SyncNames(classes: [
            .init(name: "Unknown", properties: ["a"]), .init(name: "Task", properties: ["new", "title", "tags", "items", "more"]),
        ])
        let link = SyncValue.link(SyncObject(type: 0, key: .int(1))), element = SyncIdentity(replica: 0, count: 1)
        let object = SyncObject(type: 1, key: .string("x"))
        var known = SyncChange(object: object)
        known.registers = [set(1, .string("T"), at: 900)]
        known.members = [.init(property: 2, element: .int(5), isMember: true, entry: entry(900))]
        var wrong = [SyncChange](repeating: known, count: 4)
        wrong[0].registers.append(set(0, .int(1), at: 900))
        wrong[1].members.append(.init(property: 2, element: link, isMember: true, entry: entry(900)))
        wrong[2].elements = [
            .init(property: 3, element: element, act: .inserted, entry: entry(900), position: element, value: .list([link])),
        ]
        wrong[3].sums = [.init(property: 4, replica: 0, epoch: 1, amount: 2, count: 1, began: SyncStamp(milliseconds: 900))]
        let other = SyncChange(object: SyncObject(type: 0, key: .int(1)), created: entry(900))
        func commit(_ changes: [SyncChange]) throws {
            let push = SyncPush(epoch: 1, history: 1, cursor: cursor, seen: .none, names: names, replicas: [ann], changes: changes)
            guard case .push(let received) = try SyncMessage(bytes: SyncMessage.push(push).bytes) else { return }
            _ = try server.commit(received, by: user, in: try server.begin(), now: Self.now)
        }
        let before = try row()
        let mistakes = ["class 'Unknown'"] + ["new", "tags", "items", "more"].map { "'Task.\($0)'" }
        for (changes, name) in zip([[known, other]] + wrong.map { [$0] }, mistakes) {
            let error = #expect(throws: FreeholdError.self) { try commit(changes) }
            #expect(error?.code == .schemaMismatch && error?.message.hasPrefix("the server does not have \(name), or has it") == true)
            #expect(try row() == before && pull(ann, since: cursor).rejections.isEmpty)
        }
        try commit([known])
        #expect(try value(0) == .string("T") && row().members.map(\.element) == [.int(5)])
    }

    @Test("what lies deeper in objects that embed their own class than the server has is refused, and advice is given")
    func tooDeep() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/tree.freehold", .simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write { transaction in
            let title = PropertySchema("title", .string, isNullable: true), child = PropertySchema("child", linkTo: "Node")
            try transaction.createClass(ClassSchema("Node", isEmbedded: true, [title, child]))
            let root = PropertySchema("root", linkTo: "Node")
            try transaction.createClass(ClassSchema("Tree", primaryKey: "id", [PropertySchema("id", .string), root]))
            try transaction.sync.mark("Tree")
        }
        let schema = SyncSchema(declared: try database.snapshot().classes)
        let server = SyncServer(schema: schema, store: MemoryStore(schema: schema))
        try server.add(user)
        func commit(_ properties: [String]) throws {
            let names = SyncNames(classes: [.init(name: "Tree", properties: properties)])
            let change = SyncChange(object: SyncObject(type: 0, key: .string("t")), created: entry(1), registers: [
                .init(path: SyncPath(property: 0), entry: entry(1), value: .string("x")),
            ])
            let push = SyncPush(epoch: 1, history: 1, cursor: .never, seen: .none, names: names, replicas: [ann], changes: [change])
            _ = try server.commit(push, by: user, in: try server.begin(), now: Self.now)
        }
        let names = [("root.child.title", true), ("root.child.child.child.title", true), ("root.other", false), ("other", false)]
        for (name, isDeep) in names {
            let error = #expect(throws: FreeholdError.self) { try commit([name]) }
            #expect(error?.code == .schemaMismatch && error?.message.contains("'Tree.\(name)'") == true)
            #expect(error?.message.contains("the server has the first level") == isDeep)
        }
    }

    @Test("a change that its property's kind cannot have, as after a change of the schema, is refused with its batch")
    func otherKinds() throws {
        let cursor = try begin(), element = SyncIdentity(replica: 0, count: 1), before = try row()
        var wrong = [SyncChange](repeating: SyncChange(object: object), count: 8)
        for (place, property) in [2, 3, 4].enumerated() { wrong[place].registers = [set(Int32(property), .int(1), at: 900)] }
        wrong[3].members = [.init(property: 0, element: .int(5), isMember: true, entry: entry(900))]
        wrong[4].elements = [.init(property: 3, element: element, act: .inserted, entry: entry(900), position: element, value: .int(1))]
        wrong[5].sums = [.init(property: 0, replica: 0, epoch: 1, amount: 2, count: 1, began: SyncStamp(milliseconds: 900))]
        wrong[6].registers = [set(5, .int(1), at: 900)]
        wrong[7] = SyncChange(object: SyncObject(type: 0, key: .int(1)), created: entry(900))
        for change in wrong {
            let error = #expect(throws: FreeholdError.self) { try push(ann, 1, cursor: cursor, [change]) }
            #expect(error?.code == .schemaMismatch)
            #expect(try row() == before)
        }
        try push(ann, 1, cursor: cursor, [SyncChange(object: object, registers: [set(0, .string("T"), at: 900)])])
        #expect(try value(0) == .string("T"))
    }

    @Test("a device's own numbers of classes and properties are translated by their names")
    func names() throws {
        let names = SyncNames(classes: [.init(name: "Note", properties: []), .init(name: "Task", properties: ["done", "title"])])
        let change = SyncChange(object: SyncObject(type: 1, key: .string("x")), created: entry(1),
                                registers: [.init(path: SyncPath(property: 1), entry: entry(1), value: .string("T"))])
        let batch = SyncPush(epoch: 1, history: 1, cursor: .never, seen: .none, names: names, replicas: [ann], changes: [change])
        _ = try server.commit(batch, by: user, in: try server.begin(), now: Self.now)
        #expect(try value(0) == .string("T"))
    }
}
