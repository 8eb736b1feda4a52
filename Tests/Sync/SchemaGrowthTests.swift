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

    init() { server.add(user) }

    private func exchange(_ database: Database) throws {
        let replica = SyncReplica(database)
        for _ in 0..<3 {
            if let sealed = try replica.seal() {
                _ = try server.commit(try replica.batch(sealed), by: user, in: server.begin(), now: 1_700_000_000_000)
            }
            let answer = server.answer(try replica.pull(sent: 0), for: user, now: 1_700_000_000_000)
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
        server.write([(1, .string("theirs"), 0)], to: task, creates: false, now: 1_700_000_000_000)
        server.write([(0, .string("red"), 0)], to: tag, creates: true, now: 1_700_000_000_000)
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
}
