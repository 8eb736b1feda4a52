import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Full-text indexes with a language on machines whose stemmers differ, or are missing.
@Suite("Full-text indexes with a language") struct StemmedIndexTests {
    private static let path = "/stems.freehold"
    private static let index = FullTextIndex("title", language: "english")

    private func open(_ machine: SimulatedSystem, _ stemmers: SimulatedStemmers = .usual) throws -> Database {
        let process = machine.makeProcess()
        process.stemmers = stemmers
        return try Database.open(Self.path, .simulated, on: process)
    }

    /// A class with as many articles, whose titles have words with endings.
    private func fill(_ database: Database, _ count: Int, _ index: FullTextIndex? = Self.index) throws {
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Article", [PropertySchema("title", .string), PropertySchema("body", .string)]))
            try insert(transaction, count)
            if let index { try transaction.fullText.add(index, to: "Article") }
        }
    }

    private func insert(_ transaction: WriteTransaction, _ count: Int) throws {
        for number in 0..<count {
            let title = ["green leaves", "greening leaf", "greenly", "a leafing tree", "trees"][number % 5]
            try transaction.insert(into: "Article", [("title", .string(title)), ("body", .string(title))])
        }
    }

    private func set(_ database: Database, _ key: Int64, _ title: String) throws {
        try database.write(durability: .full) { transaction in
            let table = try transaction.table("Article")
            try transaction.set(ObjectKey(key), in: table, table.column("title"), to: .string(title))
        }
    }

    private func state(_ database: Database) throws -> DerivedIndexState {
        try #require(try database.snapshot().fullTextIndexes().first).state
    }

    /// The answer, which is that of all ways to search: by index, object by object, and in a transaction.
    private func count(_ database: Database, _ search: String, isIndexed: Bool, of property: String = "title") throws -> Int {
        let table = try database.snapshot().table("Article")
        let query = try ObjectQuery("\(property) TEXT $0", [.string(search)])
        let prepared = try table.prepare(query), keys = try prepared.keys()
        #expect(try keys == table.keys().filter { try prepared.matches($0) } && prepared.explanation().contains("index for") == isIndexed)
        let own = try database.write { transaction in
            let prepared = try transaction.table("Article").prepare(query), keys = try prepared.keys()
            return (keys: keys, scores: try prepared.scores(of: keys))
        }
        let scores = try prepared.scores(of: keys)
        #expect(own.keys == keys && own.scores == scores && scores.allSatisfy { $0 > 0 }, "\(search) in a transaction")
        return keys.count
    }

    private func expectClean(_ database: Database, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let problems = try database.check().problems
        #expect(problems.isEmpty, "\(problems.prefix(3))", sourceLocation: sourceLocation)
    }

    @Test("a search finds all forms of its words, by an index and without; the version says that writers need to know of languages")
    func forms() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try open(machine)
        try fill(database, 1000)
        #expect(try database.snapshot().root.writeFeatures == FormatFeatures.derivedIndexes | FormatFeatures.textOptions)
        #expect(try count(database, "greens", isIndexed: true) == 400 && count(database, "leafs", isIndexed: true) == 400)
        #expect(try count(database, "\"greened leaf\"", isIndexed: true) == 200 && count(database, "trees* -a", isIndexed: true) == 200)
        #expect(try count(database, "leafs", isIndexed: false, of: "body") == 0, "a property without an index has words as they are")
        let found = try database.snapshot().table("Article").prepare(ObjectQuery("title TEXT 'leafs'")).foundTexts(in: ObjectKey(3))
        #expect(found.map(\.highlights) == [[2..<9]] && found[0].snippet().highlights == [2..<9])
        let plan = try database.snapshot().table("Article").prepare(ObjectQuery("title TEXT 'leafs'")).explanation()
        #expect(plan.contains("TEXT \"leafs\" in english, about"), "\(plan)")
        let declared = try database.snapshot().classes.first { $0.name == "Article" }?.fullTextIndexes
        #expect(try declared == [Self.index] && database.snapshot().fullTextIndexes().map(\.index) == [Self.index])
        try expectClean(database)
    }

    @Test("a machine without the library writes on: the index loses its entries, nothing wrong is read, and one with it builds them")
    func missing() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let able = try open(machine), unable = try open(machine, .missing)
        try fill(able, 1000)
        func root() throws -> BlockReference {
            try able.snapshot().table("Article").state.root.auxiliary(.derived, StoredDerived.firstColumn)
        }
        let before = try root()
        #expect(try state(able) == .complete && state(unable) == .unavailable && !unable.hasUnbuiltIndexes())
        // Another property's change leaves the index alone.
        try unable.write { transaction in
            let table = try transaction.table("Article")
            try transaction.set(ObjectKey(1), in: table, table.column("body"), to: .string("other"))
        }
        #expect(try root().isSameBlock(as: before))
        let error = #expect(throws: FreeholdError.self) {
            try unable.snapshot().table("Article").prepare(ObjectQuery("title TEXT 'leafs'"))
        }
        #expect(error?.code == .system && error?.message.contains("libstemmer0d") == true)
        #expect(try unable.snapshot().table("Article").count(matching: ObjectQuery("body TEXT 'leaf'")) == 199)
        try set(unable, 2, "leafs")
        #expect(try state(unable) == .unavailable && state(able) == .building(coveredCount: 0) && unable.buildIndexes() == 0)
        try set(unable, 3, "trees and leafs")
        try unable.write { try insert($0, 300) }
        #expect(try state(able) == .building(coveredCount: 0) && unable.snapshot().fullTextIndexes()[0].percent == 0)
        for database in [able, unable] { try expectClean(database) }
        let wanted = try count(able, "leafs", isIndexed: false)
        #expect(try wanted == 521 && able.buildIndexes() == 1)
        #expect(try count(able, "leafs", isIndexed: true) == wanted && state(able) == .complete)
        for database in [able, unable] { try expectClean(database) }
    }

    @Test("a machine without the library declares an index and copies it; a builder of one with it builds it",
          arguments: [0, 600])
    func declared(count number: Int) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let unable = try open(machine, .missing)
        try fill(unable, number)
        if number == 0 { try unable.write { try insert($0, 600) } }
        #expect(try state(unable) == .unavailable)
        try expectClean(unable)
        let process = machine.makeProcess()
        process.stemmers = .missing
        try unable.copy(to: "/copy.freehold", encryption: .same, .simulated, on: process)
        let copy = try Database.open("/copy.freehold", .simulated, on: machine.makeProcess())
        #expect(try state(copy) == .older && copy.buildIndexes() == 1 && state(copy) == .complete)
        #expect(try count(copy, "leafs", isIndexed: true) == 240)
        let able = try open(machine)
        #expect(try state(able) == .older)
        // Commits leave it to builders, as a program without the library would empty it again.
        try set(able, 1, "trees")
        #expect(try state(able) == .older && able.buildIndexes() == 1)
        #expect(try state(able) == .complete && count(able, "leafs", isIndexed: true) == 239)
        for database in [able, unable, copy] { try expectClean(database) }
    }

    @Test("an index of another version of the library is not read; a change or a builder makes it anew, and no answer mixes the two")
    func other() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let usual = try open(machine), other = try open(machine, .other)
        try fill(usual, 1000)
        #expect(try state(other) == .older && count(other, "greens", isIndexed: false) == 600)
        #expect(try count(usual, "greens", isIndexed: true) == 400)
        try set(other, 4, "greenly")
        #expect(try state(other) == .complete && count(other, "greens", isIndexed: true) == 601)
        #expect(try count(usual, "greens", isIndexed: false) == 400)
        for database in [usual, other] { try expectClean(database) }
        #expect(try usual.buildIndexes() == 1 && count(usual, "greens", isIndexed: true) == 400 && other.hasUnbuiltIndexes())
        for database in [usual, other] { try expectClean(database) }
        for database in [usual, other] { database.close() }
        _ = try Database.salvage(from: Self.path, to: "/salvaged.freehold", .simulated, on: machine.makeProcess())
        let salvaged = try Database.open("/salvaged.freehold", .simulated, on: machine.makeProcess())
        #expect(try state(salvaged) == .complete && count(salvaged, "greens", isIndexed: true) == 400)
        try expectClean(salvaged)
    }

    @Test("the same fields in another language are built anew; of several indexes with what is searched one says which language counts")
    func declaredAnew() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try open(machine)
        try fill(database, 1000, ["title"])
        #expect(try count(database, "leafs", isIndexed: true) == 0)
        try database.write { try $0.fullText.add(Self.index, to: "Article") }
        #expect(try count(database, "leafs", isIndexed: true) == 400)
        try database.write { try $0.fullText.add(.init("title", language: "german"), to: "Article") }
        #expect(try count(database, "leafs", isIndexed: true) == 0 && count(database, "treen", isIndexed: true) == 200)
        try database.write { try $0.fullText.add(.init("title", "body", language: "english"), to: "Article") }
        #expect(try count(database, "leafs", isIndexed: true) == 0 && count(database, "leafs", isIndexed: true, of: "body") == 400)
        try database.write { try $0.fullText.drop(["title"], from: "Article") }
        #expect(try count(database, "leafs", isIndexed: true) == 400 && database.snapshot().fullTextIndexes().count == 1)
        let error = #expect(throws: FreeholdError.self) {
            try database.write { try $0.fullText.add(.init("body", language: "klingon"), to: "Article") }
        }
        #expect(error?.code == .invalidArgument && error?.message.contains("danish, dutch, english") == true)
        try expectClean(database)
    }

    @Test("the newer of two indexes answers while the one that says the language is being built, if its language is the same")
    func whileBuilt() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        for (language, isIndexed) in [("english", true), (nil, false)] as [(String?, Bool)] {
            let database = try Database.open("/\(language ?? "none").freehold", .simulated, on: machine.makeProcess())
            try fill(database, 1000, .init("title", "body", language: language))
            try DerivedBudget.$standard.withValue(DerivedBudget(objects: 100, bytes: 1 << 20)) {
                try database.write { try $0.fullText.add(Self.index, to: "Article") }
            }
            #expect(try count(database, "leafs", isIndexed: isIndexed) == 400)
        }
    }

    @Test("options of a later program make it an index that this one does not know")
    func unknownOptions() throws {
        for bytes in [[1, 1, 0x65], [0, 2, 0x65], [0, 1], [0], [0, 1, 0x45], [0, 1] + Array(repeating: 0x65, count: 33)] as [[UInt8]] {
            let index = StoredDerived(number: 0, kind: 1, fields: [DerivedField(table: 0, property: 0)], options: bytes)
            #expect(!index.isFullText && index.kindName == "kind 1", "\(bytes)")
        }
        for language in FullTextIndex.languages.map(Optional.init) + [nil] {
            #expect(FullTextIndexOptions(bytes: FullTextIndexOptions(language: language).bytes)?.language == language)
        }
    }

    @Test("a subquery searches in the language of the class that it is over")
    func subqueries() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try open(machine)
        try fill(database, 10)
        try database.write { transaction in
            let list = PropertySchema("articles", linkTo: "Article", collections: [.list])
            try transaction.createClass(ClassSchema("Shelf", [list]))
            try transaction.insert(into: "Shelf", [("articles", .list([.link(ObjectKey(1)), .link(ObjectKey(4))]))])
        }
        func count(_ query: String) throws -> Int { try database.snapshot().table("Shelf").count(matching: ObjectQuery(query)) }
        #expect(try count("SUBQUERY(articles, $a, $a.title TEXT 'leafs').@count == 1") == 1)
        #expect(try count("articles.title TEXT 'leafs'") == 0 && count("articles.title TEXT 'leaf'") == 1)
    }
}
