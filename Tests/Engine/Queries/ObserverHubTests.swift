import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// What the index of interest of an `ObserverHub` leaves out, against answers that take every step.
@Suite struct ObserverHubTests {
    /// Random answers and commits: a watch reports what it would if it advanced every answer at every step.
    @Test(arguments: TestScale.seeds(20, long: 200))
    func skippingWhatACommitDoesNotTouchLeavesNothingOut(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var careless = OpenOptions.simulated(seed: seed)
        careless.parkedVersionsLimit = 4
        let writer = try Database.open("/hub.freehold", careless, on: machine.makeProcess())
        let reader = try Database.open("/hub.freehold", .simulated(seed: seed), on: machine.makeProcess())
        defer {
            writer.close()
            reader.close()
        }
        var streets = Streets(seed: seed)
        try writer.write { try streets.make(in: $0) }
        let twins = try Twins(LiveWatch(reader), seed: seed)
        for _ in 0..<12 { try twins.follow(reader.snapshot()) }
        for round in 0..<30 {
            for _ in 0..<(round % 10 == 9 ? 6 : Int.random(in: 1...2, using: &streets.random)) {
                try writer.write(durability: .processCrash) { try streets.change(in: $0) }
            }
            try twins.deliver(seed)
        }
        #expect(twins.advanced < twins.answered, "seed \(seed): \(twins.advanced) steps of \(twins.answered) were taken")
    }

    @Test func anErrorThatIsNoAnswersOwnEndsTheHub() throws {
        final class Failing: Observer {
            override var interest: Interest { Interest(tables: [0]) }
            override func advance(_ step: VersionStep) throws -> Bool { throw FreeholdError(.corrupt, "a block is damaged") }
            override func fail(_ error: any Error) throws -> Bool { throw error }
        }
        let database = try Database.open("/end.freehold", .simulated, on: SimulatedSystem(seed: 1).makeProcess())
        defer { database.close() }
        try database.write { try $0.createClass(ClassSchema("A", [PropertySchema("n", .int)])) }
        let hub = ObserverHub(at: try database.snapshot())
        hub.settle(Failing())
        for _ in 0..<2 {
            try database.write { try $0.insert(into: "A", [("n", .int(1))]) }
            #expect(#expect(throws: FreeholdError.self) { try hub.move(to: try database.snapshot()) }?.code == .corrupt)
        }
        #expect(hub.failure != nil)
    }
}

