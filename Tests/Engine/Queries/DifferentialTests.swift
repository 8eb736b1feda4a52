import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Random conditions answered by the engine and by a naive evaluator, over random objects.
@Suite struct DifferentialTests {
    /// Conditions for each data set: 50,750 in all in a long run.
    private static let queries = TestScale.count(1) > 1 ? 1450 : 60

    @Test(arguments: TestScale.seeds(4, long: 35))
    func answersAreThoseOfANaiveEvaluator(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let kennel = try Kennel(seed: seed, people: 400, isFamily: seed % 2 == 0, machine: machine)
        defer { kennel.close() }
        let naive = NaiveQuery(kennel: kennel)
        let snapshot = try kennel.database.snapshot()
        let table = try snapshot.table("Person")
        var queries = RandomQuery(seed: seed &* 7919)
        for number in 0..<Self.queries {
            let query = ObjectQuery(queries.condition()), place = "seed \(seed), query \(number): \(query)"
            let expected = naive.people.filter { naive.matches(query.condition, person: $0) }.map { ObjectKey($0) }
            let prepared = try table.prepare(query)
            let found = try prepared.keys()
            #expect(found == expected, "\(place): \(Set(found).symmetricDifference(expected).sorted { $0.rawValue < $1.rawValue }.prefix(5))")
            #expect(try prepared.count() == expected.count, "\(place)")
            #expect(try prepared.first() == expected.first, "\(place)")
            let text = query.description
            #expect(try ObjectQuery(text).description == text, "\(place)")
            #expect(try table.keys(matching: ObjectQuery(text)) == expected, "\(place), read back")
            if found != expected { return }
            try Self.askFamily(of: kennel, snapshot, text, among: expected, place)
        }
    }

    /// Chiefs alone, and people who are none: of what was found among both.
    private static func askFamily(of kennel: Kennel, _ snapshot: Snapshot, _ text: String, among found: [ObjectKey], limit: Int = .max, _ place: String) throws {
        guard kennel.isFamily else { return }
        for (name, isChief) in [("Chief", true), ("Person", false)] {
            let table = try snapshot.table(name, withSubclasses: isChief), meant = found.filter { Kennel.isChief($0.rawValue) == isChief }
            #expect(try table.keys(matching: ObjectQuery(text)) == Array(meant.prefix(limit)), "\(place), of \(isChief ? "chiefs" : "no chiefs")")
            if limit == .max { #expect(try table.prepare(ObjectQuery(text)).count() == meant.count, "\(place), of \(isChief ? "chiefs" : "no chiefs")") }
        }
    }

    @Test(arguments: TestScale.seeds(2, long: 8))
    func quantifiersBeforeValuesAreAskedOfEachValue(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let kennel = try Kennel(seed: seed, people: 300, machine: machine)
        defer { kennel.close() }
        var queries = RandomQuery(seed: seed &* 31)
        let naive = NaiveQuery(kennel: kennel), table = try kennel.database.snapshot().table("Person")
        for _ in 0..<80 {
            let (text, quantifier, each) = queries.ofValues()
            let expected = naive.people.filter { person in
                let hits = each.map { naive.matches(.comparison($0), person: person) }
                return quantifier == .all ? !hits.contains(false) : hits.contains(true) == (quantifier == .any)
            }
            #expect(try table.keys(matching: ObjectQuery(text)).map(\.rawValue) == expected, "seed \(seed): \(text)")
        }
    }

    @Test(arguments: TestScale.seeds(2, long: 8))
    func aTransactionsOwnChangesAreSeen(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let kennel = try Kennel(seed: seed, people: 300, machine: machine)
        defer { kennel.close() }
        var queries = RandomQuery(seed: seed), model = kennel
        try kennel.database.write { transaction in
            try model.changeMany(in: transaction)
            let naive = NaiveQuery(kennel: model), table = try transaction.table("Person")
            for _ in 0..<40 {
                let query = ObjectQuery(queries.condition())
                let expected = naive.people.filter { naive.matches(query.condition, person: $0) }.map { ObjectKey($0) }
                let found = try table.keys(matching: query)
                #expect(found == expected, "seed \(seed): \(query): \(Set(found).symmetricDifference(expected))")
            }
        }
    }

    @Test(arguments: TestScale.seeds(3, long: 12))
    func sortedObjectsAreInTheOrderOfTheirValues(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let kennel = try Kennel(seed: seed, people: 400, isFamily: seed % 2 == 0, machine: machine)
        defer { kennel.close() }
        let paths = ["flag", "age", "rank", "ratio", "score", "height", "name", "city", "kind", "born", "seen", "uuid", "oid", "price", "any", "dog.age", "boss.name", "boss.dog.weight"]
        let snapshot = try kennel.database.snapshot(), table = try snapshot.table("Person"), naive = NaiveQuery(kennel: kennel), people = naive.people
        var random = SeededRandom(seed: seed), queries = RandomQuery(seed: seed)
        for _ in 0..<40 {
            let terms = (0..<Int.random(in: 1...3, using: &random)).map { _ in (path: paths.randomElement(using: &random)!, isAscending: Bool.random(using: &random)) }
            let limit = random.oneIn(2) ? Int.random(in: 0...30, using: &random) : people.count, condition = random.oneIn(2) ? queries.condition() : .constant(true)
            let text = "\(ObjectQuery(condition)) SORT(" + terms.map { "\($0.path) \($0.isAscending ? "ASC" : "DESC")" }.joined(separator: ", ") + ") LIMIT(\(limit))"
            let values = Dictionary(uniqueKeysWithValues: people.map { key in (key, terms.map { Self.value($0.path, of: key, in: kennel) }) })
            let meant = people.filter { naive.matches(condition, person: $0) }
            let expected = meant.sorted { left, right in
                for (place, term) in terms.enumerated() {
                    let order = SortValue.order(values[left]![place], values[right]![place])
                    if order != 0 { return term.isAscending ? order < 0 : order > 0 }
                }
                return left < right
            }
            #expect(try table.keys(matching: ObjectQuery(text)).map(\.rawValue) == Array(expected.prefix(limit)), "seed \(seed): \(text)")
            try Self.askFamily(of: kennel, snapshot, text, among: expected.map { ObjectKey($0) }, limit: limit, "seed \(seed): \(text)")
        }
    }

    private static func value(_ path: String, of key: Int64, in kennel: Kennel) -> SortValue {
        let names = path.split(separator: ".").map(String.init)
        var object = kennel.people[key]!
        for name in names.dropLast() {
            guard case .link(let target) = object[name]!, let next = (name == "dog" ? kennel.dogs : kennel.people)[target.rawValue] else { return .missing }
            object = next
        }
        return .value(object[names.last!]!)
    }
}
