import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Classes and properties that are dropped, renamed and changed while others have the file open.
@Suite struct SchemaChangeTests {
    @Test("random changes of the schema by several processes leave what the model says, and old columns are never misread",
          arguments: TestScale.seeds(3, full: 10))
    func histories(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let databases = try [process, process, machine.makeProcess()].map {
            try Database.open("/reshaped.freehold", OpenOptions.simulated, on: $0)
        }
        var history = History(seed: seed)
        history.reshapes = true
        history.bulk = seed % 3 == 0 ? 400 : 30
        var old: (model: NaiveDatabase, snapshot: Snapshot)?
        for round in 0..<25 {
            let writer = databases[Int.random(in: 0..<3, using: &history.random)]
            var found: [String] = []
            if history.random.oneIn(3) { found = try history.transactWithSavepoints(on: writer, durability: .processCrash) }
            else { try history.transact(on: writer, durability: .processCrash) }
            if history.model.order.isEmpty { continue }
            let reader = databases[Int.random(in: 0..<3, using: &history.random)]
            let snapshot = try reader.snapshot()
            found += try Comparison.differences(history.model, snapshot)
            if let old {
                found += try Comparison.differences(old.model, old.snapshot)
                found += try staleColumns(old, (history.model, snapshot))
            }
            let report = try reader.check()
            found += report.problems.map { "\($0)" }
            #expect(found.isEmpty, "seed \(seed), round \(round): \(found.prefix(5).joined(separator: "; "))")
            if !found.isEmpty { return }
            if old == nil || history.random.oneIn(4) { old = (history.model, snapshot) }
        }
    }

    /// What `read` gives, or nil if the property is gone.
    private func present(_ read: () throws -> Value) throws -> Value? {
        do { return try read() } catch {
            if (error as? FreeholdError)?.code == .unknownProperty { return nil }
            throw error
        }
    }

    /// Reads a newer version through columns of an older one: each gives its own property's values, or says that it is gone.
    private func staleColumns(_ old: (model: NaiveDatabase, snapshot: Snapshot), _ new: (model: NaiveDatabase, snapshot: Snapshot)) throws -> [String] {
        var found: [String] = []
        for (name, after) in new.model.classes {
            guard let before = old.model.classes.first(where: { $0.value.identity == after.identity }),
                  let (key, values) = after.objects.min(by: { $0.key < $1.key }) else { continue }
            let columns = try old.snapshot.table(before.key).columns, table = try new.snapshot.table(name)
            let row = try #require(try table.row(ObjectKey(key)))
            for (place, identity) in before.value.properties.enumerated() {
                let expected = after.properties.firstIndex(of: identity).map { values[$0] }
                let read = try present { try row.value(columns[place]) }
                if read != expected { found.append("\(name): an old column gives \(String(describing: read)) instead of \(String(describing: expected))") }
            }
        }
        return found
    }

