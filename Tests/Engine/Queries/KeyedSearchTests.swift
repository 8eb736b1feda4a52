import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Searches beside conditions on the primary key, which an index of full text answers without the objects.
@Suite("Full-text searches within ranges of keys") struct KeyedSearchTests {
    private static let frequent = ["green", "tea", "leaf", "leaves", "milk", "wi-fi", "東京", "colour", "color"]
    private static let words = frequent + (0..<60).map { "rare\($0)" }
    private static let searches = [
        "green", "tea leaf", "\"green tea\"", "tea -milk", "lea*", "colour~1", "rare7", "rare7 green", "green OR milk", "green -(tea leaf)",
        "tea NEAR/2 leaf", "東", "rare* milk",
    ]

    /// Keys from 0 on, far apart, below zero, or few of them beyond all others.
    private static func key(_ place: Int, _ seed: UInt64) -> Int64 {
        switch seed % 4 {
        case 0: Int64(place)
        case 1: Int64(place) * 1_000_003
        case 2: Int64(place) - 1000
        default: place < 1900 ? Int64(place) : .max - Int64(place)
        }
    }

    private static func condition(_ keys: [Int64], _ random: inout SeededRandom) -> String {
        let one = keys[random.below(keys.count)], other = keys[random.below(keys.count)]
        return switch random.below(7) {
        case 0: "id < \(one)"
        case 1: "id >= \(one)"
        case 2: "id > \(min(one, other)) AND id <= \(max(one, other))"
        case 3: "id BETWEEN {\(min(one, other)), \(max(one, other))}"
        case 4: "id IN {\((0..<40).map { _ in String(keys[random.below(keys.count)]) }.joined(separator: ", "))}"
        case 5: "id == \(one)"
        default: "(id < \(min(one, other)) OR id > \(max(one, other)))"
        }
    }

    @Test("objects, numbers, the best and their scores are those of the condition tested object by object",
          arguments: TestScale.seeds(4, long: 16))
    func comparison(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var random = SeededRandom(seed: seed), answered = 0
        let database = try Database.open("/keyed.freehold", OpenOptions.simulated, on: machine.makeProcess())
        var keys = (0..<2000).map { Self.key($0, seed) }, texts: [Int64: [String]] = [:]
        try database.write(durability: .full) { transaction in
            let properties = [PropertySchema("id", .int), PropertySchema("body", .string), PropertySchema("year", .int)]
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", properties))
            for key in keys {
                // Two words of those that are in many notes, and few others.
                let text = (0..<random.below(12)).map { _ in Self.words[random.below(random.below(3) == 0 ? Self.words.count : 6)] }
                texts[key] = text
                let body = Value.string(text.joined(separator: " "))
                try transaction.insert(into: "Note", [("id", .int(key)), ("body", body), ("year", .int(Int64(random.below(4))))])
            }
            try transaction.fullText.add(["body"], to: "Note")
        }
        // Some are deleted, and some are in the tail.
        try database.write(durability: .full) { transaction in
            let table = try transaction.table("Note")
            for _ in 0..<200 {
                let key = keys.remove(at: random.below(keys.count))
                texts[key] = nil
                try transaction.delete(ObjectKey(key), from: table)
            }
            for key in keys.prefix(20) {
                texts[key] = ["green", "tea", "leaf"]
                try transaction.set(ObjectKey(key), in: table, table.column("body"), to: .string("green tea leaf"))
            }
        }
        let snapshot = try database.snapshot(), table = try snapshot.table("Note")
        defer { snapshot.end() }
        for round in 0..<TestScale.count(12) {
            let search = Self.searches[random.below(Self.searches.count)], year = ["", " AND year == 2", " AND year > 0"][random.below(3)]
            let condition = "body TEXT $0 AND \(Self.condition(keys, &random))\(year)"
            let place = "seed \(seed), round \(round): \(condition) '\(search)'"
            let prepared = try table.prepare(ObjectQuery(condition, [.string(search)]))
            let wanted = try table.keys().filter { try prepared.matches($0) }
            #expect(try prepared.keys() == wanted, "\(place)")
            #expect(try prepared.count() == wanted.count, "\(place)")
            if try prepared.explanation().contains("and keys for") { answered += 1 }
            let best = try table.prepare(ObjectQuery("\(condition) SORT(@score DESC) LIMIT(10)", [.string(search)]))
            let found = try best.keys()
            // The scores of one object at a time, of which none is read from a range of keys.
            let scores = try wanted.map { (key: $0, score: try prepared.scores(of: [$0])[0]) }
            let ordered = scores.sorted { $0.score != $1.score ? $0.score > $1.score : $0.key.rawValue < $1.key.rawValue }
            #expect(found == ordered.prefix(10).map(\.key), "\(place)")
            #expect(try best.scores(of: found) == ordered.prefix(10).map(\.score), "\(place)")
        }
        #expect(answered > TestScale.count(12) / 6, "an index answered \(answered) searches")
        // Numbers of one word are asked of the index alone.
        for word in Self.words where !word.contains("-") && word.allSatisfy(\.isASCII) {
            let count = texts.values.filter { $0.contains(word) }.count
            #expect(try table.count(matching: ObjectQuery("body TEXT $0", [.string(word)])) == count, "seed \(seed), '\(word)'")
        }
    }
}
