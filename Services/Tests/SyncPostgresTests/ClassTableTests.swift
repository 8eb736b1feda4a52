import FreeholdEngine
@testable import FreeholdMerge
@testable import SyncPostgres
import Testing

/// The tables in which other software reads objects.
@Suite("Tables of classes", .serialized)
struct ClassTableTests {
    private static let types: [PropertyType?] = [
        .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectId, .decimal, .mixed, .link, nil,
    ]

    /// A class for each type of keys, with a property of each type and kind, in the order of `types`.
    private static let schema: SyncSchema = {
        let keys: [PropertyType] = [.int, .string, .uuid, .objectId]
        return SyncSchema(classes: keys.enumerated().map { number, key in
            var properties: [SyncSchema.Property] = []
            for (kind, name) in [(SyncSchema.Kind.plain, "p"), (.set, "s"), (.map, "m"), (.list, "l")] {
                for (place, type) in types.enumerated() {
                    properties.append(.init("\(name)\(place)", kind, type: type, target: type == .link ? "K\((number + 1) % 4)" : nil))
                }
            }
            properties += [.init(":class"), .init("count", .counter), .init("part", type: .link, target: "Part"), .init("part.:class"),
                           .init("part.size", type: .double), .init("part.inner", type: .link, target: "Part"),
                           .init("part.inner.:class"), .init("part.inner.size", type: .int)]
            return SyncSchema.Class("K\(number)", key: .init("id", key), properties: properties)
        })
    }()

    private static func prepare(_ cluster: Cluster, _ schema: SyncSchema) throws -> PostgresConnection {
        let connection = try PostgresConnection(cluster.address)
        try connection.run(script: "DROP SCHEMA IF EXISTS freehold CASCADE; DROP SCHEMA IF EXISTS app CASCADE")
        try PostgresStore.makeTables(connection)
        _ = try PostgresCatalog.add(schema, to: connection)
        return connection
    }

    @Test("random rows of every type are in the tables as in the merge, transaction after transaction",
          arguments: 1...4 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        let cluster = try Cluster(), connection = try Self.prepare(cluster, Self.schema)
        var values = RandomValues(seed: seed, schema: Self.schema)
        let objects = (0..<24).map { SyncObject(type: Int32($0 % 4), key: values.key(of: Int32($0 % 4))) }
        for step in 0..<12 {
            let store = PostgresStore(connection, schema: Self.schema), transaction = try store.begin()
            for object in objects where values.isChosen(3) {
                let row = try store.row(object) ?? StoredRow(transaction: transaction, propertyCount: Self.schema[object].properties.count)
                store.save(values.changed(row, of: object.type, transaction), of: object, transaction: transaction)
            }
            if values.isChosen(5) { store.cancel(transaction) } else { try store.commit(transaction) }
            let problems = try TableJudge.problems(connection, Self.schema)
            #expect(problems == [], "seed \(seed), step \(step)")
            if problems != [] { return }
        }
        let count = try connection.run("SELECT count(*) FROM app.\"K1\"").int(0, 0)
        #expect(count > 0)
    }

    @Test("the judge sees a value, a row or an element that is another one")
    func judge() throws {
        let cluster = try Cluster(), connection = try Self.prepare(cluster, Self.schema)
        let store = PostgresStore(connection, schema: Self.schema), transaction = try store.begin()
        let object = SyncObject(type: 0, key: .int(1))
        var row = try store.row(object) ?? StoredRow(transaction: transaction, propertyCount: Self.schema.classes[0].properties.count)
        row.registers[1] = StoredRegister(value: .int(5), stamp: SyncStamp(rawValue: 1))
        row.members[StoredMember(property: 14, element: .int(7))] = .added(4)
        store.save(row, of: object, transaction: transaction)
        try store.commit(transaction)
        #expect(try TableJudge.problems(connection, Self.schema) == [])
        try connection.run(script: "SET freehold.merging = 'on'")
        for change in ["UPDATE app.\"K0\" SET p1 = 6", "UPDATE app.\"K0\" SET p1 = NULL", "DELETE FROM app.\"K0\"",
                       "UPDATE app.\"K0.s1\" SET element = 8", "INSERT INTO app.\"K0.s1\" VALUES (1, 7)", "DELETE FROM app.\"K0.s1\"",
                       "INSERT INTO app.\"K1\" VALUES ('k')", "INSERT INTO app.\"K0.l1\" VALUES (1, 0, 1)"] {
            try connection.run(script: "BEGIN; \(change)")
            #expect(try TableJudge.problems(connection, Self.schema).count == 1, "\(change)")
            try connection.run(script: "ROLLBACK")
        }
    }

