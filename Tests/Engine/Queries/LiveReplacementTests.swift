import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Live answers over a property, or a class, that was dropped and added again under its name: the schema reads as before, and it is another one.
///
/// They once compared what the API says of classes, kept looking at the property's old number, and reported nothing from then on.
@Suite struct LiveReplacementTests {
    private static let dogs = [ClassSchema("Dog", [PropertySchema("name", .string), PropertySchema("age", .int)])]
    private static let marks = [ClassSchema("Dog", [PropertySchema("age", .int)])]

    /// Ten dogs of 0, 1, … years, each with a walker who walks it alone.
    private struct Town {
        let database: Database
        var dogs: [ObjectKey] = [], walkers: [ObjectKey] = []

        init(_ classes: [ClassSchema]) throws {
            database = try Database.open("/town.freehold", OpenOptions.simulated, on: SimulatedSystem(seed: 8).makeProcess())
            try database.write { transaction in
                for schema in classes { try transaction.createClass(schema) }
                try transaction.createClass(ClassSchema("Walker", [
                    PropertySchema("dog", linkTo: "Dog"), PropertySchema("dogs", linkTo: "Dog", collections: [.list]),
                ]))
                for age in 0..<10 {
                    let dog = try transaction.insert(into: "Dog", [("age", .int(Int64(age)))])
                    dogs.append(dog)
                    walkers.append(try transaction.insert(into: "Walker", [("dog", .link(dog)), ("dogs", .list([.link(dog)]))]))
                }
            }
        }

        func replaceAge(as property: PropertySchema = PropertySchema("age", .int)) throws {
            try database.write { transaction in
                try transaction.dropProperty("age", from: "Dog")
                try transaction.addProperty(property, to: "Dog")
            }
        }

        func setAges(to age: Value) throws {
            try database.write { transaction in
                let table = try transaction.table("Dog")
                for dog in dogs { try transaction.set(dog, in: table, table.column("age"), to: age) }
            }
        }
    }

    @Test("a query follows a property that was dropped and added again", arguments: [dogs, marks], [nil, "dog."] as [String?])
    func queries(classes: [ClassSchema], link: String?) throws {
        let town = try Town(classes)
        defer { town.database.close() }
        let older = try town.database.snapshot(), newer = try town.database.snapshot()
        let name = link == nil ? "Dog" : "Walker", all = link == nil ? town.dogs : town.walkers, path = (link ?? "") + "age"
        let some = try LiveQuery(ObjectQuery("\(path) > 5"), of: name, at: older)
        let first = try LiveQuery(ObjectQuery("\(path) > 5 SORT(\(path) DESC) LIMIT(2)"), of: name, at: older)
        let every = try LiveQuery(ObjectQuery("TRUEPREDICATE"), of: name, at: older)
        let seen = try LiveQuery(ObjectQuery("TRUEPREDICATE"), of: name, at: older, observing: [PropertyPath(parsing: path)])
        let groups = try LiveGroups(ObjectQuery("\(path) > 5 GROUP() SELECT(@count)"), of: name, at: older)
        #expect(some.count == 4 && first.count == 2)
        try town.replaceAge()
        try newer.refresh()
        var step = try VersionStep(from: older, to: newer)
        #expect(try some.advance(step) == PositionChanges(deletions: [0, 1, 2, 3]) && some.keys.isEmpty)
        #expect(try first.advance(step) == PositionChanges(deletions: [0, 1]))
        // The first dog's age is as it was.
        #expect(try every.advance(step) == PositionChanges(modifications: Array(1..<10)))
        #expect(try seen.advance(step) == PositionChanges(modifications: Array(1..<10)))
        #expect(try !groups.advance(step).isEmpty && groups.groups.first?.figures ?? [.int(0)] == [.int(0)])
        try older.refresh()
        try town.setAges(to: .int(100))
        try newer.refresh()
        step = try VersionStep(from: older, to: newer)
        #expect(try some.advance(step) == PositionChanges(insertions: Array(0..<10)) && some.keys == all)
        #expect(try first.advance(step) == PositionChanges(insertions: [0, 1]))
        #expect(try every.advance(step) == PositionChanges(modifications: Array(0..<10)))
        #expect(try seen.advance(step) == PositionChanges(modifications: Array(0..<10)))
        #expect(try !groups.advance(step).isEmpty && groups.groups.first?.figures == [.int(10)])
    }

    @Test func aPropertyThatComesBackWithAnotherTypeIsModified() throws {
        let town = try Town(Self.dogs)
        defer { town.database.close() }
        let older = try town.database.snapshot(), newer = try town.database.snapshot()
        let seen = try LiveQuery(ObjectQuery("TRUEPREDICATE"), of: "Dog", at: older, observing: [PropertyPath("age")])
        let object = try LiveObject(town.dogs[3], in: "Dog", at: older)
        try town.replaceAge(as: PropertySchema("age", .string))
        try newer.refresh()
        let step = try VersionStep(from: older, to: newer)
        #expect(try seen.advance(step) == PositionChanges(modifications: Array(0..<10)))
        #expect(try object.advance(step).properties == ["age"])
    }

