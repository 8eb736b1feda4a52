import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Searches that a full-text index answers, against the same searches object by object.
@Suite("Full-text indexes in queries") struct TextIndexQueryTests {
    private static let words = [
        "green", "tea", "leaf", "leaves", "Über", "milk", "wi-fi", "東京", "東", "京都", "LG전자", "café", "colour", "color", "a",
        "teas", "greening", "leafy",
    ]

    private static func text(_ random: inout SeededRandom) -> String {
        (0..<random.below(9)).map { _ in words[random.below(words.count)] + [" ", ", ", ". "][random.below(3)] }.joined()
    }

    private static let queries = [
        "green", "tea leaf", "\"green tea\"", "tea -milk", "lea*", "colour~1", "col~2", "teas~2", "東", "東京", "京*", "wi-fi",
        "green OR café milk", "tea NEAR/2 leaf", "uber -\"green tea\"", "(green OR leaf) -(milk 東)", "unknown", "LG", "전*",
        "a -a", "le* OR color~1 -café", "greens", "\"greened teas\"", "leaves*", "leafing*", "leafy* NEAR/3 tea", "\"green leafs\"*",
        "-leafs teas", "leafed~1",
    ]
    private static let fields = ["title", "title, body", "body", "author.name", "title, author.name, body"]

