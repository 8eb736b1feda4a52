import FreeholdEngine
import TestKit
import Testing

/// C programs and this Swift process on one file, at the same time. The programs stand in Examples/c and Tests/Interfaces/CClient.
@Suite(.serialized) struct SharedFileTests {
    private let folder: TemporaryFolder
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        database = try Database.open(folder.file("shared"))
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Person", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("name", .string, isIndexed: true), PropertySchema("score", .double),
            ]))
        }
    }

    /// Runs the example to its end; its lines and exit code.
    private func objects(_ arguments: [String]) throws -> (lines: [String], code: SpawnedProcess.End) {
        let process = try SpawnedProcess("CExampleObjects", [folder.file("shared")] + arguments)
        var lines: [String] = []
        while let line = try process.readLine() { lines.append(line) }
        return (lines, process.wait())
    }

    @Test func `Swift reads what C programs write meanwhile, version by version`() throws {
        let snapshot = try database.snapshot()
        let writers = try (0..<2).map { writer in
            try (0..<3).map { number in
                try SpawnedProcess("CExampleObjects", [
                    folder.file("shared"), "add", "Person", "id=\(writer * 10 + number)", "name=from C", "score=0.5",
                ])
            }
        }.flatMap { $0 }
        var seen = 0
        while seen < writers.count {
            _ = try #require(try database.waitForChange(after: snapshot.version, timeoutMilliseconds: 60_000))
            try snapshot.refresh()
            let table = try snapshot.table("Person")
            #expect(table.count > seen, "every version adds somebody")
            seen = table.count
            #expect(try table.count(table.column("name"), equals: .string("from C")) == seen)
        }
        for writer in writers { #expect(writer.wait() == .exited(0)) }
        #expect(try snapshot.table("Person").value(ObjectKey(12), snapshot.table("Person").column("score")) == .double(0.5))
        #expect(try database.check().problems == [])
    }

    @Test func `a C program follows what Swift writes meanwhile`() throws {
        let follower = try SpawnedProcess("CExampleFollow", [folder.file("shared")])
        let first = try #require(try follower.readLine())
        #expect(first == "following since version \(try database.snapshot().version)")
        for id in 0..<400 {
            try database.write(durability: .processCrash) { transaction in
                try transaction.insert(into: "Person", key: .int(Int64(id)), [("name", .string("from Swift"))])
            }
        }
        #expect(try objects(["count", "Person"]) == (["400"], .exited(0)))
        follower.endInput()
        var lines: [String] = []
        while let line = try follower.readLine() { lines.append(line) }
        #expect(follower.wait() == .exited(0))
        #expect(lines.contains { $0.hasSuffix(", 0 times not as many as their class counts") })
    }

    @Test func `a C program finds, shows and adds objects`() throws {
        #expect(try objects(["add", "Person", "id=7", "name=Grace", "score=1.25"]) == (["7"], .exited(0)))
        #expect(try objects(["get", "Person", "7"]) == (["id: 7", "name: Grace", "score: 1.25"], .exited(0)))
        #expect(try objects(["add", "Person", "id=7"]).code == .exited(1))
        #expect(try objects(["get", "Person", "8"]).code == .exited(1))
        #expect(try objects(["count", "Nobody"]).code == .exited(1))
        #expect(try objects(["count"]).code == .exited(2))
    }

    @Test func `the C test program passes in a build with the engine's assertions`() throws {
        let client = try SpawnedProcess("CClient", [folder.path])
        var last = ""
        while let line = try client.readLine() { last = line }
        #expect(client.wait() == .exited(0))
        #expect(last.hasSuffix(" checks passed, 0 failed"), "\(last)")
    }
}
