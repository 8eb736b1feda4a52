import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Answers that are kept up to date over random commits, against answers that are asked for anew.
@Suite struct LiveQueryTests {
    private static let sorts = ["age", "rank", "score", "name", "city", "born", "price", "any", "dog.age", "boss.name", "dog.owner.city"]
    private static let paths = ["age", "name", "dog.age", "friends.age", "boss.dog.weight", "@links.Person.boss.age", "dogs", "pets.name", "tags"]

    /// One live query beside what it must be: its own keys with all changes applied, and what was seen at each key.
    private struct Watched {
        let live: LiveQuery
        let text: String
        var shown: [ObjectKey]
        var seen: [ObjectKey: [Value]]
    }

    @Test(arguments: TestScale.seeds(3, long: 40))
    func changesTurnTheOldAnswerIntoTheNewOne(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var kennel = try Kennel(seed: seed, people: 150, machine: machine)
        defer { kennel.close() }
        var random = SeededRandom(seed: seed), queries = RandomQuery(seed: seed &+ 77)
        let older = try kennel.database.snapshot(), newer = try kennel.database.snapshot()
        var watched: [Watched] = []
        for _ in 0..<24 { watched.append(try Self.watch(&queries, &random, at: older)) }
        var followed = 0
        for round in 0..<12 {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                try kennel.database.write { try kennel.changeSome(in: $0, atMost: round % 5 == 4 ? 200 : 6) }
            }
            try newer.refresh()
            let step = try VersionStep(from: older, to: newer)
            for place in watched.indices {
                if case .followed = try Self.check(&watched[place], step, "seed \(seed), round \(round)") { followed += 1 }
            }
            try older.refresh()
        }
        #expect(followed > 20, "seed \(seed): hardly ever was a change followed")
    }

    private static func watch(_ queries: inout RandomQuery, _ random: inout SeededRandom, at snapshot: Snapshot) throws -> Watched {
        var steps: [QueryStep] = []
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let keys = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                sort(by: sorts.randomElement(using: &random)!, &random)
            }
            steps.append(.sort(keys))
        }
        if random.oneIn(4) {
            let apart = [["city"], ["age"], ["city", "age"], ["any"], ["dog.age"], ["name"]].randomElement(using: &random)!
            steps.append(.distinct(apart.map { path($0) }))
        }
        if random.oneIn(5) { steps.append(.offset(Int.random(in: 0...9, using: &random))) }
        if random.oneIn(3) { steps.append(.limit(Int.random(in: 0...40, using: &random))) }
        if random.oneIn(12) { steps.append(.sort([QuerySort(PropertyPath("id"))])) }
        let condition: QueryCondition = random.oneIn(4) ? .constant(true) : queries.condition()
        let query = ObjectQuery(condition, steps)
        var observed: [PropertyPath]?
        if random.oneIn(2) { observed = (0..<Int.random(in: 0...2, using: &random)).map { _ in path(paths.randomElement(using: &random)!) } }
        let live = try LiveQuery(query, of: "Person", at: snapshot, observing: observed)
        return Watched(live: live, text: "\(query), observing \(observed.map { "\($0)" } ?? "all")", shown: live.keys, seen: try seen(live, at: snapshot))
    }

    private static func sort(by text: String, _ random: inout SeededRandom) -> QuerySort {
        let isText = ["name", "city", "any", "boss.name", "dog.owner.city"].contains(text)
        let collation = isText && random.oneIn(2) ? ["de", "en-u-ks-level1", "und-u-kn-kf-upper"].randomElement(using: &random) : nil
        return QuerySort(path(text), isAscending: Bool.random(using: &random), collation: collation)
    }

    private static func path(_ text: String) -> PropertyPath { try! PropertyPath(parsing: text) }

    /// What each object of an answer is seen to hold: at the observed paths, or of itself.
    private static func seen(_ live: LiveQuery, at snapshot: Snapshot) throws -> [ObjectKey: [Value]] {
        let table = try snapshot.table("Person")
        var seen: [ObjectKey: [Value]] = [:]
        for key in live.keys {
            guard let observed = live.observed else {
                seen[key] = try table.values(key)
                continue
            }
            let context = QueryContext()
            context.rows = [try #require(try table.row(key))]
            var values: [Value] = []
            for path in observed {
                try QueryBinder(table).boundPath(path, path.steps[...]).forEach(context) { value in
                    values.append(value)
                    return true
                }
                values.append(.string("|"))
            }
            seen[key] = values
        }
        return seen
    }

    private static func check(_ watched: inout Watched, _ step: VersionStep, _ place: String) throws -> LiveQuery.Effort {
        let live = watched.live, old = watched.shown, changes = try live.advance(step), place = "\(place): \(watched.text) (\(live.effort))"
        let expected = try step.newer.table("Person").keys(matching: live.query)
        #expect(live.keys == expected, "\(place)")
        #expect(live.count == expected.count, "\(place)")
        for position in changes.deletions.reversed() { watched.shown.remove(at: position) }
        for position in changes.insertions { watched.shown.insert(live[position], at: position) }
        #expect(watched.shown == expected, "\(place): \(changes)")
        for positions in [changes.deletions, changes.insertions, changes.modifications] { #expect(positions == Array(Set(positions)).sorted(), "\(place)") }
        #expect(changes.modifications.map { old[$0] } == changes.modificationsAfter.map { expected[$0] }, "\(place): \(changes)")
        let seen = try seen(live, at: step.newer), modified = Set(changes.modifications.map { old[$0] })
        // Whatever is not told as deleted, inserted or modified is seen as it was.
        let gone = Set(changes.deletions.map { old[$0] })
        for key in old where !gone.contains(key) && !modified.contains(key) {
            let isSame = zip(watched.seen[key] ?? [], seen[key] ?? []).allSatisfy { $0.isIdentical(to: $1) } && watched.seen[key]?.count == seen[key]?.count
            #expect(isSame, "\(place): \(key) changed unsaid")
        }
        watched.seen = seen
        return live.effort
    }

    @Test func modificationsAreOnlyWhatTheObservedPathsSee() throws {
        let (database, keys) = try Self.town()
        defer { database.close() }
        let before = try database.snapshot(), now = try database.snapshot()
        let all = try LiveQuery(ObjectQuery("TRUEPREDICATE SORT(age ASC)"), of: "Person", at: before)
        let names = try LiveQuery(ObjectQuery("TRUEPREDICATE SORT(age ASC)"), of: "Person", at: before, observing: [PropertyPath("name")])
        let dogs = try LiveQuery(ObjectQuery("TRUEPREDICATE SORT(age ASC)"), of: "Person", at: before, observing: [PropertyPath("dog", "name")])
        try database.write { transaction in
            let table = try transaction.table("Dog")
            try transaction.set(keys.dogs[1], in: table, table.column("name"), to: .string("Rex"))
        }
        try now.refresh()
        let step = try VersionStep(from: before, to: now)
        #expect(try all.advance(step) == PositionChanges(modifications: [1]))
        #expect(try names.advance(step).isEmpty)
        #expect(names.effort == .none || names.effort == .followed(objects: 0))
        #expect(try dogs.advance(step) == PositionChanges(modifications: [1]))
    }

    @Test func anObjectThatMovesIsDeletedAndInserted() throws {
        let (database, keys) = try Self.town()
        defer { database.close() }
        let before = try database.snapshot(), now = try database.snapshot()
        let live = try LiveQuery(ObjectQuery("age < 100 SORT(age ASC)"), of: "Person", at: before)
        try database.write { transaction in
            let table = try transaction.table("Person"), age = try table.column("age")
            try transaction.set(keys.people[0], in: table, age, to: .int(35))
            try transaction.set(keys.people[3], in: table, age, to: .int(200))
        }
        try now.refresh()
        let changes = try live.advance(VersionStep(from: before, to: now))
        #expect(changes == PositionChanges(deletions: [0, 3], insertions: [2]))
        #expect(live.keys == [keys.people[1], keys.people[2], keys.people[0], keys.people[4]])
        #expect(live.effort == .followed(objects: 2))
    }

    @Test func anotherObjectUnderAKeyIsDeletedAndInserted() throws {
        let machine = SimulatedSystem(seed: 6)
        defer { machine.discard() }
        let database = try Database.open("/keys.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("text", .string)]))
            for id in 1...3 { try transaction.insert(into: "Note", key: .int(Int64(id)), [("text", .string("same"))]) }
        }
        let before = try database.snapshot(), now = try database.snapshot()
        let live = try LiveQuery(ObjectQuery("text == 'same'"), of: "Note", at: before)
        let sorted = try LiveQuery(ObjectQuery("TRUEPREDICATE SORT(text ASC) LIMIT(2)"), of: "Note", at: before)
        try database.write { transaction in
            try transaction.delete(ObjectKey(2), from: transaction.table("Note"))
            try transaction.insert(into: "Note", key: .int(2), [("text", .string("same"))])
        }
        try now.refresh()
        let step = try VersionStep(from: before, to: now)
        #expect(try live.advance(step) == PositionChanges(deletions: [1], insertions: [1]))
        #expect(try sorted.advance(step) == PositionChanges(deletions: [1], insertions: [1]))
    }

    @Test func aStepFromAnotherVersionIsRefused() throws {
        let (database, _) = try Self.town()
        defer { database.close() }
        let first = try database.snapshot()
        let live = try LiveQuery(ObjectQuery(), of: "Person", at: first)
        try database.write { _ = try $0.insert(into: "Dog", [("name", .string("new"))]) }
        let second = try database.snapshot(), third = try database.snapshot()
        #expect(throws: FreeholdError.self) { try live.advance(VersionStep(from: second, to: third)) }
        #expect(live.version == first.version)
        #expect(try live.restart(at: third) == PositionChanges(modifications: [0, 1, 2, 3, 4]))
        #expect(live.version == third.version)
    }

    @Test func aQueryWhosePropertyIsGoneStaysWhereItWas() throws {
        let (database, _) = try Self.town()
        defer { database.close() }
        let before = try database.snapshot(), now = try database.snapshot()
        let live = try LiveQuery(ObjectQuery("age > 20"), of: "Person", at: before)
        let shown = live.keys
        try database.write { try $0.dropProperty("age", from: "Person") }
        try now.refresh()
        let step = try VersionStep(from: before, to: now)
        #expect(throws: FreeholdError.self) { try live.advance(step) }
        #expect(live.keys == shown && live.version == before.version)
    }

    @Test("queries go on over links while properties before these are dropped", arguments: [nil, "name", "dog"] as [String?])
    func propertiesMove(alsoDropped: String?) throws {
        let (database, keys) = try Self.town()
        defer { database.close() }
        let before = try database.snapshot(), now = try database.snapshot()
        func live(_ text: String, of name: String = "Person", _ paths: [PropertyPath]? = nil) throws -> LiveQuery {
            try LiveQuery(ObjectQuery(text), of: name, at: before, observing: paths)
        }
        let all = try live("TRUEPREDICATE"), observed = try live("TRUEPREDICATE", [PropertyPath("dog", "name")])
        let byDog = try live("dog.name == 'Rex'"), dogs = try live("ANY @links.Person.dog.age > 30", of: "Dog")
        let touched = try ObservedObjects(of: "Person", observing: [PropertyPath("dog", "name")], at: before)
        let groups = try LiveGroups(ObjectQuery("dog.name == 'Rex' GROUP() SELECT(@count)"), of: "Person", at: before)
        try database.write { transaction in
            if alsoDropped != "dog" { try transaction.dropProperty("name", from: "Person") }
            if let alsoDropped, alsoDropped != "name" { try transaction.dropProperty(alsoDropped, from: "Person") }
            if alsoDropped == "name" { try transaction.addProperty(PropertySchema("name", .string), to: "Person") }
            let table = try transaction.table("Dog"), people = try transaction.table("Person")
            try transaction.set(keys.dogs[1], in: table, table.column("name"), to: .string("Rex"))
            try transaction.set(keys.people[0], in: people, people.column("age"), to: .int(40))
        }
        try now.refresh()
        let step = try VersionStep(from: before, to: now)
        if alsoDropped == "dog" {
            // What nobody names any more is no reason to look.
            #expect(try all.advance(step).modifications.contains(0))
            #expect(try touched.touched(by: step).subtracting(keys.people).isEmpty)
            for query in [observed, byDog, dogs] { #expect(throws: FreeholdError.self) { try query.advance(step) } }
            #expect(throws: FreeholdError.self) { try groups.advance(step) }
            return
        }
        #expect(Set(try all.advance(step).modifications).isSuperset(of: [0, 1]))
        #expect(try observed.advance(step).modifications == [1])
        #expect(try touched.touched(by: step) == [keys.people[1]])
        #expect(try byDog.advance(step) == PositionChanges(insertions: [0]) && byDog.keys == [keys.people[1]])
        #expect(try dogs.advance(step).insertions.count == 1 && dogs.keys == [keys.dogs[0], keys.dogs[3], keys.dogs[4]])
        _ = try groups.advance(step)
        #expect(groups.groups.first?.figures == [.int(1)])
    }

    /// Five people of 10, 20, … years, each with a dog.
    private static func town() throws -> (Database, (people: [ObjectKey], dogs: [ObjectKey])) {
        let machine = SimulatedSystem(seed: 5)
        let database = try Database.open("/town.freehold", OpenOptions.simulated, on: machine.makeProcess())
        var people: [ObjectKey] = [], dogs: [ObjectKey] = []
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Dog", [PropertySchema("name", .string)]))
            try transaction.createClass(ClassSchema("Person", [PropertySchema("name", .string), PropertySchema("age", .int), PropertySchema("dog", linkTo: "Dog")]))
            for number in 1...5 {
                dogs.append(try transaction.insert(into: "Dog", [("name", .string("dog \(number)"))]))
                people.append(try transaction.insert(into: "Person", [("name", .string("person \(number)")), ("age", .int(Int64(number * 10))), ("dog", .link(dogs[number - 1]))]))
            }
        }
        return (database, (people, dogs))
    }
}

/// Single keys put in and taken out, against an array.
@Suite struct LiveOrderTests {
    @Test(arguments: TestScale.seeds(2, long: 10))
    func itIsWhatAnArrayIs(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var plain = (0..<Int.random(in: 0...1500, using: &random)).map { ObjectKey(Int64($0 * 7)) }, order = LiveOrder(plain)
        for _ in 0..<600 {
            let key = ObjectKey(Int64.random(in: 0...12_000, using: &random))
            let (position, isFound) = try order.find { key.rawValue < $0.rawValue ? -1 : key == $0 ? 0 : 1 }
            #expect(isFound == (position < plain.count && plain[position] == key))
            if isFound || random.oneIn(2) && position < plain.count {
                plain.remove(at: position)
                order.remove(at: position)
            } else {
                plain.insert(key, at: position)
                order.insert(key, at: position)
            }
            if random.oneIn(50), !plain.isEmpty {
                let some = Int.random(in: 0..<plain.count, using: &random)
                #expect(order[some] == plain[some])
                #expect(order.keys(in: some..<plain.count) == Array(plain[some...]))
            }
        }
        #expect(order.keys == plain && order.count == plain.count)
    }

    @Test(arguments: TestScale.seeds(3, long: 20))
    func whatIsKeptAscendsAndIsTheMost(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<60 {
            let numbers = (0..<Int.random(in: 0...7, using: &random)).map { $0 }.shuffled(using: &random), kept = longestAscending(numbers)
            let left = zip(numbers, kept).filter(\.1).map(\.0)
            #expect(left == left.sorted())
            let most = (0..<1 << numbers.count).filter { mask in
                let some = numbers.indices.filter { mask >> $0 & 1 == 1 }.map { numbers[$0] }
                return some == some.sorted()
            }.map { $0.nonzeroBitCount }.max() ?? 0
            #expect(left.count == most, "\(numbers)")
        }
    }
}
