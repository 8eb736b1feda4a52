import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Savepoints within a write transaction.
@Suite struct SavepointTests {
    static let seeds = TestScale.seeds(8)

    @Test("savepoints nested at random give back what was there, and what is committed is what the model says", arguments: seeds)
    func histories(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let databases = try [machine.makeProcess(), machine.makeProcess()].map {
            try Database.open("/nested.freehold", OpenOptions.simulated, on: $0)
        }
        var history = History(seed: seed)
        history.bulk = seed % 3 == 0 ? 400 : seed % 3 == 1 ? 60 : 3
        for round in 0..<20 {
            let database = databases[history.random.oneIn(4) ? 1 : 0]
            let within = try history.transactWithSavepoints(on: database, durability: .processCrash)
            #expect(within.isEmpty, "seed \(seed), round \(round): \(within.prefix(5).joined(separator: "; "))")
            if !within.isEmpty { return }
            if history.model.order.isEmpty { continue }
            let differences = try Comparison.differences(history.model, try database.snapshot())
            #expect(differences.isEmpty, "seed \(seed), round \(round): \(differences.prefix(5).joined(separator: "; "))")
            let report = try database.check()
            #expect(report.isClean, "seed \(seed), round \(round): \(report.problems.prefix(5))")
            if !differences.isEmpty || !report.isClean { return }
        }
    }

