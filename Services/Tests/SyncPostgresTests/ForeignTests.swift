import FreeholdEngine
@testable import FreeholdMerge
@testable import SyncPostgres
import Testing

/// What other software writes by SQL.
@Suite("Writes of other software", .serialized)
struct ForeignTests {
    private static let schema = SyncSchema(classes: [
        .init("Thing", properties: [
            .init(":class"), .init("flag", type: .bool), .init("whole", type: .int), .init("single", type: .float),
            .init("real", type: .double), .init("text", type: .string), .init("bytes", type: .data), .init("day", type: .date),
            .init("mark", type: .uuid), .init("object", type: .objectId), .init("money", type: .decimal), .init("any", type: .mixed),
            .init("other", type: .link, target: "Thing"), .init("free", type: .link, target: "Unsynced"),
            .init("count", .counter, type: .int),
            .init("tags", .set, type: .string), .init("rates", .map, type: .decimal), .init("list", .list, type: .int),
            .init("part", type: .link, target: "Part"), .init("part.:class"), .init("part.size", type: .double),
            .init("code", isUnique: true, type: .int), .init("sizes", .set, type: .mixed),
        ]),
        .init("Firm", conflict: .updateWins, key: .init("number", .int), properties: [.init("name", type: .string)]),
        .init("Badge", key: .init("id", .objectId), properties: [.init("name", type: .string)]),
    ])
    private static let now: Int64 = 1_700_000_000_000
    private static let part: Int32 = 18

    /// A cluster with a server, and a connection of other software.
    private final class Stage {
        let cluster: Cluster
        let connection: PostgresConnection
        let store: PostgresStore
        let server: SyncServer

        init() throws {
            cluster = try Cluster()
            connection = try PostgresConnection(cluster.address)
            try PostgresStore.makeTables(connection)
            _ = try PostgresCatalog.add(ForeignTests.schema, to: connection)
            store = PostgresStore(try PostgresConnection(cluster.address), schema: ForeignTests.schema)
            server = SyncServer(schema: ForeignTests.schema, store: store)
        }

        func sql(_ text: String) throws { try connection.run(script: text) }

        func takeOver() throws {
            try server.takeOver(store.notedObjects(100), now: ForeignTests.now)
            #expect(try store.notedObjects(100) == [])
            #expect(try TableJudge.problems(connection, ForeignTests.schema) == [])
        }

        func row(_ key: String) throws -> StoredRow { try #require(try store.row(Self.object(key))) }
        static func object(_ key: String) -> SyncObject { SyncObject(type: 0, key: .string(key)) }

        func value(_ name: String, of key: String = "a") throws -> SyncValue {
            let place = ForeignTests.schema.classes[0].properties.firstIndex { $0.name == name }!
            return try row(key).shownValue(of: Int32(place), in: ForeignTests.schema.classes[0])
        }

        func refused(_ text: String, _ words: String, _ location: SourceLocation = #_sourceLocation) {
            do throws(FreeholdError) {
                try connection.run(script: "BEGIN; \(text); COMMIT")
                Issue.record("\(text) is not refused", sourceLocation: location)
            } catch {
                #expect(error.message.contains(words), "\(text): \(error)", sourceLocation: location)
            }
            try? connection.run(script: "ROLLBACK")
        }

        var refusals: [String] {
            get throws {
                let found = try connection.run("SELECT place FROM freehold.refused ORDER BY at, place")
                return (0..<found.count).map { found.text($0, 0) }
            }
        }
    }

