import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// Random changes by several processes, watched by others: what a watcher is told, applied to its copy, is what the database holds.
@Suite struct LiveWatchModelTests {
    /// 25 runs in a part, of a seed each: 10,000 in the long suites.
    @Test(arguments: TestScale.seeds(2, long: 400))
    func changeSetsTurnEveryCopyIntoTheNewVersion(part: UInt64) throws {
        var followed = 0, anew = 0
        for seed in (part - 1) * 25 ..< part * 25 {
            let told = try run(seed)
            followed += told.followed
            anew += told.anew
        }
        #expect(followed > 10 && anew > 0, "part \(part): \(followed) steps were followed object by object, \(anew) versions were lost")
    }

    private func run(_ seed: UInt64) throws -> (followed: Int, anew: Int) {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var random = SeededRandom(seed: seed &* 31), world = LiveWorld(seed: seed)
        var careless = OpenOptions.simulated(seed: seed)
        careless.parkedVersionsLimit = 2
        let writers = try [OpenOptions.simulated(seed: seed), careless, .simulated(seed: seed)].map { try Database.open("/live.freehold", $0, on: machine.makeProcess()) }
        defer { for writer in writers { writer.close() } }
        try writers[0].write { try world.make(in: $0) }
        let homes = try [writers[0], Database.open("/live.freehold", .simulated(seed: seed), on: machine.makeProcess())]
        defer { homes[1].close() }
        let observers = try homes.enumerated().map { try LiveObserver($0.element, seed: seed &* 7 &+ UInt64($0.offset), answers: 4) }
        for round in 0..<6 {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let writer = writers.randomElement(using: &random)!
                try writer.write(durability: random.oneIn(4) ? .full : .processCrash) { try world.change(in: $0, atMost: round == 4 ? 60 : 5) }
            }
            for observer in observers where round == 5 || !random.oneIn(3) { try observer.deliver() }
        }
        for observer in observers {
            #expect(observer.complaints.isEmpty, "seed \(seed): \(observer.complaints.prefix(3).joined(separator: "\n"))")
            #expect(try observer.version == writers[0].snapshot().version, "seed \(seed)")
        }
        return (observers.reduce(0) { $0 + $1.followedSteps }, observers.reduce(0) { $0 + $1.deliveries.anew })
    }
}

/// What a `LiveWatch` promises besides.
@Suite struct LiveWatchTests {
    private let machine = SimulatedSystem(seed: 3)
    private let database: Database
    private let other: Database

