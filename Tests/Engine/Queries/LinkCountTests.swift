import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// `@links.@count`: the links to an object by every property of every class.
@Suite struct LinkCountTests {
    /// Cities, of which homes and tours link to some: by links, lists, maps and mixed values.
    private static func open(on machine: SimulatedSystem) throws -> (Database, cities: [ObjectKey]) {
        let database = try Database.open("/links.freehold", OpenOptions.simulated, on: machine.makeProcess())
        var cities: [ObjectKey] = []
        try database.write { transaction in
            try transaction.createClass(ClassSchema("City", [PropertySchema("name", .string)]))
            try transaction.createClass(ClassSchema("Home", [PropertySchema("city", linkTo: "City"), PropertySchema("note", .mixed)]))
            try transaction.createClass(ClassSchema("Tour", [
                PropertySchema("stops", linkTo: "City", collections: [.list]), PropertySchema("days", linkTo: "City", collections: [.map]),
                PropertySchema("notes", .mixed, collections: [.list]),
            ]))
            for name in ["Oslo", "Rome", "Bern"] { cities.append(try transaction.insert(into: "City", [("name", .string(name))])) }
            let oslo = Value.link(cities[0]), rome = Value.link(cities[1]), table = try transaction.table("City")
            let anyOslo = Value.object(table.reference(to: cities[0])), anyRome = Value.object(table.reference(to: cities[1]))
            // Oslo: 1 + 1 + 2 within a list in a mixed value, then 3 stops, 1 day, 2 notes. Rome: 1 day and 1 note.
            let home = try transaction.insert(into: "Home", [("city", oslo), ("note", anyOslo)])
            try transaction.insert(into: "Home", [("city", .null), ("note", .list([anyOslo, .map(["a": anyOslo]), .int(5)]))])
            // One of another class under the same key is not meant.
            try transaction.insert(into: "Home", [("city", .null), ("note", .object(try transaction.table("Home").reference(to: home)))])
            try transaction.insert(into: "Tour", [
                ("stops", .list([oslo, oslo, oslo])), ("days", .map(["monday": oslo, "friday": rome])), ("notes", .list([anyOslo, anyRome, .string("x"), anyOslo])),
            ])
        }
        return (database, cities)
    }

    @Test func linksOfEveryKindCount() throws {
        let machine = SimulatedSystem(seed: 3)
        defer { machine.discard() }
        let (database, cities) = try Self.open(on: machine)
        defer { database.close() }
        let snapshot = try database.snapshot(), table = try snapshot.table("City")
        #expect(home(in: snapshot) == cities[0], "a home has the key of a city")
        for (count, keys) in [(10, [cities[0]]), (2, [cities[1]]), (0, [cities[2]])] {
            #expect(try table.keys(matching: ObjectQuery("@links.@count == \(count)")) == keys, "\(count)")
        }
        #expect(try snapshot.table("Home").keys(matching: ObjectQuery("city.@links.@count == 10")).count == 1)
    }

    private func home(in snapshot: Snapshot) -> ObjectKey? { try? snapshot.table("Home").keys().first }

    @Test func aLiveQueryFollowsThem() throws {
        let machine = SimulatedSystem(seed: 4)
        defer { machine.discard() }
        let (database, cities) = try Self.open(on: machine)
        defer { database.close() }
        let before = try database.snapshot(), now = try database.snapshot()
        let live = try LiveQuery(ObjectQuery("@links.@count < 3"), of: "City", at: before)
        #expect(live.keys == [cities[1], cities[2]])
        try database.write { transaction in
            let homes = try transaction.table("Home"), city = try transaction.table("City")
            let values: [Value] = [.object(city.reference(to: cities[2])), .object(city.reference(to: cities[2])), .object(city.reference(to: cities[2]))]
            try transaction.set(homes.keys()[2], in: homes, homes.column("note"), to: .list(values))
        }
        try now.refresh()
        #expect(try live.advance(VersionStep(from: before, to: now)) == PositionChanges(deletions: [1]))
        #expect(live.keys == [cities[1]])
        // A class that links and was not there when the query was made.
        let later = try database.snapshot()
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Map", [PropertySchema("cities", linkTo: "City", collections: [.list])]))
            try transaction.insert(into: "Map", [("cities", .list(Array(repeating: .link(cities[1]), count: 3)))])
        }
        try later.refresh()
        #expect(try live.advance(VersionStep(from: now, to: later)) == PositionChanges(deletions: [0]))
    }

    @Test func nothingElseIsAskedOfThem() throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        let (database, _) = try Self.open(on: machine)
        defer { database.close() }
        let table = try database.snapshot().table("City"), one = QueryExpression.value(.int(1))
        for steps: [PathStep] in [[.links], [.links, .aggregate(.sum)], [.links, .property("name")], [.links, .links, .aggregate(.count)]] {
            let error = #expect(throws: FreeholdError.self) {
                try table.prepare(ObjectQuery(.comparison(QueryComparison(.path(PropertyPath(steps)), .equal, one, quantifier: .any))))
            }
            #expect(error?.code == .typeMismatch || error?.code == .malformedInput, "\(steps): \(String(describing: error))")
        }
    }
}