    @Test func objectsAndCollectionsFollowAPropertyThatWasAddedAgain() throws {
        let town = try Town(Self.dogs)
        defer { town.database.close() }
        let older = try town.database.snapshot(), newer = try town.database.snapshot()
        let same = try LiveObject(town.dogs[0], in: "Dog", at: older), other = try LiveObject(town.dogs[7], in: "Dog", at: older)
        let list = try LiveCollection(CollectionAddress("dogs", of: town.walkers[7], in: "Walker"), at: older, observing: [PropertyPath("age")])
        try town.replaceAge()
        try newer.refresh()
        var step = try VersionStep(from: older, to: newer)
        #expect(try same.advance(step).isEmpty)
        #expect(try other.advance(step) == LiveObjectChanges(properties: ["age"]))
        #expect(try list.advance(step).positions == PositionChanges(modifications: [0]))
        try older.refresh()
        try town.setAges(to: .int(4))
        try newer.refresh()
        step = try VersionStep(from: older, to: newer)
        #expect(try same.advance(step) == LiveObjectChanges(properties: ["age"]))
        #expect(try other.advance(step) == LiveObjectChanges(properties: ["age"]))
        #expect(try list.advance(step).positions == PositionChanges(modifications: [0]))
    }

    @Test func aValueThatWasGivenBackIsNoChange() throws {
        let town = try Town(Self.dogs)
        defer { town.database.close() }
        let older = try town.database.snapshot(), newer = try town.database.snapshot()
        let same = try LiveObject(town.dogs[3], in: "Dog", at: older), other = try LiveObject(town.dogs[4], in: "Dog", at: older)
        try town.database.write { transaction in
            try transaction.dropProperty("age", from: "Dog")
            try transaction.addProperty(PropertySchema("age", .int), to: "Dog")
            let table = try transaction.table("Dog")
            for dog in town.dogs { try transaction.set(dog, in: table, table.column("age"), to: .int(3)) }
        }
        try newer.refresh()
        let step = try VersionStep(from: older, to: newer)
        #expect(try same.advance(step).isEmpty)
        #expect(try other.advance(step) == LiveObjectChanges(properties: ["age"]))
        #expect(try step.change(of: town.dogs[3], in: "Dog") == nil && step.change(of: town.dogs[4], in: "Dog")?.kind == .changed)
    }

    @Test("what a link led to before it was added again counts", arguments: [false, true])
    func links(isReadBackwards: Bool) throws {
        let town = try Town(Self.dogs)
        defer { town.database.close() }
        let older = try town.database.snapshot(), newer = try town.database.snapshot()
        let live = isReadBackwards
            ? try LiveQuery(ObjectQuery("TRUEPREDICATE"), of: "Dog", at: older, observing: [PropertyPath(parsing: "@links.Walker.dogs")])
            : try LiveQuery(ObjectQuery("TRUEPREDICATE"), of: "Walker", at: older, observing: [PropertyPath(parsing: "dogs.age")])
        try town.database.write { transaction in
            try transaction.dropProperty("dogs", from: "Walker")
            try transaction.addProperty(PropertySchema("dogs", linkTo: "Dog", collections: [.list]), to: "Walker")
        }
        try newer.refresh()
        #expect(try live.advance(VersionStep(from: older, to: newer)) == PositionChanges(modifications: Array(0..<10)))
    }

    @Test func aClassDroppedAndCreatedAgainHasOtherObjects() throws {
        let database = try Database.open("/again.freehold", OpenOptions.simulated, on: SimulatedSystem(seed: 9).makeProcess())
        defer { database.close() }
        let schema = ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("tags", .string, collections: [.list])])
        func make(_ ids: ClosedRange<Int64>, in transaction: WriteTransaction) throws {
            try transaction.createClass(schema)
            for id in ids { try transaction.insert(into: "Note", key: .int(id), [("tags", .list([.string("a")]))]) }
        }
        try database.write { try make(1...3, in: $0) }
        let older = try database.snapshot(), newer = try database.snapshot()
        let live = try LiveQuery(ObjectQuery("TRUEPREDICATE"), of: "Note", at: older)
        let kept = try LiveObject(ObjectKey(2), in: "Note", at: older), gone = try LiveObject(ObjectKey(1), in: "Note", at: older)
        let tags = try LiveCollection(CollectionAddress("tags", of: ObjectKey(2), in: "Note"), at: older)
        let groups = try LiveGroups(ObjectQuery("id > 1 GROUP() SELECT(@count)"), of: "Note", at: older)
        try database.write { transaction in
            try transaction.dropClass("Note")
            try make(2...3, in: transaction)
        }
        try newer.refresh()
        var step = try VersionStep(from: older, to: newer)
        #expect(try live.advance(step) == PositionChanges(deletions: [0, 1, 2], insertions: [0, 1]))
        #expect(try kept.advance(step).isGone && gone.advance(step).isGone && tags.advance(step).isGone)
        _ = try groups.advance(step)
        try older.refresh()
        try database.write { _ = try $0.insert(into: "Note", key: .int(9), []) }
        try newer.refresh()
        step = try VersionStep(from: older, to: newer)
        #expect(try live.advance(step) == PositionChanges(insertions: [2]))
        #expect(try !groups.advance(step).isEmpty && groups.groups.first?.figures == [.int(3)])
    }
}
