import FreeholdEngine
import Glibc
import TestKit
import Testing

/// How large a file gets under many small updates, while nobody, a stopped or a dead reader holds an old version.
@Suite(.serialized, .timeLimit(.minutes(120))) struct FootprintTests {
    static let objects: Int64 = 20_000
    static let updates = TestScale.count(1) > 1 ? 1_000_000 : 60_000

    enum Reader: String, CaseIterable, Sendable {
        case none, stopped, dead

        /// File length over live data, as promised.
        var limit: Double { self == .stopped ? 3.0 : 2.2 }
    }

    let folder: TemporaryFolder
    var path: String { folder.file("x.freehold") }

    init() throws { folder = try TemporaryFolder() }

    @Test("small updates keep the file near its live data", arguments: Reader.allCases)
    func footprint(reader: Reader) throws {
        let database = try Database.open(path)
        defer { database.close() }
        try fill(database)
        let sum = try sumOfScores(database)
        let helper = reader == .none ? nil : try HelperProcess.opened(path)
        helper?.process.send("hold")
        if let helper { #expect(try helper.process.readLine() == "held") }
        switch reader {
        case .none: break
        case .stopped:
            helper?.process.signal(SIGSTOP)
            #expect(helper?.process.waitUntilStopped() == true)
        case .dead: try helper?.kill()
        }
        try update(database)
        let information = try database.information()
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(5))")
        let ratio = Double(information.fileLength) / Double(report.liveBytes)
        print("footprint, reader \(reader): file \(information.fileLength), live \(report.liveBytes), ratio \(ratio)")
        #expect(ratio <= reader.limit, "file \(information.fileLength) bytes, live \(report.liveBytes)")
        let others = information.holders.filter { $0.processIdentifier != getpid() }
        #expect(others.map(\.processIdentifier) == (reader == .stopped ? [helper!.id] : []))
        if reader == .stopped, let helper {
            helper.process.signal(SIGCONT)
            #expect(information.heldBytes > 0)
            try helper.tell("sum Person score", "sum \(sum)")
        }
    }

    private func sumOfScores(_ database: Database) throws -> Value {
        let people = try database.snapshot().table("Person")
        return try people.sum(people.column("score"))
    }

    private func fill(_ database: Database) throws {
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Person", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("name", .string), PropertySchema("score", .double),
                PropertySchema("city", .string, isIndexed: true), PropertySchema("age", .int),
            ]))
            let people = try transaction.table("Person")
            for id in 0..<Self.objects {
                try transaction.insert(into: people, primaryKey: .int(id), values: [
                    .null, .string("Person number \(id)"), .double(Double(id) / 7), .string("City \(id % 100)"), .int(id % 90),
                ])
            }
        }
    }

    private func update(_ database: Database) throws {
        var random = SeededRandom(seed: 11)
        for number in 0..<Self.updates {
            let transaction = try database.beginWrite()
            let people = try transaction.table("Person")
            let key = ObjectKey(Int64.random(in: 0..<Self.objects, using: &random))
            try transaction.set(key, in: people, people.column("score"), to: .double(Double(number)))
            try transaction.commit(.processCrash)
        }
    }
}
