import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// The thread that builds indexes, on a simulated machine: time passes only when all threads wait.
@Suite struct IndexBuilderTests {
    private let machine: SimulatedSystem
    private let process: SimulatedProcess
    private let database: Database
    private let builder: IndexBuilder

    init() throws {
        machine = SimulatedSystem(seed: 1)
        machine.options.timeJumpOneIn = 0
        process = machine.makeProcess()
        database = try Database.open("/built.freehold", .simulated, on: process)
        builder = IndexBuilder(on: process)
        try database.write { transaction in
            for name in ["Article", "Note"] {
                try transaction.createClass(ClassSchema(name, [PropertySchema("title", .string)]))
                for number in 0..<1000 { try transaction.insert(into: name, [("title", .string("title \(number)"))]) }
            }
        }
    }

    /// Runs a body as a thread of the simulated process, beside the builder's, until all have ended.
    private func run(_ body: @escaping @Sendable () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) {
        process.start { _ in
            DerivedBudget.$standard.withValue(DerivedBudget(objects: 100, bytes: 1 << 20)) {
                do { try body() } catch { Issue.record(error, sourceLocation: sourceLocation) }
            }
        }
        let end = machine.run()
        #expect(end == .finished, "\(machine.unfinished)", sourceLocation: sourceLocation)
    }

    private func states() throws -> [DerivedIndexState] { try database.snapshot().derivedStates().map(\.state) }

    private func declare(_ name: String) throws { try database.write { try $0.fullText.add(["title"], to: name) } }

    @Test("indexes are built in the background, also one that is declared meanwhile")
    func background() throws {
        run { [self] in
            try declare("Article")
            #expect(try states() == [.building(coveredCount: 100)] && database.hasUnbuiltIndexes())
            builder.start(on: database)
            try declare("Note")
            builder.start(on: database)
            builder.waitUntilDone()
            #expect(try states() == [.complete, .complete] && !database.hasUnbuiltIndexes() && builder.failure == nil)
            builder.stop()
        }
        #expect(try database.snapshot().table("Note").count(matching: ObjectQuery("title TEXT '99'")) == 1)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("stopping does not wait for the writer lock, and the file can be closed at once")
    func stopping() throws {
        run { [self] in
            try declare("Article")
            let transaction = try database.beginWrite()
            builder.start(on: database)
            // By then it waits for the lock.
            process.sleep(milliseconds: 50)
            builder.stop()
            transaction.rollback()
            #expect(try states() == [.building(coveredCount: 100)])
            builder.start(on: database)
            builder.waitUntilDone()
            #expect(try states() == [.building(coveredCount: 100)])
            try database.buildIndexes()
        }
        #expect(try states() == [.complete])
    }

    @Test("progress rises to 1, and building stops where it is told to")
    func progress() throws {
        run { [self] in
            try declare("Article")
            try declare("Note")
            var fractions: [Double] = []
            try database.buildIndexes { progress in
                fractions.append(progress.fraction)
                return fractions.count < 4
            }
            let sealed = try database.snapshot().derivedStates().reduce(0) { $0 + $1.sealedCount }
            #expect(fractions == [200, 300, 400, 500].map { Double($0) / Double(sealed) })
            try database.buildIndexes { progress in
                #expect(progress.fraction >= fractions.last!)
                fractions.append(progress.fraction)
                return true
            }
            #expect(fractions.last == 1)
            #expect(try states() == [.complete, .complete])
        }
    }

    /// Destroys the root of a class's first index, or the tree below it, and opens the file again.
    private func damage(_ name: String, below isBelow: Bool) throws -> Database {
        let snapshot = try database.snapshot(), (schema, top) = try snapshot.contents(), access = snapshot.core.access
        let table = try TableRoot(top.table(schema.number(of: name)), in: access)
        let root = table.auxiliary(.derived, StoredDerived.firstColumn)
        let block = try isBelow ? DerivedRoot(root, in: access).contents.references[0] : root
        snapshot.end()
        database.close()
        let file = try process.openFile("/built.freehold", .readWrite)
        try file.write(Array(repeating: 0xEE, count: 64), at: Int(block.byteOffset))
        file.close()
        return try Database.open("/built.freehold", .simulated, on: process)
    }

    @Test("a damaged block ends building: the index stays as it is, and so does the rest of the file")
    func damage() throws {
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 100, bytes: 1 << 20)) { try declare("Article") }
        let damaged = try damage("Article", below: false)
        run { [self] in
            builder.start(on: damaged)
            builder.waitUntilDone()
            #expect(builder.failure?.code == .corrupt)
            builder.stop()
        }
        #expect(try damaged.snapshot().table("Article").count(matching: ObjectQuery("title == 'title 99'")) == 1)
    }

    @Test("a damaged index holds up no other, whether its root is damaged or what it leads to", arguments: [false, true], [false, true])
    func damagedFirst(isBelow: Bool, inBackground: Bool) throws {
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 100, bytes: 1 << 20)) {
            try database.write { transaction in
                for name in ["north", "east"] { try transaction.addProperty(PropertySchema(name, .double), to: "Article") }
                try transaction.places.add(latitude: "north", longitude: "east", to: "Article")
                try transaction.fullText.add(["title"], to: "Article")
            }
            try declare("Note")
        }
        // Of the newest version recovery reads every block, and takes the one before if one is destroyed.
        try database.write { try $0.createClass(ClassSchema("Other", [PropertySchema("year", .int)])) }
        let damaged = try damage("Article", below: isBelow)
        #expect(try damaged.hasUnbuiltIndexes())
        run { [self] in
            if inBackground {
                builder.start(on: damaged)
                builder.waitUntilDone()
                #expect(builder.failure?.code == .corrupt)
                builder.stop()
            } else {
                var last = 0.0
                let error = #expect(throws: FreeholdError.self) {
                    try damaged.buildIndexes { progress in
                        #expect(progress.fraction >= last)
                        last = progress.fraction
                        return true
                    }
                }
                #expect(error?.code == .corrupt && last > 0.6)
            }
        }
        let states = try damaged.snapshot().derivedStates(skippingDamaged: true)
        #expect(states.map(\.state) == (isBelow ? [.building(coveredCount: 100)] : []) + [.complete, .complete])
        for name in ["Article", "Note"] {
            let query = try damaged.snapshot().table(name).prepare(ObjectQuery("title TEXT '99'"))
            #expect(try query.explanation().contains("index for") && query.count() == 1)
        }
        #expect(try damaged.hasUnbuiltIndexes() == isBelow)
    }
}
