import FreeholdEngine

/// The class that holds the persons, with its columns looked up once.
struct PersonTable {
    static let name = "person"
    static let schema = ClassSchema(name, primaryKey: "id", [
        PropertySchema("id", .int),
        PropertySchema("age", .int),
        PropertySchema("active", .bool),
        PropertySchema("score", .double),
        PropertySchema("created", .date),
        PropertySchema("city", .string, isIndexed: true),
        PropertySchema("name", .string),
    ])

    private(set) var table: Table
    let age, active, score, created, city, name: Column

    init(_ table: Table) throws {
        self.table = table
        age = try table.column("age")
        active = try table.column("active")
        score = try table.column("score")
        created = try table.column("created")
        city = try table.column("city")
        name = try table.column("name")
    }

    init(in snapshot: Snapshot) throws { try self.init(try snapshot.table(Self.name)) }

    init(in transaction: WriteTransaction) throws { try self.init(try transaction.table(Self.name)) }

    /// The same class as another transaction sees it; the columns need not be looked up again.
    func within(_ transaction: WriteTransaction) throws -> PersonTable { moved(to: try transaction.table(Self.name)) }

    /// The same class as another snapshot sees it.
    func within(_ snapshot: Snapshot) throws -> PersonTable { moved(to: try snapshot.table(Self.name)) }

    private func moved(to table: Table) -> PersonTable {
        var moved = self
        moved.table = table
        return moved
    }

    func insert(_ person: Person, of set: PersonSet, in transaction: WriteTransaction) throws {
        try transaction.insert(into: table, primaryKey: .int(person.id)) { row in
            try row.set(age, int: person.age)
            try row.set(active, bool: person.isActive)
            try row.set(score, double: person.score)
            try row.set(created, date: Timestamp(seconds: person.created))
            try set.withBytes(person.city) { try row.set(city, bytes: $0) }
            try set.withBytes(person.name) { try row.set(name, bytes: $0) }
        }
    }
}

extension PersonTable {
    /// One transaction that inserts one person.
    func insertAlone(_ person: Person, of set: PersonSet, into database: Database, _ durability: Durability) throws {
        let transaction = try database.beginWrite()
        try within(transaction).insert(person, of: set, in: transaction)
        try transaction.commit(durability)
    }
}