/// Six classes, of which each links to the next but the third: so what links lead to ends there. The last has a mixed property, through which
/// it may lead to all.
private struct Streets {
    static let count = 6
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed &* 97) }

    mutating func make(in transaction: WriteTransaction) throws {
        for number in (0..<Self.count).reversed() {
            var properties = [
                PropertySchema("n", .int), PropertySchema("words", .string, collections: [.list]), PropertySchema("grid", .int, collections: [.list, .list]),
            ]
            if number == Self.count - 1 { properties.append(PropertySchema("any", .mixed)) }
            if Self.links(number) { properties += [PropertySchema("next", linkTo: "C\(number + 1)"), PropertySchema("all", linkTo: "C\(number + 1)", collections: [.list])] }
            try transaction.createClass(ClassSchema("C\(number)", properties))
            for _ in 0..<3 { try add(number, transaction) }
        }
    }

    static func links(_ number: Int) -> Bool { number != 2 && number < count - 1 }

    private mutating func add(_ number: Int, _ transaction: WriteTransaction) throws {
        var values: [(String, Value)] = [("n", n()), ("words", .list([.string("a")])), ("grid", .list([.list([n()]), .list([])]))]
        if number == Self.count - 1 { values.append(("any", .list([n()]))) }
        if Self.links(number), let next = try some(number + 1, transaction) { values += [("next", .link(next)), ("all", .list([.link(next)]))] }
        try transaction.insert(into: "C\(number)", values)
    }

    private mutating func some(_ number: Int, _ transaction: WriteTransaction) throws -> ObjectKey? {
        try transaction.table("C\(number)").keys().randomElement(using: &random)
    }

    private mutating func n() -> Value { .int(Int64.random(in: 0...4, using: &random)) }

    /// Changes one object, or now and then a class.
    mutating func change(in transaction: WriteTransaction) throws {
        let number = Int.random(in: 0..<Self.count, using: &random), name = "C\(number)"
        if random.oneIn(25) {
            // Its values begin anew; answers that name it fail in between if a delivery sees that.
            let column = ["n", "any", "words"].randomElement(using: &random)!, table = try transaction.table(name)
            if let property = table.schema.properties.first(where: { $0.name == column }) {
                try transaction.dropProperty(column, from: name)
                if random.oneIn(2) { return }
                return try transaction.addProperty(property, to: name)
            }
        }
        guard !random.oneIn(6), let key = try some(number, transaction) else {
            if try transaction.table(name).schema.properties.count == (Self.links(number) ? 5 : number == 2 ? 3 : 4) { try add(number, transaction) }
            return
        }
        let table = try transaction.table(name), has = Set(table.schema.properties.map(\.name))
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try transaction.delete(key, from: table)
        case 1 where has.contains("words"): try transaction.list(of: key, in: table, table.column("words")).append(.string("b"))
        case 2 where has.contains("grid"): try transaction.set(key, in: table, table.column("grid"), to: .list([.list([n(), n()]), .list([n()])]))
        case 3 where has.contains("any"): try transaction.set(key, in: table, table.column("any"), to: random.oneIn(2) ? n() : .list([n(), n()]))
        case 4 where has.contains("next"):
            if let next = try some(number + 1, transaction) { try transaction.set(key, in: table, table.column("next"), to: .link(next)) }
        case 5...6 where has.contains("all"):
            if let next = try some(number + 1, transaction) { try transaction.list(of: key, in: table, table.column("all")).append(.link(next)) }
        default: if has.contains("n") { try transaction.set(key, in: table, table.column("n"), to: n()) }
        }
    }
}

/// Answers of a watch, each with a twin that takes every step.
private final class Twins {
    private struct Pair {
        let text: String
        let number: LiveWatch.Number
        let twin: LiveWatch.Answer
    }

    private let watch: LiveWatch
    private var pairs: [Pair] = []
    private var random: SeededRandom
    /// How many answers the watch advanced, and how many it had at all, over all steps.
    private(set) var advanced = 0
    private(set) var answered = 0

    init(_ watch: LiveWatch, seed: UInt64) throws { (self.watch, random) = (watch, SeededRandom(seed: seed &* 53)) }

    func deliver(_ seed: UInt64) throws {
        let had = pairs.count
        try watch.deliver { delivery in
            answered += had
            advanced += watch.hub.lastAdvanced
            let step = try delivery.before.map { try VersionStep(from: $0, to: delivery.after) }
            let told = Dictionary(uniqueKeysWithValues: delivery.changes.map { ($0.number, Self.described($0.what)) })
            for pair in pairs {
                let meant = try pair.twin.next(step, delivery.after)
                #expect(told[pair.number] == meant.map(Self.described), "seed \(seed): \(pair.text)")
                if case .failed? = meant { pairs.removeAll { $0.number == pair.number } }
            }
            #expect(delivery.changes.map(\.number) == pairs.map(\.number).filter { told[$0] != nil } || told.values.contains { $0.hasPrefix("failed") })
            if random.oneIn(3), let gone = pairs.randomElement(using: &random) {
                watch.stop(gone.number)
                pairs.removeAll { $0.number == gone.number }
            }
            while pairs.count < 12 { try follow(delivery.after) }
        }
    }

    private static func described(_ what: WatchDelivery.What) -> String {
        if case .failed(let error) = what { "failed: \(error.code)" } else { "\(what)" }
    }

