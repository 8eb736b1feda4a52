import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Derived indexes after commits, against the objects.
@Suite struct DerivedUpkeepTests {
    private static let path = "/derived.freehold"

    @Test("after every commit of a random history every index has what its objects file", arguments: TestScale.seeds(16, full: 120))
    func histories(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let databases = try [process, machine.makeProcess()].map { try Database.open(Self.path, .simulated(seed: seed), on: $0) }
        var history = History(seed: seed), random = SeededRandom(seed: seed &* 31)
        history.bulk = seed % 4 == 0 ? 400 : 60
        var held: [Snapshot] = []
        for round in 0..<14 {
            try history.transact(on: databases[random.below(2)], durability: .processCrash)
            if history.model.order.isEmpty { continue }
            if round == 1 || random.oneIn(3) { try NaiveDocuments.redeclare(databases[random.below(2)], &random) }
            let snapshot = try databases[0].snapshot(), complaints = try NaiveEntries.complaints(snapshot)
            #expect(complaints.isEmpty, "seed \(seed), round \(round): \(complaints.joined(separator: "; "))")
            if !complaints.isEmpty { return }
            held.append(snapshot)
        }
        let differences = try Comparison.differences(history.model, databases[1].snapshot())
        #expect(differences.isEmpty, "seed \(seed): \(differences.prefix(5).joined(separator: "; "))")
        for snapshot in held { #expect(try NaiveEntries.complaints(snapshot).isEmpty, "seed \(seed), a held version") }
        let report = try databases[0].check()
        #expect(report.problems.isEmpty, "seed \(seed): \(report.problems.prefix(3))")
    }

    /// A database with articles and their authors, and an index over title and author's name.
    private func library(_ machine: SimulatedSystem, articles: Int64 = 600) throws -> Database {
        let database = try Database.open(Self.path, OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Author", [PropertySchema("name", .string), PropertySchema("age", .int)]))
            try transaction.createClass(ClassSchema("Article", [
                PropertySchema("note", .int), PropertySchema("title", .string), PropertySchema("author", linkTo: "Author"),
            ]))
            for key in 0..<300 as Range<Int64> { try transaction.insert(into: "Author", [("name", .string("author \(key)"))]) }
            for key in 0..<articles {
                try transaction.insert(into: "Article", [("title", .string("title \(key)")), ("author", .link(ObjectKey(key % 300)))])
            }
        }
        try database.write(durability: .full) { try $0.derived.add(Self.titles, to: "Article") }
        return database
    }

    private static let titles = DerivedSchema(kind: 255, fields: [
        DerivedSchema.Field(link: nil, property: "title"), DerivedSchema.Field(link: "author", property: "name"),
    ])

    private func set(_ key: Int64, _ name: String, _ property: String, _ value: Value, _ transaction: WriteTransaction) throws {
        let table = try transaction.table(name)
        try transaction.set(ObjectKey(key), in: table, table.column(property), to: value)
    }

    private func derivedRoot(_ database: Database) throws -> BlockReference {
        let snapshot = try database.snapshot(), (_, top) = try snapshot.contents()
        return try TableRoot(top.table(1), in: snapshot.core.access).auxiliary(.derived, StoredDerived.firstColumn)
    }

    private func expectWhole(_ database: Database, _ comment: Comment) throws {
        let complaints = try NaiveEntries.complaints(database.snapshot())
        #expect(complaints.isEmpty, comment)
        #expect(try database.check().problems.isEmpty, comment)
    }

    private func code(_ body: () throws -> Void) -> FreeholdError.Code? {
        do { try body() } catch { return (error as? FreeholdError)?.code }
        return nil
    }

    @Test("a commit that changes no field and seals nothing neither reads nor writes an index")
    func cost() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let first = try library(machine), root = try derivedRoot(first)
        first.close()
        // Whatever reads the root now meets damage.
        let file = try machine.makeProcess().openFile(Self.path, .readWrite)
        try file.write(Array(repeating: 0xEE, count: 64), at: Int(root.byteOffset))
        file.close()
        let database = try Database.open(Self.path, OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .processCrash) { try set(5, "Article", "note", .int(7), $0) }
        try database.write(durability: .processCrash) { try set(5, "Author", "age", .int(7), $0) }
        for _ in 0..<100 {
            try database.write(durability: .processCrash) { _ = try $0.insert(into: "Article", [("title", .string("new"))]) }
        }
        #expect(try derivedRoot(database).isSameBlock(as: root))
        // A change of a field does; it is refused, and so are those of the object at the other end of a link.
        #expect(code { try database.write { try set(5, "Article", "title", .string("x"), $0) } } == .corrupt)
        #expect(code { try database.write { try set(5, "Author", "name", .string("x"), $0) } } == .corrupt)
        let snapshot = try database.snapshot(), authors = try snapshot.table("Author")
        #expect(try authors.row(ObjectKey(5))?.value(authors.column("name")) == .string("author 5"))
        // The index goes, damaged as it is, and comes back whole.
        try database.write(durability: .full) { transaction in
            try transaction.derived.drop(0, from: "Article")
            try transaction.derived.add(Self.titles, to: "Article")
        }
        try database.write(durability: .full) { try set(5, "Article", "title", .string("x"), $0) }
        #expect(try NaiveEntries.complaints(database.snapshot()).isEmpty)
    }