    private func noted(_ machine: SimulatedSystem, count: Int64) throws -> Database {
        let database = try Database.open("/nested.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "name", [
                PropertySchema("number", .int, isIndexed: true), PropertySchema("name", .string),
            ]))
            for number in 0..<count { try note("note \(number)", number, transaction) }
        }
        return database
    }

    @discardableResult
    private func note(_ name: String, _ number: Int64, _ transaction: WriteTransaction) throws -> ObjectKey {
        try transaction.insert(into: "Note", key: .string(name), [("number", .int(number))])
    }

    @Test("a class that is dropped after its links were changed is there again, with its links")
    func droppedClass() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/nested.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Note", [PropertySchema("next", linkTo: "Note")]))
            for number in 0..<600 {
                try transaction.insert(into: "Note", [("next", number == 0 ? .null : .link(ObjectKey(Int64(number - 1))))])
            }
        }
        try database.write(durability: .processCrash) { transaction in
            let notes = try transaction.table("Note")
            for key in 5..<25 { try transaction.delete(ObjectKey(Int64(key)), from: notes) }
            let savepoint = try transaction.savepoint()
            try transaction.dropClass("Note")
            try transaction.rollback(to: savepoint)
            let again = try transaction.table("Note")
            #expect(try again.count(matching: ObjectQuery("next != nil")) == 578)
        }
        let report = try database.check()
        #expect(report.isClean && report.objects == 580 && report.links == 578, "\(report.problems.prefix(3))")
    }

    @Test("going back takes back keys given, unique values taken, index entries and classes")
    func everything() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try noted(machine, count: 600)
        try database.write(durability: .processCrash) { transaction in
            let notes = try transaction.table("Note"), number = try notes.column("number")
            let savepoint = try transaction.savepoint()
            for round in 0..<3 {
                let key = try note("new", -1, transaction)
                #expect(key == ObjectKey(600), "round \(round)")
                try transaction.set(ObjectKey(5), in: notes, number, to: .int(-1))
                try transaction.delete(ObjectKey(6), from: notes)
                try transaction.createClass(ClassSchema("Other", [PropertySchema("value", .int)]))
                let other = try transaction.table("Other")
                try transaction.insert(into: "Other", [("value", .int(1))])
                #expect(try notes.keys(number, equals: .int(-1)).count == 2)
                try transaction.rollback(to: savepoint)
                #expect(try notes.keys(number, equals: .int(-1)).isEmpty)
                #expect(try notes.keys(number, equals: .int(5)) == [ObjectKey(5)] && notes.contains(ObjectKey(6)))
                #expect(transaction.classes.count == 1)
                expect(.unknownClass) { try transaction.insert(into: other, values: [.int(2)]) }
            }
            #expect(try note("first", 7, transaction) == ObjectKey(600) && note("new", 8, transaction) == ObjectKey(601))
            try transaction.rollback(to: savepoint)
        }
        #expect(try database.check().isClean)
        #expect(try database.snapshot().version == Version(2))
    }

    @Test("going back over a sealing restores the marks of deleted objects and the column's dictionary")
    func sealing() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/sealing.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Word", [PropertySchema("word", .string), PropertySchema("next", linkTo: "Word")]))
            for number in 0..<600 { try transaction.insert(into: "Word", [("word", .string("word \(number % 40)"))]) }
        }
        try database.write(durability: .processCrash) { transaction in
            let words = try transaction.table("Word"), writer = try transaction.writer(0)
            try transaction.delete([1, 2, 300, 301].map { ObjectKey($0) }, from: words)
            #expect(try writer.state.dictionary(0).count == 40)
            let savepoint = try transaction.savepoint()
            for number in 0..<300 { try transaction.insert(into: "Word", [("word", .string("other \(number % 30)"))]) }
            // Links to it are looked for in the tree, for which so many rows are sealed first.
            try transaction.delete(ObjectKey(5), from: words)
            #expect(try writer.state.dictionary(0).count == 70 && writer.buffer.count == 0)
            try transaction.rollback(to: savepoint)
            #expect(try writer.state.dictionary(0).count == 40)
        }
        #expect(try database.check().isClean)
        #expect(try database.snapshot().table("Word").count == 596)
    }

    @Test("rows that came in no order are found again after going back over their sealing")
    func disordered() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/disordered.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Word", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("next", linkTo: "Word")]))
            let words = try transaction.table("Word"), keys = (0..<300 as Range<Int64>).map { $0 * 7 % 300 }
            for key in keys { try transaction.insert(into: words, primaryKey: .int(key)) { _ in } }
            let savepoint = try transaction.savepoint()
            try transaction.delete(ObjectKey(5), from: words)
            try transaction.rollback(to: savepoint)
            for key in keys { #expect(try words.contains(ObjectKey(key)), "\(key)") }
        }
        #expect(try database.snapshot().table("Word").count == 300)
    }

    @Test("index entries recorded by dictionary code are taken back")
    func numbered() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/numbered.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Word", [PropertySchema("word", .string, isIndexed: true)]))
            let words = try transaction.table("Word"), word = try words.column("word")
            func fill(_ count: Int) throws {
                for number in 0..<count { try transaction.insert(into: words) { try $0.set(word, string: "word \(number % 50)") } }
            }
            try fill(600)
            let outer = try transaction.savepoint()
            try fill(5000)
            // So many rows are sealed before the next savepoint, their words recorded by code and not merged.
            _ = try transaction.savepoint()
            #expect(try transaction.writer(0).indexes.numbered.contains { $0?.isEmpty == false })
            try transaction.rollback(to: outer)
            #expect(try words.count(word, equals: .string("word 3")) == 12)
        }
        #expect(try database.check().isClean)
    }

    @Test("operations of an index merged within a released savepoint are as they were when its outer one is gone back to")
    func mergedOperations() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try noted(machine, count: 600)
        try database.write(durability: .processCrash) { transaction in
            let notes = try transaction.table("Note"), number = try notes.column("number")
            try transaction.set(ObjectKey(5), in: notes, number, to: .int(-1))
            // A merge before the savepoint leaves blocks that the next one changes in place.
            #expect(try notes.keys(number, equals: .int(-1)) == [ObjectKey(5)])
            try transaction.set(ObjectKey(7), in: notes, number, to: .int(-3))
            try transaction.delete(ObjectKey(8), from: notes)
            let outer = try transaction.savepoint()
            try transaction.set(ObjectKey(6), in: notes, number, to: .int(-2))
            let inner = try transaction.savepoint()
            #expect(try notes.keys(number, equals: .int(-2)) == [ObjectKey(6)])
            try transaction.release(inner)
            try transaction.rollback(to: outer)
            #expect(try notes.keys(number, equals: .int(-1)) == [ObjectKey(5)] && notes.keys(number, equals: .int(-2)).isEmpty)
            #expect(try notes.keys(number, equals: .int(6)) == [ObjectKey(6)] && notes.keys(number, equals: .int(5)).isEmpty)
            #expect(try notes.keys(number, equals: .int(-3)) == [ObjectKey(7)] && notes.keys(number, equals: .int(8)).isEmpty)
        }
        #expect(try database.check().isClean)
    }

    @Test("an error within a nested part takes back that part only")
    func nested() throws {
        struct Stop: Error {}
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try noted(machine, count: 10)
        try database.write(durability: .processCrash) { transaction in
            try note("100", 100, transaction)
            #expect(throws: Stop.self) {
                try transaction.nested {
                    try note("101", 101, transaction)
                    try transaction.nested { try note("102", 102, transaction) }
                    throw Stop()
                }
            }
            try transaction.nested { try note("103", 103, transaction) }
        }
        let notes = try database.snapshot().table("Note"), number = try notes.column("number")
        #expect(try (100..<104).map { try notes.count(number, equals: .int($0)) } == [1, 0, 0, 1])
    }

    @Test("a savepoint that was released or gone behind, or is of another transaction, is refused, as is one while an object is filled")
    func refusals() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try noted(machine, count: 10)
        let transaction = try database.beginWrite()
        let outer = try transaction.savepoint(), inner = try transaction.savepoint()
        try transaction.rollback(to: outer)
        expect(.invalidArgument) { try transaction.rollback(to: inner) }
        try transaction.release(outer)
        expect(.invalidArgument) { try transaction.release(outer) }
        try transaction.insert(into: transaction.table("Note"), primaryKey: .string("x")) { _ in expect(.invalidArgument) { _ = try transaction.savepoint() } }
        let last = try transaction.savepoint()
        try transaction.commit(.processCrash)
        expect(.notInWrite) { try transaction.rollback(to: last) }
        let next = try database.beginWrite()
        expect(.invalidArgument) { try next.rollback(to: last) }
    }

    @Test("twenty thousand savepoints around one change each take no more memory than a few")
    func memory() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try noted(machine, count: 3000)
        let transaction = try database.beginWrite()
        let notes = try transaction.table("Note"), number = try notes.column("number")
        var blocks = 0
        for round in 0..<20_000 as Range<Int64> {
            let savepoint = try transaction.savepoint()
            try transaction.set(ObjectKey(round % 250), in: notes, number, to: .int(round))
            if round % 2 == 0 { try transaction.release(savepoint) } else { try transaction.rollback(to: savepoint) }
            if round % 2 == 1 { try transaction.release(savepoint) }
            if round == 200 { blocks = transaction.pending.count }
        }
        #expect(transaction.pending.count <= blocks + 200, "\(transaction.pending.count) blocks, \(blocks) before")
        #expect(transaction.pending.undo.count == 0)
        try transaction.commit(.processCrash)
        #expect(try database.check().isClean)
    }

    private func expect(_ code: FreeholdError.Code, _ body: () throws -> Void) {
        #expect { try body() } throws: { ($0 as? FreeholdError)?.code == code }
    }
}
