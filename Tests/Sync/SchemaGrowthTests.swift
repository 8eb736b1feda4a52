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

    @Test("a batch with a class or property that the server does not have is refused as a whole, and sent once the server has them")
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
        let replica = SyncReplica(database), key = Value.string("t"), now: Int64 = 1_700_000_000_000
        func pull(_ server: SyncServer) throws -> SyncReport? {
            try replica.apply(try server.answer(try replica.pull(sent: 0), for: user, now: now), monotonic: 0)
        }
        func push(_ server: SyncServer) throws -> SyncAck? {
            let sealed = try #require(try replica.seal())
            return try server.commit(try replica.batch(sealed), by: user, in: try server.begin(), now: now)
        }
        func expectRefused(_ server: SyncServer) throws {
            let error = #expect(throws: FreeholdError.self) { try push(server) }
            #expect(error?.code == .schemaMismatch)
            for name in ["class 'Extra'", "'Task.more'"] { #expect(error?.message.contains(name) == true) }
            #expect(try server.store.row(SyncObject(type: 0, key: .string("t"))) == nil)
            // An answer after it clears nothing, and says nothing of it.
            #expect(try pull(server)?.losses.isEmpty == true)
            #expect(try database.snapshot().pendingCounts().created == 2 && database.check().problems.isEmpty)
        }
        #expect(try pull(server) != nil)
        try expectRefused(server)
        // What is changed then is still part of a new object, and not a change of one that no server has.
        try database.write { transaction in
            for name in ["Task", "Extra"] {
                let table = try transaction.table(name), object = try #require(try table.key(primaryKey: key))
                try transaction.set(object, in: table, table.column("more"), to: .int(6))
            }
        }
        try expectRefused(server)
        let restored = SyncServer(schema: server.schema, store: server.store, history: 2)
        #expect(try pull(restored)?.isReset == true)
        try expectRefused(restored)

        let properties: [SyncSchema.Property] = [.init("title"), .init("more")]
        let schema = SyncSchema(classes: [.init("Extra", properties: properties), .init("Task", properties: properties)])
        let grown = SyncServer(schema: schema, store: MemoryStore(schema: schema), history: 3)
        try grown.add(user)
        #expect(try push(grown) == nil && pull(grown)?.isReset == true)
        #expect(try push(grown) != nil && pull(grown)?.losses.isEmpty == true)
        for type: Int32 in [0, 1] {
            let row = try grown.store.row(SyncObject(type: type, key: .string("t")))
            #expect(row?.value(of: 0) == .string("mine") && row?.value(of: 1) == .int(6))
        }
        for name in ["Task", "Extra"] {
            let table = try database.snapshot().table(name), object = try #require(try table.key(primaryKey: key))
            #expect(try table.value(object, table.column("more")) == .int(6))
        }
        #expect(try database.snapshot().pendingCounts().isEmpty && database.check().problems.isEmpty)
    }
}
