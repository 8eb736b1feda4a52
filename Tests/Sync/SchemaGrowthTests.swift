import DatabaseKit
import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// What a file passes over because it does not have the class or property, and how it gets that later.
@Suite("A schema that grows after an answer")
struct SchemaGrowthTests {
    private static let schema = SyncSchema(classes: [
        .init("Task", properties: [.init("title"), .init("note")]), .init("Tag", properties: [.init("name")]),
    ])
    private let server = SyncServer(schema: schema, store: MemoryStore(schema: schema))
    private let user = SyncUser(rawValue: 1)

    init() throws { try server.add(user) }

    private func exchange(_ database: Database) throws {
        let replica = SyncReplica(database)
        for _ in 0..<3 {
            if let sealed = try replica.seal() {
                _ = try server.commit(try replica.batch(sealed), by: user, in: try server.begin(), now: 1_700_000_000_000)
            }
            let answer = try server.answer(try replica.pull(sent: 0), for: user, now: 1_700_000_000_000)
            #expect(try replica.apply(answer, monotonic: 0) != nil)
        }
    }

    private func note(of database: Database) throws -> Value {
        let table = try database.snapshot().table("Task"), key = try #require(try table.key(primaryKey: .string("t")))
        return try table.value(key, table.column("note"))
    }

    @Test("a property and a class that are new to the file get what the server has of them")
    func growth() throws {
        let machine = SimulatedSystem(seed: 4)
        defer { machine.discard() }
        let database = try Database.open("/small.freehold", .simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write { transaction in
            let id = PropertySchema("id", .string)
            try transaction.createClass(ClassSchema("Task", primaryKey: "id", [id, PropertySchema("title", .string, isNullable: true)]))
            try transaction.sync.mark("Task")
            try transaction.insert(into: "Task", [("id", .string("t")), ("title", .string("mine"))])
        }
        try exchange(database)
        let task = SyncObject(type: 0, key: .string("t")), tag = SyncObject(type: 1, key: .string("g"))
        try server.write([(1, .string("theirs"), 0)], to: task, creates: false, now: 1_700_000_000_000)
        try server.write([(0, .string("red"), 0)], to: tag, creates: true, now: 1_700_000_000_000)
        try exchange(database)

        try database.write { try $0.addProperty(PropertySchema("note", .string, isNullable: true), to: "Task") }
        #expect(try note(of: database) == .null)
        try exchange(database)
        #expect(try note(of: database) == .string("theirs"))

        try database.write { transaction in
            try transaction.createClass(ClassSchema("Tag", primaryKey: "id", [
                PropertySchema("id", .string), PropertySchema("name", .string, isNullable: true),
            ]))
            try transaction.sync.mark("Tag")
        }
        try exchange(database)
        let tags = try database.snapshot().table("Tag"), key = try #require(try tags.key(primaryKey: .string("g")))
        #expect(try tags.value(key, tags.column("name")) == .string("red"))
        #expect(try database.check().problems.isEmpty)
        #expect(try database.snapshot().pendingCounts().isEmpty)
    }

    @Test("a class and a property that the server does not have are reported, stay in the file, also at a reset, and block nothing")
    func unknown() throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        let database = try Database.open("/large.freehold", .simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write { transaction in
            let id = PropertySchema("id", .string)
            for name in ["Task", "Extra"] {
                let properties = [id, PropertySchema("title", .string, isNullable: true), PropertySchema("more", .int, isNullable: true)]
                try transaction.createClass(ClassSchema(name, primaryKey: "id", properties))
                try transaction.sync.mark(name)
                try transaction.insert(into: name, [("id", .string("t")), ("title", .string("mine")), ("more", .int(5))])
            }
        }
        let replica = SyncReplica(database), first = try server.answer(try replica.pull(sent: 0), for: user, now: 1_700_000_000_000)
        #expect(try replica.apply(first, monotonic: 0) != nil)
        let sealed = try #require(try replica.seal())
        _ = try server.commit(try replica.batch(sealed), by: user, in: try server.begin(), now: 1_700_000_000_000)
        let answer = try server.answer(try replica.pull(sent: 0), for: user, now: 1_700_000_000_000)
        let report = try #require(try replica.apply(answer, monotonic: 0)), key = Value.string("t")
        #expect(Set(report.losses.map { "\($0.className) \($0.property ?? "-") \($0.reason)" }) == ["Extra - unknown", "Task more unknown"])
        #expect(report.losses.allSatisfy { $0.primaryKey == key } && report.losses.count == 2)
        #expect(try server.store.row(SyncObject(type: 0, key: .string("t")))?.value(of: 0) == .string("mine"))
        func expectKept() throws {
            for name in ["Task", "Extra"] {
                let table = try database.snapshot().table(name), object = try #require(try table.key(primaryKey: key))
                #expect(try table.value(object, table.column("more")) == .int(5))
            }
            #expect(try database.snapshot().pendingCounts().isEmpty && database.check().problems.isEmpty)
        }
        try expectKept()
        let restored = SyncServer(schema: server.schema, store: server.store, history: 2)
        let reset = try restored.answer(try replica.pull(sent: 0), for: user, now: 1_700_000_000_000)
        #expect(try replica.apply(reset, monotonic: 0)?.isReset == true)
        try expectKept()
    }
}