    private func make(_ machine: SimulatedSystem, _ seed: UInt64) throws -> Database {
        let database = try Database.open("/text.freehold", OpenOptions.simulated, on: machine.makeProcess())
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
                let known = articles.nextKey.rawValue
                switch random.below(12) {
                case 0...5:
                    let name = random.below(4) == 0 ? "Review" : "Article"
                    var values: [(String, Value)] = [("title", .string(Self.text(&random))), ("year", .int(Int64(random.below(5))))]
                    if random.below(4) > 0 { values.append(("body", .string(Self.text(&random)))) }
                    if authors.nextKey.rawValue > 0, random.below(3) > 0 {
                        let author = ObjectKey(Int64(random.below(Int(authors.nextKey.rawValue))))
                        if try authors.contains(author) { values.append(("author", .link(author))) }
                    }
                    try transaction.insert(into: name, values)
                case 6: try transaction.insert(into: "Author", [("name", .string(Self.text(&random)))])
                case 7:
                    let key = ObjectKey(Int64(random.below(Int(max(1, authors.nextKey.rawValue)))))
                    let name = Value.string(Self.text(&random))
                    if try authors.contains(key) { try transaction.set(key, in: authors, authors.column("name"), to: name) }
                case 8, 9:
                    let key = ObjectKey(Int64(random.below(Int(max(1, known)))))
                    let property = random.below(2) == 0 ? "title" : "body", text = Value.string(Self.text(&random))
                    if try articles.contains(key) { try transaction.set(key, in: articles, articles.column(property), to: text) }
                case 10:
                    let key = ObjectKey(Int64(random.below(Int(max(1, known)))))
                    if try articles.contains(key) { try transaction.delete(key, from: articles) }
                default:
                    let key = ObjectKey(Int64(random.below(Int(max(1, authors.nextKey.rawValue)))))
                    if try authors.contains(key) { try transaction.delete(key, from: authors) }
                }
            }
        }
    }

    /// Compares random searches with the condition tested on each object; returns how many of them an index has answered.
    private func compare(_ database: Database, _ random: inout SeededRandom, _ comment: String) throws -> Int {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        var answered = 0
        for _ in 0..<24 {
            let table = try snapshot.table(random.below(3) == 0 ? "Review" : "Article")
            let fields = Self.fields[random.below(Self.fields.count)], text = Self.queries[random.below(Self.queries.count)]
            let query = "\(fields) TEXT $0\(random.below(3) == 0 ? " AND year > 2" : "")"
            let prepared = try table.prepare(ObjectQuery(query, [.string(text)]))
            let wanted = try table.keys().filter { try prepared.matches($0) }, found = try prepared.keys()
            #expect(found == wanted, "\(comment): \(query) '\(text)': \(found.count) of \(wanted.count)")
            #expect(try prepared.count() == wanted.count)
            if try prepared.explanation().contains("index for") { answered += 1 }
        }
        return answered
    }

    @Test("what an index finds is what is found object by object, in every state of tail, runs and merges",
          arguments: TestScale.seeds(3, long: 12), [nil, "english"])
    func histories(seed: UInt64, language: String?) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var random = SeededRandom(seed: seed), answered = 0
        let database = try make(machine, seed)
        try change(database, &random, 900)
        try database.write(durability: .full) { transaction in
            try transaction.fullText.add(.init("title", .init("body", weight: 0.5), "author.name", language: language), to: "Article")
        }
        let comment = "seed \(seed), \(language ?? "words as they are")"
        for round in 0..<6 {
            answered += try compare(database, &random, "\(comment), round \(round)")
            try change(database, &random, [1, 30, 300, 700][random.below(4)])
            #expect(try database.check().problems.isEmpty, "\(comment), round \(round)")
        }
        answered += try compare(database, &random, "\(comment), at the end")
        #expect(answered > 50)
        try database.write(durability: .full) { try $0.fullText.drop(["body", "author.name", "title"], from: "Article") }
        #expect(try compare(database, &random, "\(comment), dropped") == 0)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a copy and a salvaged file have the index, and answer by it")
    func copies() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine, 1)
        var random = SeededRandom(seed: 1)
        try change(database, &random, 1500)
        try database.write(durability: .full) { try $0.fullText.add(["title", "author.name"], to: "Article") }
        let query = try ObjectQuery("title TEXT 'green -milk'")
        let wanted = try database.snapshot().table("Article").keys(matching: query)
        let process = machine.makeProcess()
        try database.copy(to: "/copy.freehold", encryption: .same, .simulated, on: process)
        database.close()
        _ = try Database.salvage(from: "/text.freehold", to: "/salvaged.freehold", .simulated, on: process)
        for path in ["/copy.freehold", "/salvaged.freehold"] {
            let copy = try Database.open(path, OpenOptions.simulated, on: process)
            let prepared = try copy.snapshot().table("Article").prepare(query), found = try prepared.keys()
            #expect(found == wanted && !wanted.isEmpty, "\(path)")
            #expect(try prepared.explanation().contains("index for"), "\(path)")
            #expect(try copy.check().problems.isEmpty, "\(path)")
        }
    }

    @Test("of several indexes with what is searched the one with the fewest other fields counts, in whatever order they were declared",
          arguments: [false, true])
    func weights(isExactFirst: Bool) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine, 1)
        var random = SeededRandom(seed: 1)
        try change(database, &random, 300)
        try database.write(durability: .full) { transaction in
            let exact: FullTextIndex = [.init("title", weight: 7)], wide: FullTextIndex = [.init("title", weight: 2), "body"]
            for index in isExactFirst ? [exact, wide] : [wide, exact] { try transaction.fullText.add(index, to: "Article") }
        }
        func scores() throws -> [Double] {
            let prepared = try database.snapshot().table("Article").prepare(ObjectQuery("title TEXT 'green' SORT(@score DESC)"))
            return try prepared.scores(of: prepared.keys())
        }
        let both = try scores()
        try database.write(durability: .full) { try $0.fullText.drop(["title", "body"], from: "Article") }
        #expect(try scores() == both && both.count > 10)
        try database.write(durability: .full) { transaction in
            try transaction.fullText.drop(["title"], from: "Article")
            try transaction.fullText.add(FullTextIndex([.init("title", weight: 2), "body"]), to: "Article")
        }
        #expect(try scores() != both, "the weight counts")
    }

    @Test("a transaction searches its own changes object by object")
    func transactions() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine, 1)
        var random = SeededRandom(seed: 1)
        try change(database, &random, 900)
        try database.write(durability: .full) { try $0.fullText.add(["title"], to: "Article") }
        try database.write(durability: .full) { transaction in
            let before = try transaction.table("Article").count(matching: ObjectQuery("title TEXT 'zebra'"))
            try transaction.insert(into: "Article", [("title", .string("A Zebra")), ("year", .int(1))])
            let after = try transaction.table("Article").count(matching: ObjectQuery("title TEXT 'zebra'"))
            #expect(before == 0 && after == 1)
        }
        #expect(try database.snapshot().table("Article").count(matching: ObjectQuery("title TEXT 'zebra'")) == 1)
    }

    @Test("indexes are listed with their fields, and bad declarations are refused in words")
    func declarations() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine, 1)
        try database.write(durability: .full) { transaction in
            try transaction.fullText.add(["title", .init("author.name", weight: 2)], to: "Article")
            try transaction.fullText.add(["body"], to: "Review")
            for (fields, code) in [
                ([FullTextField("year")], FreeholdError.Code.invalidArgument), (["author"], .invalidArgument),
                (["a.b.c"], .invalidArgument), ([""], .invalidArgument), ([], .invalidArgument),
                (["missing"], .unknownProperty), (["author.missing"], .unknownProperty),
                ([.init("title", weight: 1.0 / 512)], .invalidArgument), ([.init("title", weight: 255.001)], .invalidArgument),
                ([.init("title", weight: 0)], .invalidArgument), ([.init("title", weight: .nan)], .invalidArgument),
            ] {
                let error = #expect(throws: FreeholdError.self, "\(fields)") {
                    try transaction.fullText.add(FullTextIndex(fields), to: "Article")
                }
                #expect(error?.code == code, "\(fields): \(String(describing: error))")
            }
            #expect(throws: FreeholdError.self) { try transaction.fullText.drop(["title"], from: "Article") }
        }
        let snapshot = try database.snapshot()
        let index: FullTextIndex = ["title", .init("author.name", weight: 2)]
        #expect(try snapshot.table("Article").fullTextIndexes == [index] && index != ["title", "author.name"])
        #expect(try snapshot.table("Review").fullTextIndexes == [index, ["body"]])
        #expect(try snapshot.table("Author").fullTextIndexes.isEmpty)
        #expect(try snapshot.classes.first { $0.name == "Review" }?.fullTextIndexes == [["body"]])
    }

    @Test("the same fields with other weights are the same index, which keeps its trees")
    func weights() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine, 1)
        var random = SeededRandom(seed: 1)
        try change(database, &random, 900)
        try database.write(durability: .full) { try $0.fullText.add(["title", .init("author.name", weight: 2)], to: "Article") }
        func root() throws -> (BlockReference, [UInt16?]) {
            let stored = try database.snapshot().table("Article").state.stored
            #expect(stored.derived.count == 1)
            return (try database.snapshot().table("Article").state.root.auxiliary(.derived, stored.derived[0].column),
                    stored.derived[0].fields.map(\.fullTextWeight))
        }
        let before = try root()
        let wanted: FullTextIndex = [.init("author.name", weight: 0.3), .init("title", weight: 3)]
        try database.write(durability: .full) { try $0.fullText.add(wanted, to: "Article") }
        let after = try root()
        #expect(after.0.isSameBlock(as: before.0) && after.1 == [768, 77] && before.1 == [256, 512])
        #expect(try database.snapshot().table("Article").fullTextIndexes == [wanted])
        #expect(throws: FreeholdError.self) {
            try database.write { try $0.fullText.add(["title", .init("author.name", weight: 300)], to: "Article") }
        }
        #expect(try database.check().problems.isEmpty)
    }

    @Test("an explanation says why an index is not used, and the list of indexes what each has")
    func notes() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine, 1)
        var random = SeededRandom(seed: 1)
        try change(database, &random, 900)
        let query = try ObjectQuery("title TEXT 'green' OR year > 5")
        func explanation() throws -> String { try database.snapshot().table("Article").prepare(query).explanation() }
        #expect(try !explanation().contains("note:") && database.snapshot().fullTextIndexes().isEmpty)
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 10, bytes: 1 << 20)) {
            try database.write(durability: .full) { try $0.fullText.add(["title", .init("body", weight: 2)], to: "Article") }
        }
        let building = try #require(try database.snapshot().fullTextIndexes().first)
        #expect(building.state == .building(coveredCount: 10) && building.documents == 10 && building.percent < 5)
        #expect(building.className == "Article" && building.index == ["title", .init("body", weight: 2)])
        let note = "note: the full-text index of 'title, body' is not used yet: it is being built, \(building.percent) %"
        #expect(try explanation().contains(note))
        try database.buildIndexes()
        let complete = try #require(try database.snapshot().fullTextIndexes().first)
        #expect(complete.state == .complete && complete.percent == 100 && complete.documents > 10 && complete.words > building.words)
        #expect(try !explanation().contains("note:"))
        let use = try database.snapshot().spaceUse(), own = try #require(use.classes.first { $0.name == "Article" })
        #expect(own.derivedIndexes.map(\.fields) == [["title", "body"]] && own.derivedIndexes[0].bytes > 1000)
        let usedBytes = try database.information().usedBytes
        #expect(own.derivedIndexes[0].kind == "full text" && use.usedBytes == usedBytes)
        try database.write { transaction in
            let prepared = try transaction.table("Article").prepare(query)
            #expect(try prepared.explanation().contains("is not used within a write transaction"))
        }
    }

    @Test("a class is created with its full-text indexes, and they are added to one that exists")
    func created() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine, 1)
        var paper = ClassSchema("Paper", [PropertySchema("title", .string), PropertySchema("author", linkTo: "Author")])
        try database.write { try $0.createClass(paper) }
        paper.fullTextIndexes = [["title", "author.name"]]
        try database.write { try $0.createClass(paper) }
        #expect(try database.snapshot().classes.contains(paper))
        // A class without them is the same: who does not know of them leaves them alone.
        try database.write { try $0.createClasses([paper.withoutDerived]) }
        #expect(try database.snapshot().classes.contains(paper))
        let note = ClassSchema("Note", [PropertySchema("text", .string)], fullText: [["text"]])
        try database.write { try $0.createClasses([note, paper]) }
        #expect(try database.snapshot().table("Note").fullTextIndexes == [["text"]])
        #expect(try database.check().problems.isEmpty)
    }
}

extension ClassSchema {
    fileprivate init(_ name: String, _ properties: [PropertySchema], fullText: [FullTextIndex]) {
        self.init(name, properties)
        fullTextIndexes = fullText
    }
}