    init() throws {
        database = try Database.open("/watch.freehold", .simulated, on: machine.makeProcess())
        var options = OpenOptions.simulated
        options.parkedVersionsLimit = 2
        other = try Database.open("/watch.freehold", options, on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Dog", [PropertySchema("name", .string), PropertySchema("age", .int)]))
            try transaction.createClass(ClassSchema("Person", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("name", .string), PropertySchema("dogs", linkTo: "Dog", collections: [.list]),
                PropertySchema("tags", .string, collections: [.list]), PropertySchema("scores", .int, collections: [.map]),
            ]))
            let dogs = try (0..<4).map { try transaction.insert(into: "Dog", [("name", .string("dog \($0)")), ("age", .int(Int64($0)))]) }
            try transaction.insert(into: "Person", key: .int(1), [
                ("name", .string("Ada")), ("dogs", .list(dogs.map { .link($0) })), ("tags", .list(["a", "b", "c"].map { .string($0) })),
                ("scores", .map(["x": .int(1), "y": .int(2)])),
            ])
        }
    }

    private func person(_ property: String) -> CollectionAddress { CollectionAddress(property, of: ObjectKey(1), in: "Person") }

    private func change(_ property: String, _ body: (WriteTransaction, Table, Column) throws -> Void) throws {
        try other.write { transaction in
            let table = try transaction.table("Person")
            try body(transaction, table, table.column(property))
        }
    }

    /// The changes of the one answer that is followed.
    private func told(_ watch: LiveWatch) throws -> [WatchDelivery.What] {
        var told: [WatchDelivery.What] = []
        try watch.deliver { told = $0.changes.map(\.what) }
        return told
    }

    private func elements(_ watch: LiveWatch) throws -> CollectionChanges? {
        guard case .elements(let changes) = try told(watch).first else { return nil }
        return changes
    }

    @Test func anElementThatMovesIsDeletedAndInserted() throws {
        let watch = try LiveWatch(database)
        try watch.follow(person("tags"))
        try change("tags") { try $0.list(of: ObjectKey(1), in: $1, $2).move(from: 0, to: 2) }
        #expect(try elements(watch)?.positions == PositionChanges(deletions: [0], insertions: [2]))
        #expect(try elements(watch) == nil)
    }

    @Test func anElementReplacedIsModifiedAndOneReplacedByItselfIsNot() throws {
        let watch = try LiveWatch(database)
        try watch.follow(person("tags"))
        try change("tags") { try $0.list(of: ObjectKey(1), in: $1, $2).replace(at: 1, with: .string("z")) }
        #expect(try elements(watch)?.positions == PositionChanges(modifications: [1]))
        try change("tags") { try $0.list(of: ObjectKey(1), in: $1, $2).replace(at: 1, with: .string("z")) }
        #expect(try elements(watch) == nil)
    }

    @Test func anElementIsModifiedWhenTheObjectItLinksToIs() throws {
        let watch = try LiveWatch(database)
        try watch.follow(person("dogs"))
        let (_, named) = try watch.follow(person("dogs"), observing: [PropertyPath("name")])
        let (_, alone) = try watch.follow(person("dogs"), observing: [])
        try other.write { transaction in
            let dogs = try transaction.table("Dog"), keys = try dogs.keys()
            try transaction.set(keys[2], in: dogs, dogs.column("age"), to: .int(9))
            try transaction.insert(into: "Dog", [("name", .string("stray")), ("age", .int(1))])
        }
        #expect(try elements(watch)?.positions == PositionChanges(modifications: [2]))
        try other.write { transaction in
            let dogs = try transaction.table("Dog"), keys = try dogs.keys()
            try transaction.set(keys[0], in: dogs, dogs.column("name"), to: .string("Rex"))
            try transaction.delete(keys[3], from: dogs)
        }
        let all = try told(watch).compactMap { what -> PositionChanges? in if case .elements(let changes) = what { changes.positions } else { nil } }
        #expect(all == [PositionChanges(deletions: [3], modifications: [0]), PositionChanges(deletions: [3], modifications: [0]), PositionChanges(deletions: [3])])
        #expect(named.count == 3 && alone.count == 3)
    }

    @Test func anObjectsPropertiesAreToldByName() throws {
        let watch = try LiveWatch(database)
        let (_, ada) = try watch.follow(ObjectKey(1), in: "Person")
        #expect(throws: FreeholdError.self) { try watch.follow(ObjectKey(9), in: "Person") }
        try change("name") { try $0.set(ObjectKey(1), in: $1, $2, to: .string("Ada L.")) }
        try change("tags") { try $0.list(of: ObjectKey(1), in: $1, $2).remove(at: 0) }
        guard case .properties(let changes)? = try told(watch).first else { throw FreeholdError(.system, "nothing was told") }
        #expect(changes == LiveObjectChanges(properties: ["name", "tags"]))
        try other.write { try $0.insert(into: "Dog", [("name", .string("stray")), ("age", .int(1))]) }
        #expect(try told(watch).isEmpty && watch.hub.lastAdvanced == 0)
        try other.write { transaction in
            try transaction.delete(ObjectKey(1), from: transaction.table("Person"))
            try transaction.insert(into: "Person", key: .int(1), [("name", .string("Another"))])
        }
        guard case .properties(let end)? = try told(watch).first else { throw FreeholdError(.system, "nothing was told") }
        #expect(end == LiveObjectChanges(isGone: true) && ada.isGone)
        try change("name") { try $0.set(ObjectKey(1), in: $1, $2, to: .string("Grace")) }
        #expect(try told(watch).isEmpty)
    }

    @Test func ofAnObjectWhoseVersionWasTakenAwayEverythingMayHaveChanged() throws {
        let watch = try LiveWatch(database)
        let (_, ada) = try watch.follow(ObjectKey(1), in: "Person")
        for number in 0..<6 { try change("name") { try $0.set(ObjectKey(1), in: $1, $2, to: .string("Ada \(number)")) } }
        guard case .properties(let changes)? = try told(watch).first else { throw FreeholdError(.system, "nothing was told") }
        #expect(changes.properties == ["id", "name", "dogs", "tags", "scores"] && !ada.isGone)
    }

    @Test func aMapsChangesAreToldByKeys() throws {
        let watch = try LiveWatch(database)
        try watch.follow(person("scores"))
        try change("scores") { transaction, table, column in
            let map = try transaction.map(of: ObjectKey(1), in: table, column)
            try map.set(.int(5), for: "y")
            try map.remove("x")
            try map.set(.int(7), for: "a")
        }
        let changes = try #require(try elements(watch))
        #expect(changes.deletedKeys == ["x"] && changes.insertedKeys == ["a"] && changes.modifiedKeys == ["y"])
        #expect(changes.positions == PositionChanges(deletions: [0], insertions: [0], modifications: [1]))
    }

    @Test func aCollectionWhoseObjectIsDeletedIsGoneForGood() throws {
        let watch = try LiveWatch(database)
        let (_, tags) = try watch.follow(person("tags"))
        let (_, dogs) = try watch.follow(ObjectQuery("TRUEPREDICATE SORT(name ASC)"), of: "Dog", among: person("dogs"))
        try change("tags") { transaction, table, _ in
            try transaction.delete(ObjectKey(1), from: table)
            try transaction.insert(into: "Person", key: .int(1), [("tags", .list([.string("new")]))])
        }
        let changes = try #require(try elements(watch))
        #expect(changes.isGone && changes.positions == PositionChanges(deletions: [0, 1, 2]))
        #expect(tags.isGone && tags.count == 0 && dogs.count == 0)
        try change("tags") { try $0.list(of: ObjectKey(1), in: $1, $2).append(.string("more")) }
        #expect(try elements(watch) == nil)
        #expect(tags.count == 0)
    }

    @Test func aCollectionOfNobodyIsRefused() throws {
        let watch = try LiveWatch(database)
        let errors = [CollectionAddress("tags", of: ObjectKey(77), in: "Person"), person("name"), person("none"), CollectionAddress("tags", of: ObjectKey(1), in: "Dog")].map { address in
            #expect(throws: FreeholdError.self) { try watch.follow(address) }?.code
        }
        #expect(errors == [.notFound, .typeMismatch, .unknownProperty, .unknownProperty])
        #expect(#expect(throws: FreeholdError.self) { try watch.follow(ObjectQuery(), of: "Person", among: person("dogs")) }?.code == .typeMismatch)
    }

    @Test func whatAQueryAsksForMayGo() throws {
        let watch = try LiveWatch(database)
        let query = try watch.follow(ObjectQuery("age > 1"), of: "Dog")
        try watch.follow(person("tags"))
        try other.write { try $0.dropProperty("age", from: "Dog") }
        var failed: [(LiveWatch.Number, FreeholdError.Code)] = []
        try watch.deliver { delivery in
            for change in delivery.changes { if case .failed(let error) = change.what { failed.append((change.number, error.code)) } }
        }
        #expect(failed.map(\.0) == [query.number] && failed.map(\.1) == [.unknownProperty])
        try change("tags") { try $0.list(of: ObjectKey(1), in: $1, $2).append(.string("d")) }
        #expect(try elements(watch)?.positions == PositionChanges(insertions: [3]))
    }

    @Test func whoLooksAlikeSharesWhatIsLookedAtAlsoBehindAChangeOfClasses() throws {
        try other.write { try $0.insert(into: "Person", key: .int(2), [("name", .string("Bob"))]) }
        let before = try database.snapshot(), shared = SharedObservedObjects()
        let live = try (1...2).map { key in
            try LiveCollection(CollectionAddress("dogs", of: ObjectKey(Int64(key)), in: "Person"), at: before, sharing: shared)
        }
        #expect(shared.count == 1 && live[0].targets[0].objects === live[1].targets[0].objects)
        let old = live[0].targets[0].objects
        try other.write { try $0.createClass(ClassSchema("Cat", [PropertySchema("name", .string)])) }
        let after = try database.snapshot(), step = try VersionStep(from: before, to: after)
        for live in live { _ = try live.advance(step) }
        #expect(shared.count == 1 && live[0].targets[0].objects === live[1].targets[0].objects && live[0].targets[0].objects !== old)
        // Nor is one handed out that was made for other classes.
        #expect(try shared.objects(of: "Dog", observing: nil, at: before) !== shared.objects(of: "Dog", observing: nil, at: after))
    }

    @Test func explanationsSayHowAnAnswerIsKept() throws {
        let snapshot = try database.snapshot()
        func explanation(_ text: String, among source: CollectionAddress? = nil) throws -> String {
            try LiveQuery(ObjectQuery(text), of: "Dog", among: source, at: snapshot).explanation
        }
        #expect(try explanation("age > 1 SORT(age ASC)").hasPrefix("followed object by object;"))
        #expect(try explanation("age > 1 SORT(age ASC) LIMIT(2)").hasPrefix("followed object by object, as a part"))
        #expect(try explanation("age > 1 DISTINCT(name)").hasPrefix("followed object by object, as the first of each value;"))
        #expect(try explanation("age > 1 LIMIT(5) DISTINCT(name)").hasPrefix("asked anew when what it looks at"))
        #expect(try explanation("age > 1", among: person("dogs")).hasPrefix("asked anew when an element of 'dogs'"))
    }

    @Test func whoSleepsPinsNothingForLong() throws {
        let watch = try LiveWatch(database)
        let (_, dogs) = try watch.follow(ObjectQuery("TRUEPREDICATE SORT(age ASC)"), of: "Dog")
        let version = watch.version
        for age in 0..<6 {
            try other.write { transaction in
                let table = try transaction.table("Dog")
                try transaction.set(table.keys()[0], in: table, table.column("age"), to: .int(Int64(age + 10)))
            }
        }
        #expect(try !other.information().holders.contains { $0.version == version })
        var told: (isWhole: Bool, changes: [WatchDelivery.What]) = (true, [])
        #expect(try watch.deliver { told = ($0.before != nil, $0.changes.map(\.what)) })
        #expect(!told.isWhole && told.changes.count == 1)
        #expect(try dogs.keys == database.snapshot().table("Dog").keys(matching: ObjectQuery("TRUEPREDICATE SORT(age ASC)")))
        #expect(try !watch.deliver { _ in })
    }
}