    /// Follows something at the version of the others.
    func follow(_ snapshot: Snapshot) throws {
        let number = Int.random(in: 0..<Streets.count, using: &random), name = "C\(number)"
        guard let key = try snapshot.table(name).keys().randomElement(using: &random) else { return try followQuery("TRUEPREDICATE", of: name, snapshot) }
        // A property that was dropped cannot be followed.
        do {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1: try followQuery(["n > 2 SORT(n ASC)", "TRUEPREDICATE", "words.@count > 1", "n < 3 LIMIT(2)"].randomElement(using: &random)!, of: name, snapshot)
            case 2 where Streets.links(number):
                try followQuery(["next.n > 1", "ANY all.n == 3 SORT(next.n ASC)"].randomElement(using: &random)!, of: name, snapshot,
                                observing: random.oneIn(2) ? [PropertyPath("n")] : nil)
            case 8...9 where Streets.links(number):
                try followQuery("n >= 1", of: "C\(number + 1)", among: CollectionAddress("all", of: key, in: name), snapshot)
            case 4:
                let text = Streets.links(number) && random.oneIn(2) ? "GROUP(next.n) SELECT(@count)" : "n > 0 GROUP(n) SELECT(@count, n.@sum)"
                try followGroups(text, of: name, snapshot)
            case 5: try followObject(key, of: name, snapshot)
            case 6: try followCollection(CollectionAddress("grid", of: key, in: name, path: [.position(1)]), snapshot)
            default:
                let names = ["words", "grid"] + (Streets.links(number) ? ["all"] : number == 2 ? [] : ["any"])
                try followCollection(CollectionAddress(names.randomElement(using: &random)!, of: key, in: name), snapshot)
            }
        } catch let error as FreeholdError where [.unknownProperty, .malformedInput].contains(error.code) {
            try followObject(key, of: name, snapshot)
        }
    }

    private func followQuery(_ text: String, of name: String, among source: CollectionAddress? = nil, _ snapshot: Snapshot, observing paths: [PropertyPath]? = nil)
        throws {
        let query = try ObjectQuery(text)
        add("\(text) of \(name)", try watch.follow(query, of: name, among: source, observing: paths).number,
            .query(try LiveQuery(query, of: name, among: source, at: snapshot, observing: paths)))
    }

    private func followGroups(_ text: String, of name: String, _ snapshot: Snapshot) throws {
        let query = try ObjectQuery(text)
        add("\(text) of \(name)", try watch.followGroups(query, of: name).number, .groups(try LiveGroups(query, of: name, at: snapshot)))
    }

    private func followObject(_ key: ObjectKey, of name: String, _ snapshot: Snapshot) throws {
        add("object \(key) of \(name)", try watch.follow(key, in: name).number, .object(try LiveObject(key, in: name, at: snapshot)))
    }

    private func followCollection(_ address: CollectionAddress, _ snapshot: Snapshot) throws {
        add("\(address)", try watch.follow(address).number, .collection(try LiveCollection(address, at: snapshot)))
    }

    private func add(_ text: String, _ number: LiveWatch.Number, _ twin: LiveWatch.Answer) { pairs.append(Pair(text: text, number: number, twin: twin)) }
}

extension LiveWatch.Answer {
    /// Takes a step, or begins anew; the change, if there is one.
    fileprivate func next(_ step: VersionStep?, _ snapshot: Snapshot) throws -> WatchDelivery.What? {
        do {
            switch self {
            case .query(let live):
                let changes = try step.map { try live.advance($0) } ?? live.restart(at: snapshot)
                return changes.isEmpty ? nil : .positions(changes)
            case .groups(let live):
                let changes = try step.map { try live.advance($0) } ?? live.restart(at: snapshot)
                return changes.isEmpty ? nil : .positions(changes)
            case .collection(let live):
                let changes = try step.map { try live.advance($0) } ?? live.restart(at: snapshot)
                return changes.isEmpty ? nil : .elements(changes)
            case .object(let live):
                let changes = try step.map { try live.advance($0) } ?? live.restart(at: snapshot)
                return changes.isEmpty ? nil : .properties(changes)
            }
        } catch let error as FreeholdError where [.unknownClass, .unknownProperty, .typeMismatch, .malformedInput].contains(error.code) {
            return .failed(error)
        }
    }
}