    @Test("values of every type come to the row exactly")
    func values() throws {
        let stage = try Stage()
        try stage.sql("""
            INSERT INTO app."Thing" \
            (id, flag, whole, single, "real", text, bytes, day, mark, object, money, "any", other, free, count) VALUES (\
            'a', true, -9223372036854775808, 0.1, '-0', E'é\\t"\\\\', '\\x00ff', '1969-12-31 23:59:59.999999Z', \
            '00112233-4455-6677-8899-aabbccddeeff', '\\x00112233445566778899aabb', 12.50, \
            '[1, 1.5, 0.1234567890123456789, "x\\u0001\\n", null, true, {"a": [], "class": {}}, 100000000000000000000]', \
            'missing', '{"class": "Firm", "key": 7}', 5)
            """)
        try stage.takeOver()
        let long = Decimal128("0.1234567890123456789")!, money = Decimal128("12.50")!
        let any: [SyncValue] = [
            .int(1), .double((1.5).bitPattern), .decimal(long.high, long.low), .string("x\u{1}\n"), .null, .bool(true),
            .map([.init(key: "a", value: .list([])), .init(key: "class", value: .map([]))]), .double((1e20).bitPattern),
        ]
        let expected: [(String, SyncValue)] = [
            ("flag", .bool(true)), ("whole", .int(.min)), ("single", .float(Float(0.1).bitPattern)), ("real", .double((-0.0).bitPattern)),
            ("text", .string("é\t\"\\")), ("bytes", .data([0, 255])), ("day", .timestamp(-1, 999_999_000)),
            ("mark", .uuid(0x0011_2233_4455_6677, 0x8899_aabb_ccdd_eeff)), ("object", .objectID(0x0011_2233_4455_6677, 0x8899_aabb)),
            ("money", .decimal(money.high, money.low)), ("any", .list(any)), ("other", .link(Stage.object("missing"))),
            ("free", .link(SyncObject(type: 1, key: .int(7)))),
        ]
        for (name, value) in expected { #expect(try stage.value(name) == value, "\(name)") }
        #expect(try stage.row("a").counters[14] == 5)
        // The same again is no change.
        let last = try stage.row("a").last
        try stage.sql("UPDATE app.\"Thing\" SET whole = whole, \"any\" = \"any\"")
        try stage.takeOver()
        #expect(try stage.row("a").last == last)
        try stage.sql("UPDATE app.\"Thing\" SET whole = NULL, count = count - 7, \"any\" = '{\"key\": \"x\", \"class\": \"Thing\"}'")
        try stage.takeOver()
        #expect(try stage.value("whole") == .null)
        #expect(try stage.value("any") == .link(Stage.object("x")))
        #expect(try stage.row("a").counters[14] == -2)
        #expect(try stage.refusals == [])
    }

    @Test("entries of sets and maps come, change and go; rows that are there twice become one")
    func collections() throws {
        let stage = try Stage()
        try stage.sql("""
            INSERT INTO app."Thing" (id) VALUES ('a'); INSERT INTO app."Thing.tags" VALUES ('a', 'x'), ('a', 'y'), ('a', 'x');
            INSERT INTO app."Thing.rates" VALUES ('a', 'k', 1.50), ('a', 'l', 2), ('a', 'n', NULL);
            INSERT INTO app."Thing.sizes" VALUES ('a', '1'), ('a', '"two"')
            """)
        try stage.takeOver()
        let count = { try stage.connection.run("SELECT count(*) FROM app.\"Thing.tags\"").int(0, 0) }
        #expect(try count() == 2)
        #expect(try Set(stage.row("a").shownMembers[15] ?? []) == [.string("x"), .string("y")])
        #expect(try stage.row("a").shownEntries[16]?.count == 3)
        try stage.sql("""
            DELETE FROM app."Thing.tags" WHERE element = 'x'; UPDATE app."Thing.tags" SET element = 'z' WHERE element = 'y';
            UPDATE app."Thing.rates" SET value = 1.5 WHERE key = 'k'; DELETE FROM app."Thing.rates" WHERE key = 'l';
            UPDATE app."Thing.rates" SET key = 'm' WHERE key = 'n'; DELETE FROM app."Thing.sizes" WHERE element = '1'
            """)
        try stage.takeOver()
        #expect(try stage.row("a").shownMembers[15] == [.string("z")])
        let entries = try stage.row("a").shownEntries[16] ?? [], half = Decimal128("1.5")!
        #expect(Set(entries.map(\.key)) == [.string("k"), .string("m")])
        #expect(entries.first { $0.key == .string("k") }?.value == .decimal(half.high, half.low))
        #expect(try stage.row("a").shownMembers[22]?.count == 1)
    }

    @Test("what no property can have is refused in words, and nothing of its transaction is there")
    func refusals() throws {
        let stage = try Stage()
        try stage.sql("""
            INSERT INTO app."Thing" (id, count) VALUES ('a', 1); INSERT INTO app."Thing.rates" VALUES ('a', 'k', 1);
            INSERT INTO app."Thing.tags" VALUES ('a', 't')
            """)
        try stage.takeOver()
        let set = "UPDATE app.\"Thing\" SET "
        let refused: [(String, String)] = [
            (set + "id = 'b'", "the key of an object stays"), (set + "day = 'infinity'", "point of time"),
            (set + "money = 12345678901234567890123456789012345", "34 digits"), (set + "object = '\\x00'", "12 bytes"),
            (set + "count = NULL", "cannot be null"), (set + "part = false", "true or null"), (set + "\"part.size\" = 1", "not there"),
            (set + "\":class\" = 'X'", "the class of an object stays"), (set + "\"any\" = '{\"class\": \"No\", \"key\": 1}'", "no link"),
            (set + "free = '{\"class\": \"Firm\", \"key\": \"x\"}'", "a link to an object"), (set + "free = '1'", "a link to an object"),
            (set + "\"any\" = '12345678901234567890123456789012345'", "34 digits"),
            (set + "part = true, \"part.:class\" = 'No'", "a class that no object here has"),
            ("INSERT INTO app.\"Thing\" (id, \":class\") VALUES ('b', 'Sub')", "a class that no object here has"),
            ("INSERT INTO app.\"Badge\" VALUES ('\\x00')", "12 bytes"), ("TRUNCATE app.\"Thing\"", "TRUNCATE is refused"),
            ("INSERT INTO app.\"Thing.tags\" VALUES ('a', NULL)", "cannot be null"), ("TRUNCATE app.\"Thing.tags\"", "TRUNCATE is refused"),
            ("INSERT INTO app.\"Thing.tags\" VALUES ('b', 'x')", "no object"), ("UPDATE app.\"Thing.tags\" SET owner = 'b'", "owner"),
            ("INSERT INTO app.\"Thing.sizes\" VALUES ('a', '[1]')", "cannot be a list or a map"),
            ("INSERT INTO app.\"Thing.sizes\" VALUES ('a', '{\"b\": 1}')", "cannot be a list or a map"),
            ("INSERT INTO app.\"Thing\" (id) VALUES (repeat('x', 1201))", "longer than 1200 bytes"),
            ("INSERT INTO app.\"Thing.rates\" VALUES ('a', 'k', 2)", "an entry with this key"),
            ("UPDATE app.\"Thing.rates\" SET value = 12345678901234567890123456789012345", "34 digits"),
            ("INSERT INTO app.\"Thing.list\" VALUES ('a', 0, 1)", "can only be read"),
            ("DELETE FROM app.\"Thing.list\"", "can only be read"), ("TRUNCATE app.\"Thing.list\"", "can only be read"),
        ]
        for (text, words) in refused { stage.refused(text, words) }
        #expect(try stage.store.notedObjects(1) == [])
        // What only the server knows: its old value is back.
        try stage.sql(set + "\"any\" = '[{\"class\": \"No\", \"key\": 1}]', whole = 3")
        try stage.takeOver()
        #expect(try stage.value("any") == .null)
        #expect(try stage.value("whole") == .int(3))
        #expect(try stage.refusals == ["any"])
    }

    @Test("lists as deep as a message takes are taken over, and deeper ones are put back", arguments: [100, 101])
    func deep(levels: Int) throws {
        let stage = try Stage(), text = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        try stage.sql("INSERT INTO app.\"Thing\" (id, \"any\") VALUES ('a', '\(text)')")
        try stage.takeOver()
        let value = try stage.value("any")
        #expect(value.isNull == (levels > SyncValue.maximumDepth))
        // Also a new transaction can read the row.
        stage.store.cancel(0)
        #expect(try stage.value("any") == value)
    }

    @Test("values that a column cannot have stay when another column is written")
    func inexact() throws {
        let stage = try Stage(), transaction = try stage.store.begin()
        var row = StoredRow(transaction: transaction, propertyCount: Self.schema.classes[0].properties.count)
        let decimal = Decimal128("-0")!
        let values: [(Int, SyncValue)] = [
            (4, .double((-Double.nan).bitPattern)), (5, .string("a\u{0}")), (7, .timestamp(1, 1_001)),
            (10, .decimal(decimal.high, decimal.low)),
            (11, .map([.init(key: "bb", value: .timestamp(0, 1)), .init(key: "c", value: .float(1))])),
        ]
        for (place, value) in values { row.registers[place] = StoredRegister(value: value, stamp: SyncStamp(rawValue: 1)) }
        row.members[StoredMember(property: 15, element: .string("n\u{0}"))] = .added(4)
        row.members[StoredMember(property: 15, element: .string("o\u{0}"))] = .added(4)
        row.entries[SyncPath(property: 16, key: .string("k\u{0}"))] = StoredRegister(value: .null, stamp: SyncStamp(rawValue: 1))
        stage.store.save(row, of: Stage.object("a"), transaction: transaction)
        try stage.store.commit(transaction)
        try stage.sql("UPDATE app.\"Thing\" SET whole = 1; INSERT INTO app.\"Thing.tags\" VALUES ('a', 'new')")
        try stage.takeOver()
        let found = try stage.row("a")
        for (place, value) in values {
            #expect(found.registers[place].value == value)
            #expect(found.registers[place].stamp == SyncStamp(rawValue: 1))
        }
        #expect(found.shownMembers[15]?.count == 3)
        #expect(found.shownEntries[16]?.count == 1)
        #expect(found.registers[2].value == .int(1))
        #expect(try stage.refusals == [])
    }

    @Test("a deleted object is deleted; one that is inserted after it begins a new life, with nothing of the old one")
    func lives() throws {
        let stage = try Stage()
        try stage.sql("""
            INSERT INTO app."Thing" (id, text, count) VALUES ('a', 'old', 4), ('b', 'old', 1);
            INSERT INTO app."Thing.tags" VALUES ('a', 'x'); INSERT INTO app."Firm" VALUES (1, 'firm')
            """)
        try stage.takeOver()
        let birth = try stage.row("a").birth
        try stage.sql("""
            DELETE FROM app."Thing"; INSERT INTO app."Thing" (id, whole) VALUES ('a', 1); DELETE FROM app."Firm";
            INSERT INTO app."Thing" (id) VALUES ('c'); DELETE FROM app."Thing" WHERE id = 'c'
            """)
        try stage.takeOver()
        #expect(try stage.row("a").birth > birth)
        #expect(try stage.value("text") == .null)
        #expect(try stage.value("whole") == .int(1))
        #expect(try stage.row("a").shownMembers[15] == nil)
        #expect(try stage.row("a").counters[14] ?? 0 == 0)
        #expect(try !stage.row("b").isAlive)
        #expect(try stage.store.row(Stage.object("c")) == nil)
        let firm = try #require(try stage.store.row(SyncObject(type: 1, key: .int(1))))
        #expect(!firm.isAlive)
        #expect(firm.registers[0].value == .string("firm"))
        try stage.sql("INSERT INTO app.\"Thing\" (id, text) VALUES ('b', 'new')")
        try stage.takeOver()
        #expect(try stage.value("text", of: "b") == .string("new"))
    }

    @Test("an embedded object is made, changed and taken away with its columns")
    func embedded() throws {
        let stage = try Stage()
        try stage.sql("INSERT INTO app.\"Thing\" (id, part, \"part.size\") VALUES ('a', true, 2.5)")
        try stage.takeOver()
        #expect(try stage.value("part.size") == .double((2.5).bitPattern))
        let first = try stage.value("part")
        #expect(!first.isNull)
        try stage.sql("UPDATE app.\"Thing\" SET \"part.size\" = 3")
        try stage.takeOver()
        #expect(try stage.value("part.size") == .double((3.0).bitPattern))
        #expect(try stage.value("part") == first)
        try stage.sql("UPDATE app.\"Thing\" SET part = NULL, \"part.size\" = NULL")
        try stage.takeOver()
        #expect(try stage.value("part").isNull)
        try stage.sql("UPDATE app.\"Thing\" SET part = true")
        try stage.takeOver()
        #expect(try !stage.value("part").isNull)
        #expect(try stage.value("part") != first)
        #expect(try stage.value("part.size").isNull)
    }

    @Test("a unique value that another object has becomes null, also of two that are written together")
    func unique() throws {
        let stage = try Stage()
        try stage.sql("INSERT INTO app.\"Thing\" (id, code) VALUES ('a', 1)")
        try stage.takeOver()
        try stage.sql("INSERT INTO app.\"Thing\" (id, code) VALUES ('b', 1), ('c', 2), ('d', 2), ('e', 3)")
        try stage.takeOver()
        #expect(try stage.value("code", of: "a") == .int(1))
        #expect(try stage.value("code", of: "b").isNull)
        #expect(try [stage.value("code", of: "c"), stage.value("code", of: "d")].filter { $0 == .int(2) }.count == 1)
        #expect(try stage.value("code", of: "e") == .int(3))
        #expect(try stage.refusals == ["code", "code"])
        // Values change places.
        try stage.sql("UPDATE app.\"Thing\" SET code = 4 - code WHERE id IN ('a', 'e')")
        try stage.takeOver()
        #expect(try stage.value("code", of: "a") == .int(3))
        #expect(try stage.value("code", of: "e") == .int(1))
    }

    @Test("who may write needs rights of the tables alone")
    func rights() throws {
        let stage = try Stage()
        try stage.sql("""
            CREATE ROLE shop LOGIN; GRANT USAGE ON SCHEMA app TO shop;
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA app TO shop; SET ROLE shop;
            INSERT INTO app."Thing" (id, text, free) VALUES ('a', 'shop', '{"class": "Firm", "key": 1}');
            INSERT INTO app."Thing.tags" VALUES ('a', 'x'); UPDATE app."Thing" SET money = 1.5
            """)
        #expect(throws: FreeholdError.self) { try stage.sql("DELETE FROM freehold.foreign") }
        try stage.sql("DELETE FROM app.\"Thing.tags\"; RESET ROLE")
        try stage.takeOver()
        #expect(try stage.value("text") == .string("shop"))
    }

    // MARK: Batches

    private static let names = SyncNames(classes: schema.classes.map { .init(name: $0.name, properties: $0.properties.map(\.name)) })

    /// A batch that sets texts of an object.
    private static func batch(_ number: UInt64, stamp: Int64, _ values: [(Int32, SyncValue)]) -> SyncPush {
        let entry = SyncEntry(stamp: SyncStamp(milliseconds: stamp), epoch: number)
        var change = SyncChange(object: Stage.object("a"), created: entry)
        change.registers = values.map { .init(path: SyncPath(property: $0.0), entry: entry, value: $0.1) }
        return SyncPush(epoch: number, history: 1, cursor: .never, seen: .none, names: names, replicas: [ReplicaIdentity(high: 1, low: 1)],
                        changes: [change])
    }

    private static func push(_ stage: Stage, _ batch: SyncPush) throws {
        _ = try stage.server.commit(batch, by: SyncUser(rawValue: 1), in: stage.server.begin(), now: now)
    }

    @Test("a batch takes over what was written before: its older value loses, its newer one wins, and other columns stay")
    func batches() throws {
        let stage = try Stage()
        try Self.push(stage, Self.batch(1, stamp: Self.now - 9, [(5, .string("device")), (2, .int(1))]))
        try stage.sql("UPDATE app.\"Thing\" SET text = 'sql', whole = 2, flag = true")
        try Self.push(stage, Self.batch(2, stamp: Self.now - 5, [(5, .string("late")), (4, .double(0))]))
        #expect(try stage.store.notedObjects(1) == [])
        #expect(try TableJudge.problems(stage.connection, Self.schema) == [])
        #expect(try stage.value("text") == .string("sql"))
        #expect(try stage.value("whole") == .int(2))
        #expect(try stage.value("flag") == .bool(true))
        try stage.sql("UPDATE app.\"Thing\" SET text = 'again'")
        try Self.push(stage, Self.batch(3, stamp: Self.now + 5, [(5, .string("newer"))]))
        #expect(try stage.value("text") == .string("newer"))
        #expect(try stage.value("whole") == .int(2))
        // A foreign write is ahead of what the row has.
        try stage.sql("UPDATE app.\"Thing\" SET text = 'last'")
        try stage.takeOver()
        #expect(try stage.value("text") == .string("last"))
    }

    @Test("a batch that meets an open transaction of other software is done again, and loses nothing of it",
          arguments: ["UPDATE app.\"Thing\" SET text = 'sql', whole = 2", "DELETE FROM app.\"Thing\"",
                      "INSERT INTO app.\"Thing.tags\" VALUES ('a', 'sql')", "INSERT INTO app.\"Thing\" (id, text) VALUES ('a', 'sql')"])
    func open(statement: String) throws {
        let stage = try Stage(), isNew = statement.contains("(id, text)")
        if !isNew { try Self.push(stage, Self.batch(1, stamp: Self.now - 9, [(5, .string("device")), (2, .int(1))])) }
        try stage.sql("BEGIN; \(statement)")
        let batch = Self.batch(2, stamp: Self.now - 5, [(5, .string("late"))])
        let waits = !statement.contains("tags")
        if waits { #expect(throws: FreeholdError.self) { try Self.push(stage, batch) } } else { try Self.push(stage, batch) }
        try stage.sql("COMMIT")
        if waits { try Self.push(stage, batch) } else { try stage.takeOver() }
        #expect(try stage.store.notedObjects(1) == [])
        #expect(try TableJudge.problems(stage.connection, Self.schema) == [])
        if statement.contains("tags") {
            #expect(try stage.row("a").shownMembers[15] == [.string("sql")])
        } else if statement.hasPrefix("DELETE") {
            // The batch creates the object: a new life.
            #expect(try stage.value("text") == .string("late"))
            #expect(try stage.value("whole").isNull)
        } else {
            #expect(try stage.value("text") == .string("sql"))
        }
    }
}