    @Test("members that PostgreSQL takes for equal come and go one by one")
    func similar() throws {
        let cluster = try Cluster(), connection = try Self.prepare(cluster, Self.schema), object = SyncObject(type: 0, key: .int(1))
        let decimals = ["0", "-0", "1", "1.0", "1.00", "1E+3", "1000", "1000.0", "1E-3", "0.001"].map { Decimal128($0)! }
        let members: [(Int32, [SyncValue])] = [
            (2, [Float(0), -0.0, .nan, -.nan].map { .float($0.bitPattern) }), (3, [0.0, -0.0, .nan, -.nan].map { .double($0.bitPattern) }),
            (4, [.string("a\u{0}"), .string("b\u{0}"), .null]), (6, [.timestamp(5, 1), .timestamp(5, 2), .timestamp(5, 1000)]),
            (9, decimals.map { .decimal($0.high, $0.low) }),
            (10, decimals.map { .decimal($0.high, $0.low) } + [.double((1000.0).bitPattern), .double((1e20).bitPattern), .int(1000)]),
        ]
        let size = Self.schema.classes[0].properties.count
        for turn in 0..<14 {
            let store = PostgresStore(connection, schema: Self.schema), transaction = try store.begin()
            var row = try store.row(object) ?? StoredRow(transaction: transaction, propertyCount: size)
            for (type, values) in members {
                for (place, value) in values.enumerated() {
                    // All come, and then one after the other goes and comes back.
                    row.members[StoredMember(property: 13 + type, element: value)] = turn > 0 && place == turn - 1 ? nil : .added(4)
                }
            }
            store.save(row, of: object, transaction: transaction)
            try store.commit(transaction)
            #expect(try TableJudge.problems(connection, Self.schema) == [], "turn \(turn)")
        }
    }

    @Test("other software reads a row by SQL")
    func reading() throws {
        let cluster = try Cluster()
        let schema = SyncSchema(classes: [
            .init("Person", key: .init("id", .uuid), properties: [
                .init(":class"), .init("name", type: .string), .init("address", type: .link, target: "Address"),
                .init("address.:class"), .init("address.city", type: .string), .init("boss", type: .link, target: "Person"),
                .init("tags", .set, type: .string), .init("born", type: .date), .init("anything", type: .mixed),
            ]),
        ])
        let connection = try Self.prepare(cluster, schema), store = PostgresStore(connection, schema: schema)
        let transaction = try store.begin(), object = SyncObject(type: 0, key: .uuid(1, 2))
        var row = try store.row(object) ?? StoredRow(transaction: transaction, propertyCount: 9)
        let part = SyncIdentity(replica: 1, count: 1)
        let values: [(Int, SyncValue, SyncIdentity)] = [
            (0, .string("Boss"), .none), (1, .string("Ann"), .none), (2, .embedded(part), .none), (4, .string("Rome"), part),
            (5, .link(object), .none), (7, .timestamp(0, 1_500), .none),
            (8, .map([.init(key: "a", value: .list([.int(1), .null, .decimal(0x3040_0000_0000_0000, 15)]))]), .none),
        ]
        for (place, value, instance) in values {
            row.registers[place] = StoredRegister(value: value, stamp: SyncStamp(rawValue: 1), instance: instance)
        }
        row.members[StoredMember(property: 6, element: .string("new"))] = .added(4)
        store.save(row, of: object, transaction: transaction)
        try store.commit(transaction)
        let found = try connection.run("""
            SELECT concat_ws(' ', ":class", name, address, "address.city", boss = id, t.element, born AT TIME ZONE 'UTC', anything) \
            FROM app."Person" JOIN app."Person.tags" t ON t.owner = id
            """)
        #expect(found.text(0, 0) == "Boss Ann t Rome t new 1970-01-01 00:00:00.000001 {\"a\": [1, null, 15]}")
    }

