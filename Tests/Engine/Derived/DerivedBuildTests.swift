import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Derived indexes that are built slice by slice, while others write.
@Suite struct DerivedBuildTests {
    private static let titles = DerivedSchema(kind: 255, fields: [
        DerivedSchema.Field(link: nil, property: "title"), DerivedSchema.Field(link: "author", property: "name"),
    ])

    /// Articles under the even keys from 0 to 1998, each with an author, and an index of which one slice is built.
    private func library(_ machine: SimulatedSystem) throws -> Database {
        let database = try Database.open("/derived.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Author", [PropertySchema("name", .string)]))
            try transaction.createClass(ClassSchema("Article", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("title", .string), PropertySchema("author", linkTo: "Author"),
            ]))
            for key in 0..<300 { try transaction.insert(into: "Author", [("name", .string("author \(key)"))]) }
            for key in stride(from: 0, to: 2000, by: 2) as StrideTo<Int64> { try insert(key, transaction) }
        }
        try database.write(durability: .full) { try $0.derived.add(Self.titles, to: "Article") }
        return database
    }

    private func insert(_ key: Int64, _ transaction: WriteTransaction) throws {
        try transaction.insert(into: "Article", key: .int(key), [
            ("title", .string("title \(key)")), ("author", .link(ObjectKey(key % 300))),
        ])
    }

    private func set(_ key: Int64, _ name: String, _ property: String, _ value: Value, _ transaction: WriteTransaction) throws {
        let table = try transaction.table(name)
        try transaction.set(ObjectKey(key), in: table, table.column(property), to: value)
    }

    private func root(_ database: Database) throws -> DerivedRoot {
        let snapshot = try database.snapshot(), (_, top) = try snapshot.contents(), access = snapshot.core.access
        return try DerivedRoot(TableRoot(top.table(1), in: access).auxiliary(.derived, StoredDerived.firstColumn), in: access)
    }

    private func expectWhole(_ database: Database, _ comment: Comment) throws {
        #expect(try NaiveEntries.complaints(database.snapshot()).isEmpty, comment)
        #expect(try database.check().problems.isEmpty, comment)
    }

    private func withSlices(of objects: Int, _ body: () throws -> Void) throws {
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: objects, bytes: 1 << 20), operation: body)
    }

    @Test("an index is built in slices; writers keep what is built, and leave the rest")
    func slices() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        try withSlices(of: 100) {
            let database = try library(machine)
            #expect(try root(database).state == .building && root(database).position == 199)
            try expectWhole(database, "the first slice")
            try database.write(durability: .full) { transaction in
                try set(100, "Article", "title", .string("below"), transaction)
                try set(1000, "Article", "title", .string("above"), transaction)
                try set(7, "Author", "name", .string("both"), transaction)
                try transaction.delete(ObjectKey(102), from: transaction.table("Article"))
                try transaction.delete(ObjectKey(1002), from: transaction.table("Article"))
                for key in stride(from: 1, to: 1999, by: 6) as StrideTo<Int64> { try insert(key, transaction) }
            }
            #expect(try root(database).position == 199)
            try expectWhole(database, "written while it is built")
            #expect(try database.buildIndexes() >= 10)
            #expect(try root(database).state == .complete && root(database).position == 0)
            try expectWhole(database, "complete")
            #expect(try database.buildIndexes() == 0)
        }
    }

    @Test("a slice ends at its limit of bytes, too")
    func bytes() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 10_000, bytes: 1000)) {
            let database = try library(machine)
            #expect(try root(database).state == .building && root(database).position < 100)
            #expect(try database.buildIndexes() > 20)
            try expectWhole(database, "complete")
        }
    }

    @Test("of two builders one discards its slice, and what a writer changed in the slice meanwhile is in it")
    func twoBuilders() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        try withSlices(of: 100) {
            let database = try library(machine)
            let first = try #require(try DerivedSliceCommit(from: database.snapshot()))
            let second = try #require(try DerivedSliceCommit(from: database.snapshot()))
            try database.write(durability: .full) { transaction in
                try set(300, "Article", "title", .string("changed"), transaction)
                try set(302, "Article", "author", .link(ObjectKey(1)), transaction)
                try set(4, "Author", "name", .string("renamed"), transaction)
                try transaction.delete(ObjectKey(306), from: transaction.table("Article"))
                try transaction.delete(ObjectKey(8), from: transaction.table("Author"))
                for key in stride(from: 1, to: 1999, by: 6) as StrideTo<Int64> { try insert(key, transaction) }
            }
            #expect(try first.commit(database.beginWrite()))
            #expect(try root(database).position == 399)
            try expectWhole(database, "the slice is as its objects are now")
            #expect(try !second.commit(database.beginWrite()))
            try expectWhole(database, "the other builder's slice is discarded")
            let late = try #require(try DerivedSliceCommit(from: database.snapshot()))
            try database.write(durability: .full) { try $0.derived.drop(0, from: "Article") }
            #expect(try !late.commit(database.beginWrite()))
            #expect(try database.buildIndexes() == 0 && database.check().problems.isEmpty)
        }
    }

    @Test("in a random history slices are added at any moment, and every index is whole up to its position",
          arguments: TestScale.seeds(12, full: 100))
    func histories(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let databases = try [process, machine.makeProcess()].map { try Database.open("/derived.freehold", .simulated(seed: seed), on: $0) }
        var history = History(seed: seed), random = SeededRandom(seed: seed &* 131), waiting: [DerivedSliceCommit] = []
        history.bulk = 200
        try withSlices(of: 1 + random.below(12)) {
            for round in 0..<20 {
                if let slice = try DerivedSliceCommit(from: databases[0].snapshot()) { waiting.append(slice) }
                try history.transact(on: databases[random.below(2)], durability: .processCrash)
                if history.model.order.isEmpty { continue }
                if round < 3 || random.oneIn(4) { try NaiveDocuments.redeclare(databases[random.below(2)], &random) }
                while !random.oneIn(3), !waiting.isEmpty {
                    _ = try waiting.remove(at: random.below(waiting.count)).commit(databases[0].beginWrite())
                }
                let complaints = try NaiveEntries.complaints(databases[1].snapshot())
                #expect(complaints.isEmpty, "seed \(seed), round \(round): \(complaints.joined(separator: "; "))")
                if !complaints.isEmpty { return }
            }
            try databases[0].buildIndexes()
        }
        #expect(try (DerivedSliceCommit(from: databases[1].snapshot())).map { _ in true } == nil, "seed \(seed): nothing is left to build")
        #expect(try NaiveEntries.complaints(databases[1].snapshot()).isEmpty, "seed \(seed), complete")
        #expect(try databases[0].check().problems.isEmpty, "seed \(seed)")
    }
}