    @Test("a change of an object that articles link to files them anew, though the transaction did not open them")
    func linked() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try library(machine), before = try derivedRoot(database)
        try database.write(durability: .full) { try set(7, "Author", "name", .string("renamed"), $0) }
        #expect(try !derivedRoot(database).isSameBlock(as: before))
        try expectWhole(database, "a target changed")
        try database.write(durability: .full) { transaction in
            try transaction.delete(ObjectKey(8), from: transaction.table("Author"))
            try set(9, "Author", "name", .string("also renamed"), transaction)
            try set(9, "Article", "author", .link(ObjectKey(10)), transaction)
        }
        try expectWhole(database, "a link was cut, another turned, a target changed")
        try database.write(durability: .full) { try set(7, "Author", "name", .string("once more"), $0) }
        try expectWhole(database, "the writer kept from the commit before")
    }

    @Test("an index is built from sealed objects, follows seals, and is a whole one after reshaping and rolling back")
    func life() throws {
        let machine = SimulatedSystem(seed: 2)
        defer { machine.discard() }
        let database = try library(machine, articles: 20)
        #expect(try derivedRoot(database).isNull)
        try database.write(durability: .full) { transaction in
            for key in 0..<1000 as Range<Int64> {
                try transaction.insert(into: "Article", [("title", .string("t\(key)")), ("author", .link(ObjectKey(key % 7)))])
            }
        }
        #expect(try !derivedRoot(database).isNull)
        try expectWhole(database, "sealed by a bulk load")
        try database.write(durability: .full) { transaction in
            let savepoint = try transaction.savepoint()
            try set(100, "Article", "title", .string("lost"), transaction)
            try transaction.derived.drop(0, from: "Article")
            try transaction.rollback(to: savepoint)
            try set(101, "Article", "title", .string("kept"), transaction)
            try transaction.dropProperty("note", from: "Article")
            try transaction.setNullable(true, "title", in: "Article")
            try transaction.renameProperty("name", to: "label", in: "Author")
        }
        try expectWhole(database, "reshaped and rolled back")
        #expect(code { try database.write { try $0.dropProperty("title", from: "Article") } } == .invalidArgument)
        #expect(code { try database.write { try $0.changeType(of: "label", in: "Author", to: .data) } } == .invalidArgument)
        try database.write(durability: .full) { try $0.delete($0.table("Article").keys(), from: $0.table("Article")) }
        try expectWhole(database, "emptied")
        try database.write(durability: .full) { transaction in
            try transaction.derived.drop(0, from: "Article")
            try transaction.dropProperty("title", from: "Article")
        }
        #expect(try database.check().problems.isEmpty)
    }

    @Test("an index declared on an empty class is whole after any load, without a builder")
    func emptyClass() throws {
        let machine = SimulatedSystem(seed: 2)
        defer { machine.discard() }
        let database = try library(machine, articles: 0)
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 100, bytes: 1 << 20)) {
            try database.write(durability: .full) { transaction in
                for key in 0..<1000 as Range<Int64> {
                    try transaction.insert(into: "Article", [("title", .string("t\(key)")), ("author", .link(ObjectKey(key % 7)))])
                }
                // Declared with the load, it is built in slices.
                try transaction.derived.add(Self.titles, to: "Article")
            }
            let snapshot = try database.snapshot(), (_, top) = try snapshot.contents(), access = snapshot.core.access
            let root = try TableRoot(top.table(1), in: access), states = try (0..<2).map { number in
                try DerivedRoot(root.auxiliary(.derived, StoredDerived.firstColumn + number), in: access).state
            }
            #expect(states == [.complete, .building])
            try expectWhole(database, "loaded")
            try #expect(database.buildIndexes() == 9)
            try expectWhole(database, "built")
        }
    }

    @Test("dropping a class, or the subclass that declares an index, frees the index")
    func dropped() throws {
        let machine = SimulatedSystem(seed: 3)
        defer { machine.discard() }
        let database = try library(machine)
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Essay", superclass: "Article", [PropertySchema("summary", .string)]))
            try transaction.derived.add(DerivedSchema(kind: 255, fields: [
                DerivedSchema.Field(link: nil, property: "summary"), DerivedSchema.Field(link: nil, property: "title"),
            ]), to: "Essay")
            for key in 0..<300 { try transaction.insert(into: "Essay", [("summary", .string("s\(key)"))]) }
        }
        try expectWhole(database, "two classes with an index")
        try database.write(durability: .full) { try $0.dropClass("Essay") }
        #expect(try database.snapshot().schema().classes[1].derived.map(\.number) == [0])
        try expectWhole(database, "the subclass is dropped")
        try database.write(durability: .full) { try $0.dropClass("Article") }
        #expect(try !database.snapshot().schema().hasDerived)
        try expectWhole(database, "the class is dropped")
    }

    @Test("a version with a derived index, and every later one, has write feature 0; a program without it reads and is refused to write")
    func feature() throws {
        let machine = SimulatedSystem(seed: 4)
        defer { machine.discard() }
        let database = try Database.open(Self.path, OpenOptions.simulated, on: machine.makeProcess())
        func features() throws -> UInt64 { try database.snapshot().root.writeFeatures }
        try database.write(durability: .full) { try $0.createClass(ClassSchema("Article", [PropertySchema("title", .string)])) }
        #expect(try features() == 0)
        let titles = DerivedSchema(kind: 255, fields: [DerivedSchema.Field(link: nil, property: "title")])
        let transaction = try database.beginWrite()
        try transaction.derived.add(titles, to: "Article")
        transaction.rollback()
        try database.write(durability: .full) { _ = try $0.insert(into: "Article", []) }
        #expect(try features() == 0)
        try database.write(durability: .full) { try $0.derived.add(titles, to: "Article") }
        #expect(try features() == 1)
        try database.write(durability: .full) { try $0.derived.drop(0, from: "Article") }
        try database.write(durability: .full) { _ = try $0.insert(into: "Article", []) }
        #expect(try features() == 1 && database.snapshot().root.readFeatures == 0)
        let before = FormatFeatures(knownToRead: 0, knownToWrite: 0)
        #expect(before.refusal(read: 0, write: try features(), forWriting: false) == nil)
        let refusal = before.refusal(read: 0, write: try features(), forWriting: true)
        #expect(refusal?.hasPrefix("writing to it needs feature 0 of the format") == true)
        database.close()
        let again = try Database.open(Self.path, OpenOptions.simulated, on: machine.makeProcess())
        #expect(try again.snapshot().root.writeFeatures == 1)
        #expect(try again.write(durability: .full) { try $0.derived.add(titles, to: "Article") } == 1)
    }

    @Test("a kind that the program does not know cannot be declared, and a class that has it is not written")
    func unknownKind() throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        let database = try library(machine)
        let unknown = DerivedSchema(kind: 77, fields: Self.titles.fields)
        #expect(code { try database.write { _ = try $0.derived.add(unknown, to: "Article") } } == .invalidArgument)
        #expect(code {
            try database.write { transaction in
                transaction.replaceSchema(by: try transaction.schema.adding(unknown, to: "Article"))
                try set(5, "Article", "title", .string("x"), transaction)
            }
        } == .unsupportedFormat)
        try expectWhole(database, "nothing of it was committed")
    }
}
