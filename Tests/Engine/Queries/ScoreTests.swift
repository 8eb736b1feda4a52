import DatabaseKit
import Foundation
@testable import FreeholdEngine
import TestKit
import Testing

/// The order by `@score`, against scores computed from the strings by the formula.
@Suite("Order by score") struct ScoreTests {
    private static let words = ["green", "tea", "leaf", "leaves", "milk", "colour", "color", "cup", "pot", "water", "steam", "a"]
    /// Each with the items that count: the words, any of which counts for the item; several words in quotes are a phrase.
    private static let searches: [(text: String, items: [[String]])] = [
        ("tea", [["tea"]]), ("green tea", [["green"], ["tea"]]), ("green OR cup", [["green"], ["cup"]]), ("tea -milk", [["tea"]]),
        ("lea*", [["leaf", "leaves"]]), ("colour~1", [["colour", "color"]]), ("\"green tea\"", [["green tea"]]),
        ("(cup OR pot) water -a", [["cup"], ["pot"], ["water"]]),
        ("\"green tea\" OR le* milk", [["green tea"], ["leaf", "leaves"], ["milk"]]),
        ("green NEAR/3 tea", [["green"], ["tea"]]), ("unknown OR steam", [["unknown"], ["steam"]]),
    ]
    private static let fields = [["title"], ["body"], ["title", "body"], ["author.name", "title"]]
    private static let weights = ["title": 2.0, "body": 1, "author.name": 0.5]

    private static func text(_ random: inout SeededRandom) -> String {
        let count = [random.below(4), random.below(12), random.below(12), 20 + random.below(120)][random.below(4)]
        return (0..<count).map { _ in words[min(random.below(words.count), random.below(words.count))] }.joined(separator: " ")
    }

    // MARK: the formula

    private struct Document {
        let key: ObjectKey
        let words: [[String]]
    }

    /// The number of occurrences that counts: the first table of docs/full-text.md.
    private static func counted(_ occurrences: Int) -> Double {
        switch occurrences {
        case 0...3: Double(occurrences)
        case 4...5: 4.5
        case 6...9: 7
        case 10...17: 12
        case 18...40: 24
        default: 56
        }
    }

    private static func length(_ words: Int) -> Double {
        if words <= 32 { return Double(words) }
        return (0...223).map { (32 * pow(2, Double($0) / 16)).rounded(.down) }.last { $0 <= Double(words) } ?? 0
    }

    private static func occurrences(_ sought: String, _ words: [String]) -> Int {
        let phrase = sought.split(separator: " ").map(String.init)
        return words.indices.count { words[$0...].starts(with: phrase) }
    }

    private static func scores(_ documents: [Document], _ items: [[String]], weights: [Double]) -> [ObjectKey: Double] {
        let withWords = weights.indices.map { path in documents.filter { !$0.words[path].isEmpty } }
        let count = Double(withWords.map(\.count).max() ?? 0)
        func rarity(_ words: [String]) -> Double {
            let containing = words.flatMap { word in
                weights.indices.map { path in documents.count { $0.words[path].contains(word) } }
            }.max() ?? 0
            return log(1 + (count - Double(containing) + 0.5) / (Double(containing) + 0.5))
        }
        let averages: [Double] = weights.indices.map { path in
            let words = withWords[path].reduce(0) { $0 + $1.words[path].count }
            return Double(words) / Double(max(1, withWords[path].count))
        }
        let rarities = items.map { item in
            item.count == 1 ? item[0].split(separator: " ").reduce(0.0) { $0 + rarity([String($1)]) } : rarity(item)
        }
        var found: [ObjectKey: Double] = [:]
        for document in documents {
            var score = 0.0
            for (item, rare) in zip(items, rarities) {
                var frequency = 0.0
                for path in weights.indices {
                    let words = document.words[path], most = item.map { occurrences($0, words) }.max() ?? 0
                    if most > 0 { frequency += weights[path] * counted(most) / (0.25 + 0.75 * length(words.count) / averages[path]) }
                }
                score += rare * 2.2 * frequency / (frequency + 1.2)
            }
            found[document.key] = score
        }
        return found
    }

    // MARK: histories