    @Test("classes and properties that are added get tables and columns, and what was there stays")
    func growth() throws {
        let cluster = try Cluster()
        let long = String(repeating: "n", count: 70)
        let small = SyncSchema(classes: [.init("Task", properties: [.init("title", type: .string), .init("tags", .set, type: .string)])])
        let large = SyncSchema(classes: [
            .init("Note", properties: [.init("text", type: .string), .init("\(long)1", type: .int), .init("\(long)2", .list, type: .int)]),
            // Names that clash with those of other tables and of indexes.
            .init("Task.tags", properties: [.init("id", type: .int)]), .init("Task_pkey", properties: [.init("ctid", type: .int)]),
            .init("Task", properties: [.init("title", type: .string), .init("tags", .set, type: .string), .init("done", type: .bool),
                                       .init("notes", .map, type: .link, target: "Note"), .init("\"; DROP", type: .int)]),
        ])
        let connection = try Self.prepare(cluster, small)
        try Self.save(connection, small, seed: 1)
        #expect(try TableJudge.problems(connection, small) == [])
        #expect(try PostgresCatalog.add(small, to: connection) == [])
        #expect(try !PostgresCatalog.add(large, to: connection).isEmpty)
        let grown = try PostgresCatalog(connection).schema
        #expect(grown.classes.count == 4)
        #expect(try TableJudge.problems(connection, small) == [])
        try Self.save(connection, grown, seed: 2)
        let judged = try connection.run("SELECT in_column FROM freehold.property WHERE in_column LIKE '%\"%'").count
        #expect(judged == 1)
        #expect(try connection.run("SELECT count(*) FROM app.\"Task\"").int(0, 0) > 0)
    }

    @Test("a table of other software is never touched: its name is refused, and nothing is added")
    func taken() throws {
        let cluster = try Cluster(), connection = try PostgresConnection(cluster.address)
        try PostgresStore.makeTables(connection)
        try connection.run(script: "CREATE SCHEMA app; CREATE TABLE app.\"Task\" (mine text)")
        let schema = SyncSchema(classes: [.init("Task", properties: [.init("title", type: .string)])])
        #expect(throws: FreeholdError.self) { try PostgresCatalog.add(schema, to: connection) }
        #expect(try connection.run("SELECT count(*) FROM freehold.class").int(0, 0) == 0)
        for space in ["freehold", "public", "pg_catalog", ""] {
            #expect(throws: FreeholdError.self) { try PostgresCatalog.add(schema, to: connection, tables: space) }
        }
        _ = try PostgresCatalog.add(schema, to: connection, tables: "my \"own\" tables")
        #expect(try connection.run("SELECT count(*) FROM \"my \"\"own\"\" tables\".\"Task\"").int(0, 0) == 0)
    }

    private static func save(_ connection: PostgresConnection, _ schema: SyncSchema, seed: UInt64) throws {
        var values = RandomValues(seed: seed, schema: schema)
        let store = PostgresStore(connection, schema: schema), transaction = try store.begin()
        for number in 0..<schema.classes.count * 8 {
            let object = SyncObject(type: Int32(number % schema.classes.count), key: .string("k\(number)"))
            let row = try store.row(object) ?? StoredRow(transaction: transaction, propertyCount: schema[object].properties.count)
            store.save(values.changed(row, of: object.type, transaction), of: object, transaction: transaction)
        }
        try store.commit(transaction)
    }
}
