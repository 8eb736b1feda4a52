import Testing
@testable import SyncPostgres

/// Names that PostgreSQL has, or has not, as it says itself.
@Suite("Names of tables and columns")
struct ClassTableNamesTests {
    private static let long = String(repeating: "n", count: 70)
    private static let names = [
        "name", "address.city", "Name", "select", "a \"quoted\" one", "ctid", "xmin", "", "a\u{0}b", "ab", "é", "e\u{301}",
        String(repeating: "n", count: 63), long + "1", long + "2", String(repeating: "ü", count: 40), String(repeating: "😀", count: 20),
    ]

    @Test("every name becomes a column of its own, and PostgreSQL keeps it to the byte")
    func columns() throws {
        let cluster = try Cluster(), connection = try PostgresConnection(cluster.address)
        defer { cluster.kill() }
        var made: [String] = []
        for name in Self.names { made.append(ClassTableNames.name(for: name, taken: made)) }
        let columns = made.map { "\(ClassTableNames.quoted($0)) bigint" }.joined(separator: ", ")
        try connection.run(script: "DROP TABLE IF EXISTS names; CREATE TABLE names (\(columns))")
        let found = try connection.run("""
            SELECT convert_to(attname::text, 'UTF8') FROM pg_attribute WHERE attrelid = 'names'::regclass AND attnum > 0 ORDER BY attnum
            """)
        #expect((0..<found.count).map { found.bytes($0, 0) } == made.map { Array($0.utf8) })
        for (name, column) in zip(Self.names, made) where ["name", "address.city", "Name", "select", "é"].contains(name) {
            #expect(Array(name.utf8) == Array(column.utf8))
        }
    }

    @Test("a name that is taken gets another one, each time")
    func clashes() {
        var taken: [String] = []
        for _ in 0..<200 { taken.append(ClassTableNames.name(for: Self.long, taken: taken)) }
        #expect(Set(taken).count == 200)
        #expect(taken.allSatisfy { $0.utf8.count <= ClassTableNames.maximumBytes })
        #expect(ClassTableNames.name(for: "name", taken: ["name"]) != "name")
    }
}