    private func make(_ machine: SimulatedSystem) throws -> Database {
        let database = try Database.open("/scores.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Author", [PropertySchema("name", .string)]))
            try transaction.createClass(ClassSchema("Article", [
                PropertySchema("title", .string), PropertySchema("body", .string, isNullable: true), PropertySchema("year", .int),
                PropertySchema("author", linkTo: "Author"),
            ]))
            try transaction.createClass(ClassSchema("Review", superclass: "Article", [PropertySchema("stars", .int)]))
        }
        return database
    }

    private func change(_ database: Database, _ random: inout SeededRandom, _ count: Int) throws {
        try database.write(durability: .full) { transaction in
            let authors = try transaction.table("Author"), articles = try transaction.table("Article")
            for _ in 0..<count {
                let key = ObjectKey(Int64(random.below(Int(max(1, articles.nextKey.rawValue)))))
                let author = ObjectKey(Int64(random.below(20)))
                switch random.below(10) {
                case 0...5:
                    var values: [(String, Value)] = [("title", .string(Self.text(&random))), ("year", .int(Int64(random.below(5))))]
                    if random.below(4) > 0 { values.append(("body", .string(Self.text(&random)))) }
                    if try authors.contains(author) { values.append(("author", .link(author))) }
                    try transaction.insert(into: random.below(4) == 0 ? "Review" : "Article", values)
                case 6:
                    if try authors.contains(author) {
                        try transaction.set(author, in: authors, authors.column("name"), to: .string(Self.text(&random)))
                    } else {
                        try transaction.insert(into: "Author", [("name", .string(Self.text(&random)))])
                    }
                case 7, 8:
                    let text = Value.string(Self.text(&random))
                    if try articles.contains(key) { try transaction.set(key, in: articles, articles.column("body"), to: text) }
                default:
                    if try articles.contains(key) { try transaction.delete(key, from: articles) }
                }
            }
        }
    }

    private func documents(_ table: Table, _ fields: [String]) throws -> [Document] {
        let paths = try fields.map { try PropertyPath(parsing: $0) }.map { try QueryBinder(table).boundPath($0, $0.steps[...]) }
        return try table.keys().map { key in
            let context = QueryContext()
            context.rows = [try #require(try table.row(key))]
            return Document(key: key, words: try paths.map { path in
                guard case .string(let text) = try path.value(context) else { return [] }
                return text.split(separator: " ").map(String.init)
            })
        }
    }

    /// Asks for the best objects by an index and without, and compares with the formula.
    private func compare(_ database: Database, _ random: inout SeededRandom, isIndexed: Bool, _ comment: String) throws {
        let (text, items) = Self.searches[random.below(Self.searches.count)], fields = Self.fields[random.below(Self.fields.count)]
        let rest = random.below(3) == 0 ? " AND year > 1" : "", limit = [1, 10, 100][random.below(3)]
        let name = random.below(4) == 0 ? "Review" : "Article"
        let condition = "\(fields.joined(separator: ", ")) TEXT $0\(rest)", comment = "\(comment): \(name) \(condition) '\(text)'"
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        let table = try snapshot.table(name)
        let all = try table.prepare(ObjectQuery("\(condition) SORT(@score DESC)", [.string(text)])), keys = try all.keys()
        let weights = fields.map { isIndexed ? Self.weights[$0] ?? 1 : 1 }
        // Counts are those of the class that declares the index.
        let wanted = Self.scores(try documents(isIndexed ? snapshot.table("Article") : table, fields), items, weights: weights)
        let scores = try all.scores(of: keys)
        let wrong = zip(keys, scores).first { abs($1 - (wanted[$0] ?? -1)) > 1e-9 }
        #expect(wrong == nil, "\(comment): \(wrong.flatMap { wanted[$0.0] } ?? -1)")
        for place in scores.indices.dropFirst() {
            #expect(scores[place - 1] > scores[place] || scores[place - 1] == scores[place] && keys[place - 1] < keys[place], "\(comment)")
        }
        #expect(Set(keys) == Set(try table.keys(matching: ObjectQuery(condition, [.string(text)]))), "\(comment)")
        let best = try table.prepare(ObjectQuery("\(condition) SORT(@score DESC) LIMIT(\(limit))", [.string(text)])).keys()
        #expect(best == Array(keys.prefix(limit)), "\(comment), the best \(limit)")
        let worst = try table.prepare(ObjectQuery("\(condition) SORT(@score ASC, year DESC)", [.string(text)])).keys()
        #expect(worst.count == keys.count && Set(worst) == Set(keys))
        #expect(zip(worst, worst.dropFirst()).allSatisfy { (wanted[$0] ?? 0) <= (wanted[$1] ?? 0) + 1e-9 }, "\(comment), the worst first")
        // A transaction asks without an index: the scores are the same bits.
        try database.write { transaction in
            let query = try ObjectQuery("\(condition) SORT(@score DESC) LIMIT(\(limit))", [.string(text)])
            let own = try transaction.table(name).prepare(query)
            #expect(try own.keys() == best, "\(comment), in a transaction")
            #expect(try own.scores(of: best) == Array(scores.prefix(limit)), "\(comment), in a transaction")
        }
    }

    @Test("objects are ordered by the formula's scores, by an index in every state and without one",
          arguments: TestScale.seeds(2, long: 12))
    func histories(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var random = SeededRandom(seed: seed)
        let database = try make(machine)
        try change(database, &random, 400)
        for _ in 0..<2 { try compare(database, &random, isIndexed: false, "seed \(seed), no index") }
        try database.write(durability: .full) { transaction in
            try transaction.fullText.add([.init("title", weight: 2), "body", .init("author.name", weight: 0.5)], to: "Article")
        }
        for round in 0..<4 {
            for _ in 0..<4 { try compare(database, &random, isIndexed: true, "seed \(seed), round \(round)") }
            try change(database, &random, [1, 40, 300][random.below(3)])
        }
    }

    @Test("what the strings decide is never above its bound, where one phrase has several terms")
    func bounds() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine)
        try database.write(durability: .full) { transaction in
            for number in 0..<3000 {
                // Each has its places by other terms: a bound by one of them would be too low for the last ones.
                let count = number % 20 == 0 ? 1 + number % 3 : 0
                let places = ["東京 東北 東西", "wi-fa wi-fe wi-fo"].flatMap { $0.split(separator: " ").prefix(count) }
                let filling = String(repeating: " leaf", count: number % 3 == 2 ? 0 : 3)
                try transaction.insert(into: "Article", [("title", .string(places.joined(separator: " ") + filling)), ("year", .int(0))])
            }
            try transaction.fullText.add(["title"], to: "Article")
        }
        let table = try database.snapshot().table("Article")
        for search in ["東", "wi-f*", "東 wi-f*"] {
            let query = "title TEXT $0 SORT(@score DESC)"
            let all = try table.prepare(ObjectQuery(query, [.string(search)])).keys()
            let best = try table.prepare(ObjectQuery("\(query) LIMIT(7)", [.string(search)])).keys()
            #expect(best == Array(all.prefix(7)) && best.allSatisfy { $0.rawValue % 3 == 2 }, "\(search): \(best)")
        }
    }

    @Test("a score is asked for in SORT of a search only")
    func refused() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine), table = try database.snapshot().table("Article")
        for (query, part) in [
            ("year > 1 SORT(@score DESC)", "needs a condition with TEXT"), ("NOT title TEXT 'tea' SORT(@score DESC)", "outside of NOT"),
            ("title TEXT 'tea' AND @score > 1", "SORT(@score DESC)"), ("title TEXT 'tea' SORT(author.@score DESC)", "SORT(@score DESC)"),
            ("title TEXT 'tea' DISTINCT(@score)", "SORT(@score DESC)"),
        ] {
            let error = #expect(throws: FreeholdError.self, "\(query)") { try table.prepare(ObjectQuery(query)) }
            #expect(error?.message.contains(part) ?? false, "\(query): \(error?.message ?? "")")
        }
        // What is being typed finds nothing yet.
        #expect(try table.keys(matching: ObjectQuery("title TEXT '' SORT(@score DESC)")).isEmpty)
        #expect(try "\(ObjectQuery("title TEXT 'tea' SORT(@score DESC) LIMIT(3)"))" == "title TEXT \"tea\" SORT(@score DESC) LIMIT(3)")
    }

    @Test("a live query by score follows changes of objects that it does not have")
    func live() throws {
        let machine = SimulatedSystem(seed: 3)
        defer { machine.discard() }
        var random = SeededRandom(seed: 3), changed = 0
        let database = try make(machine)
        try change(database, &random, 300)
        try database.write(durability: .full) { try $0.fullText.add(["title", "body"], to: "Article") }
        let query = try ObjectQuery("title, body TEXT 'green OR cup' SORT(@score DESC) LIMIT(20)")
        var before = try database.snapshot()
        let live = try LiveQuery(query, of: "Article", at: before)
        for _ in 0..<12 {
            try change(database, &random, 1 + random.below(6))
            let now = try database.snapshot()
            _ = try live.advance(VersionStep(from: before, to: now))
            before.end()
            before = now
            let keys = try now.table("Article").keys(matching: query)
            #expect(live.keys == keys)
            if case .anew = live.effort { changed += 1 }
        }
        before.end()
        #expect(changed > 6)
    }
}