    private func people(_ machine: SimulatedSystem) throws -> Database {
        let database = try Database.open("/people.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Person", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("age", .string), PropertySchema("city", .string, isNullable: true, isIndexed: true),
                PropertySchema("boss", linkTo: "Person"),
            ]))
            let persons = try transaction.table("Person")
            for key in 0..<700 as Range<Int64> {
                try transaction.insert(into: persons, primaryKey: .int(key), values: [
                    .null, .string("\(key % 90)"), key % 5 == 0 ? .null : .string("city \(key % 20)"), .null,
                ])
            }
        }
        return database
    }

    @Test("texts become the numbers they say, and those that say none are named and nothing is changed")
    func retyping() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try people(machine)
        try database.write(durability: .processCrash) { transaction in
            let persons = try transaction.table("Person"), age = try persons.column("age")
            for key in [3, 300, 301, 302, 303, 304] as [Int64] { try transaction.set(ObjectKey(key), in: persons, age, to: .string("old")) }
            #expect { try transaction.changeType(of: "age", in: "Person", to: .int) } throws: { error in
                guard let error = error as? FreeholdError else { return false }
                return error.code == .typeMismatch && error.message.contains("objects 3 ") && error.message.contains("and 1 more")
            }
            #expect(try persons.value(ObjectKey(3), age) == .string("old"))
            for key in [3, 300, 301, 302, 303, 304] as [Int64] { try transaction.set(ObjectKey(key), in: persons, age, to: .string("99")) }
            try transaction.changeType(of: "age", in: "Person", to: .int)
            #expect { try persons.value(ObjectKey(3), age) } throws: { ($0 as? FreeholdError)?.code == .unknownProperty }
            #expect(try persons.value(ObjectKey(3), persons.column("age")) == .int(99))
        }
        let persons = try database.snapshot().table("Person")
        #expect(try persons.value(ObjectKey(100), persons.column("age")) == .int(10))
        #expect(try persons.sum(persons.column("age")) == .int((0..<700).reduce(0) { $0 + ([3, 300, 301, 302, 303, 304].contains($1) ? 99 : $1 % 90) }))
        #expect(try database.check().isClean)
    }

    @Test("a property with nulls becomes required only with something in their place, which the index then has")
    func requiring() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try people(machine)
        try database.write(durability: .processCrash) { transaction in
            #expect { try transaction.setNullable(false, "city", in: "Person") } throws: { error in
                guard let error = error as? FreeholdError else { return false }
                return error.code == .notNullable && error.message.contains("objects 0, 5, 10, 15, 20 and 135 more")
            }
            try transaction.setNullable(false, "city", in: "Person", replacingNullsBy: .string("nowhere"))
        }
        let persons = try database.snapshot().table("Person"), city = try persons.column("city")
        #expect(try persons.count(city, equals: .string("nowhere")) == 140)
        #expect(try persons.row(ObjectKey(5))?.string(city) == "nowhere")
        #expect(try database.check().isClean)
    }

    @Test("the space of a dropped class and of a dropped property is used again")
    func space() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try people(machine)
        var length: UInt64 = 0
        for round in 0..<40 {
            try database.write(durability: .full) { transaction in
                try transaction.addProperty(PropertySchema("note", .string), to: "Person")
                let persons = try transaction.table("Person"), note = try persons.column("note")
                for key in 0..<700 as Range<Int64> { try transaction.set(ObjectKey(key), in: persons, note, to: .string("a note about person \(key)")) }
                try transaction.createClass(ClassSchema("Extra", [PropertySchema("value", .data)]))
                for _ in 0..<20 { try transaction.insert(into: "Extra", [("value", .data(Array(repeating: 7, count: 9000)))]) }
            }
            try database.write(durability: .full) { transaction in
                try transaction.dropProperty("note", from: "Person")
                try transaction.dropClass("Extra")
            }
            if round == 5 { length = try database.information().fileLength }
        }
        #expect(try database.information().fileLength <= length + length / 4)
        #expect(try database.check().isClean)
        #expect(try database.snapshot().classes.map(\.name) == ["Person"])
    }

    @Test("the primary key stays, a class that others link to stays, and names are not taken twice")
    func refusals() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try people(machine)
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Pet", [PropertySchema("owner", linkTo: "Person")]))
            expect(.invalidArgument) { try transaction.dropProperty("id", from: "Person") }
            expect(.invalidArgument) { try transaction.changeType(of: "id", in: "Person", to: .string) }
            expect(.invalidArgument) { try transaction.changeType(of: "boss", in: "Person", to: .int) }
            expect(.invalidArgument) { try transaction.dropClass("Person") }
            expect(.schemaMismatch) { try transaction.renameClass("Pet", to: "Person") }
            expect(.invalidArgument) { try transaction.renameProperty("age", to: "city", in: "Person") }
            expect(.unknownProperty) { try transaction.dropProperty("aeg", from: "Person") }
            try transaction.renameProperty("id", to: "number", in: "Person")
            try transaction.renameClass("Person", to: "Human")
            #expect(try transaction.table("Human").schema.primaryKey == "number")
            #expect(try transaction.table("Pet").schema.properties[0].linkTarget == "Human")
            let pets = try transaction.table("Pet")
            try transaction.dropClass("Pet")
            expect(.unknownClass) { try transaction.insert(into: pets) { _ in } }
            try transaction.dropClass("Human")
            #expect(transaction.classes.isEmpty)
        }
        #expect(try database.check().isClean && database.snapshot().classes.isEmpty)
    }

    @Test("a new unique property is refused where several objects would have one value in it")
    func newUniqueProperty() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/unique.freehold", .simulated, on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Thing", [PropertySchema("n", .int)]))
            try transaction.createClass(ClassSchema("Part", superclass: "Thing", []))
            try transaction.insert(into: "Thing", [])
            try transaction.addProperty(PropertySchema("code", .int, isUnique: true), to: "Thing")
            try transaction.insert(into: "Part", [("code", .int(1))])
            expect(.duplicateKey) { try transaction.addProperty(PropertySchema("name", .string, isUnique: true), to: "Thing") }
            #expect(transaction.classes[0].properties.map(\.name) == ["n", "code"])
            try transaction.addProperty(PropertySchema("name", .string, isNullable: true, isUnique: true), to: "Thing")
            try transaction.addProperty(PropertySchema("own", .string, isUnique: true), to: "Part")
            try transaction.insert(into: "Part", [("code", .int(2)), ("own", .string("a"))])
            expect(.duplicateKey) { try transaction.addProperty(PropertySchema("more", .date, isUnique: true), to: "Part") }
        }
        #expect(try database.check().problems.isEmpty)
    }

    private func expect(_ code: FreeholdError.Code, _ body: () throws -> Void) {
        #expect { try body() } throws: { ($0 as? FreeholdError)?.code == code }
    }
}
