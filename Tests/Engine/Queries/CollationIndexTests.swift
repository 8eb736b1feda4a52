import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// What an index in a collation gives, against a sort of the objects.
@Suite("Indexes in a collation") struct CollationIndexTests {
    private static let parts = ["a", "A", "ä", "Ä", "e\u{301}", "é", "z", "Z", "ß", "ss", "æ", "9", "10", "-", " ", "\0", "я", "中", "🏴"]
    private static let tags = ["de", "en-u-kn", "en-u-ks-level1"]

    private static func text(_ random: inout SeededRandom) -> Value {
        if random.oneIn(8) { return .null }
        let text = String((0..<random.below(4)).map { _ in parts.randomElement(using: &random)! }.joined())
        // Sort keys of these are longer than entries, and alike at their beginnings.
        return .string(random.oneIn(7) ? String(repeating: "lang ", count: random.oneIn(60) ? 14_000 : 60) + text : text)
    }

    private func make(_ machine: SimulatedSystem, _ collation: SimulatedCollation) throws -> Database {
        let process = machine.makeProcess()
        process.collation = collation
        let database = try Database.open("/words.freehold", OpenOptions.simulated, on: process)
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Word", [
                PropertySchema("text", .string, isNullable: true), PropertySchema("number", .int, isIndexed: true),
                PropertySchema("few", .int), PropertySchema("other", linkTo: "Word"),
            ]))
            try transaction.createClass(ClassSchema("Term", superclass: "Word", [PropertySchema("own", .string)]))
        }
        return database
    }

    private func addIndexes(_ database: Database) throws {
        try database.write(durability: .full) { transaction in
            for tag in Self.tags { try transaction.collations.add("text", tag, to: "Word") }
            try transaction.collations.add("own", "de", to: "Term")
        }
    }

    private func change(_ database: Database, _ random: inout SeededRandom, _ count: Int) throws {
        try database.write(durability: .full) { transaction in
            let words = try transaction.table("Word")
            for _ in 0..<count {
                let word = ObjectKey(Int64(random.below(Int(max(1, words.nextKey.rawValue)))))
                func set(_ property: String, _ value: Value) throws {
                    if try words.contains(word) { try transaction.set(word, in: words, words.column(property), to: value) }
                }
                switch random.below(10) {
                case 0...4:
                    var values: [(String, Value)] = [
                        ("text", Self.text(&random)), ("number", .int(Int64(random.below(40)))), ("few", .int(Int64(random.below(3)))),
                    ]
                    if try words.contains(word) { values.append(("other", .link(word))) }
                    let isTerm = random.below(4) == 0, own = Value.string(["b", "B", "Ä", "c"][random.below(4)])
                    try transaction.insert(into: isTerm ? "Term" : "Word", values + (isTerm ? [("own", own)] : []))
                case 5, 6: try set("text", Self.text(&random))
                case 7:
                    let other = ObjectKey(Int64(random.below(Int(max(1, words.nextKey.rawValue)))))
                    if try words.contains(other) { try set("other", .link(other)) }
                case 8: try set("few", .int(Int64(random.below(3))))
                default: if try words.contains(word) { try transaction.delete(word, from: words) }
                }
            }
        }
    }

    private static func query(_ random: inout SeededRandom, _ name: String) -> String {
        let conditions = ["", "", "number > 3 ", "number == 7 ", "few == 1 ", "few == 1 AND number > 30 ", "other.few == 2 "]
        let condition = conditions[random.below(7)], isOwn = name == "Term" && random.below(3) == 0
        let tag = isOwn ? "de" : tags[random.below(3)], property = isOwn ? "own" : "text"
        let direction = random.below(2) == 0 ? "ASC" : "DESC"
        let more = ["", "", ", number DESC", ", text", ", other.text COLLATE \"de\" DESC"][random.below(5)]
        let steps = ["", " LIMIT(10)", " LIMIT(1)", " OFFSET(5) LIMIT(20)", " LIMIT(400)", " OFFSET(30)"][random.below(6)]
        return "\(condition)SORT(\(property) \(direction) COLLATE \"\(tag)\"\(more))\(steps)"
    }

    /// Compares random queries with those of a transaction, which sorts; returns how many an index has answered.
    private func compare(_ database: Database, _ random: inout SeededRandom, _ comment: String) throws -> Int {
        let snapshot = try database.snapshot(), transaction = try database.beginWrite()
        defer {
            snapshot.end()
            transaction.rollback()
        }
        var answered = 0
        for _ in 0..<30 {
            let name = random.below(4) == 0 ? "Term" : "Word", isExact = name == "Word" && random.below(4) == 0
            let text = Self.query(&random, name), query = try ObjectQuery(text)
            let prepared = try snapshot.table(name, withSubclasses: !isExact).prepare(query)
            let wanted = try transaction.table(name, withSubclasses: !isExact).keys(matching: query), found = try prepared.keys()
            #expect(found == wanted, "\(comment): \(name): \(text): \(found.count) of \(wanted.count)")
            if try prepared.explanation().contains("in the order of the index of text in the collation") { answered += 1 }
        }
        return answered
    }

    @Test("a sort by an index is the sort of the objects, in every state of tail and tree", arguments: TestScale.seeds(4, long: 16))
    func histories(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var random = SeededRandom(seed: seed), answered = 0
        let database = try make(machine, seed % 2 == 0 ? .installed : .invented(2))
        try change(database, &random, 900)
        try addIndexes(database)
        for round in 0..<6 {
            answered += try compare(database, &random, "seed \(seed), round \(round)")
            try change(database, &random, [1, 30, 300, 700][random.below(4)])
            #expect(try database.snapshot().collationIndexes().allSatisfy { $0.state == .complete }, "seed \(seed), round \(round)")
            let problems = try database.check().problems
            #expect(problems.isEmpty, "seed \(seed), round \(round): \(problems.prefix(3))")
        }
        #expect(answered > 40, "\(answered)")
        try database.write(durability: .full) { transaction in
            for tag in Self.tags { try transaction.collations.drop("text", tag, from: "Word") }
        }
        #expect(try compare(database, &random, "seed \(seed), dropped") == 0)
        #expect(try database.check().problems.isEmpty)
    }

    /// Programs with different versions of ICU, and one with none, that have one file open.
    private struct Programs {
        let machine = SimulatedSystem(seed: 1)
        let first: Int
        let made: Database, newer: Database, bare: Database

        init(first: Int, _ fill: (SimulatedSystem, SimulatedCollation) throws -> Database) throws {
            self.first = first
            made = try fill(machine, .invented(first))
            newer = try Self.open("/words.freehold", machine, .invented(first + 1))
            bare = try Self.open("/words.freehold", machine, .absent)
        }

        static func open(_ path: String, _ machine: SimulatedSystem, _ collation: SimulatedCollation) throws -> Database {
            let process = machine.makeProcess()
            process.collation = collation
            return try Database.open(path, OpenOptions.simulated, on: process)
        }

        func end() {
            for database in [made, newer, bare] { database.close() }
            machine.discard()
        }

        /// The states of all indexes, each once.
        func states(_ database: Database) throws -> [DerivedIndexState] {
            let snapshot = try database.snapshot()
            defer { snapshot.end() }
            return Array(Set(try snapshot.collationIndexes().map(\.state)))
        }

        /// Checks the order of a program against the sort keys of its own ICU, and whether an index gives it.
        func expectOrder(_ database: Database, by index: Bool, _ sourceLocation: SourceLocation = #_sourceLocation) throws {
            let snapshot = try database.snapshot()
            defer { snapshot.end() }
            let table = try snapshot.table("Word"), column = try table.column("text")
            let order = try LanguageOrder("de", snapshot.core.session.system)
            let wanted = try table.keys().map { key in
                guard case .string(var text)? = try table.row(key)?.value(column) else { return (key, [UInt8]()) }
                return (key, [1] + text.withUTF8 { order.key(of: UnsafeRawBufferPointer($0)) })
            }.sorted { $0.1 == $1.1 ? $0.0.rawValue < $1.0.rawValue : $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
            for limit in [60, Int.max] {
                let prepared = try table.prepare(ObjectQuery("SORT(text COLLATE \"de\")" + (limit == .max ? "" : " LIMIT(\(limit))")))
                #expect(try prepared.keys() == Array(wanted.prefix(limit)), sourceLocation: sourceLocation)
                #expect(try prepared.explanation().contains("in the order of the index") == index, sourceLocation: sourceLocation)
            }
        }

        /// Changes strings that the indexes have.
        func setTexts(_ database: Database, _ text: String) throws {
            try database.write(durability: .full) { transaction in
                let words = try transaction.table("Word")
                for key in try words.keys(limit: 3) { try transaction.set(key, in: words, words.column("text"), to: .string(text)) }
            }
            for database in [made, newer, bare] { #expect(try database.check().problems.isEmpty) }
        }
    }

    private func programs(first: Int) throws -> Programs {
        try Programs(first: first) { machine, collation in
            let database = try make(machine, collation)
            var random = SeededRandom(seed: 1)
            try change(database, &random, 1500)
            try addIndexes(database)
            return database
        }
    }

    @Test("an index of another ICU is not used, and without ICU the index is kept while its strings stay", arguments: [1, 2])
    func otherVersions(first: Int) throws {
        let all = try programs(first: first), sort = try ObjectQuery("SORT(text COLLATE \"de\")")
        defer { all.end() }
        try all.expectOrder(all.made, by: true)
        try all.expectOrder(all.newer, by: false)
        let note = try all.newer.snapshot().table("Word").prepare(sort).explanation()
        #expect(note.contains("is not used: it is by ICU \(first).0, and this process has ICU \(first + 1).0"), "\(note)")
        #expect(throws: FreeholdError.self) { try all.bare.snapshot().table("Word").keys(matching: sort) }
        #expect(try all.states(all.made) == [.complete] && all.states(all.newer) == [.older] && all.states(all.bare) == [.unavailable])
        try all.bare.write(durability: .full) { transaction in
            let words = try transaction.table("Word")
            for key in try words.keys(limit: 5) { try transaction.set(key, in: words, words.column("few"), to: .int(9)) }
        }
        try all.expectOrder(all.made, by: true)
        #expect(try all.made.check().problems.isEmpty)
    }

    @Test("an index is emptied by a program that cannot keep it, and built by one with its ICU or a newer one", arguments: [1, 2])
    func emptied(first: Int) throws {
        let all = try programs(first: first), made = all.made, newer = all.newer, bare = all.bare
        defer { all.end() }
        try all.setTexts(bare, "n1")
        #expect(try all.states(bare) == [.unavailable] && all.states(made).contains(.building(coveredCount: 0)))
        try all.expectOrder(made, by: false)
        #expect(try bare.buildIndexes() == 0 && !bare.hasUnbuiltIndexes())
        #expect(try made.buildIndexes() > 0 && all.states(made) == [.complete])
        try all.expectOrder(made, by: true)
        // The newer ICU builds it anew; then the older one leaves it alone.
        #expect(try newer.hasUnbuiltIndexes() && newer.buildIndexes() > 0)
        #expect(try all.states(newer) == [.complete] && all.states(made) == [.newer])
        try all.expectOrder(newer, by: true)
        try all.expectOrder(made, by: false)
        try all.setTexts(made, "n2")
        #expect(try made.buildIndexes() == 0)
        try all.expectOrder(newer, by: false)
        #expect(try newer.buildIndexes() > 0)
        try all.setTexts(newer, "n3")
        try all.expectOrder(newer, by: true)
    }

    @Test("a file copied without ICU declares the indexes, and any ICU builds them")
    func copied() throws {
        let all = try programs(first: 2), process = all.machine.makeProcess()
        defer { all.end() }
        process.collation = .absent
        try all.bare.copy(to: "/copy.freehold", encryption: .same, .simulated, on: process)
        let copy = try Programs.open("/copy.freehold", all.machine, .absent)
        #expect(try copy.snapshot().collationIndexes().map(\.documents) == [0, 0, 0, 0] && copy.check().problems.isEmpty)
        copy.close()
        let again = try Programs.open("/copy.freehold", all.machine, .invented(1))
        #expect(try again.buildIndexes() > 0)
        try all.expectOrder(again, by: true)
        #expect(try again.check().problems.isEmpty)
        again.close()
    }

    @Test("an index is walked where that is cheaper than to sort, and explanations say why not")
    func plans() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        var random = SeededRandom(seed: 3)
        let database = try make(machine, .invented(2))
        try change(database, &random, 2500)
        func explained(_ text: String, _ tally: Bool = false) throws -> String {
            try database.snapshot().table("Word").prepare(ObjectQuery(text)).explanation(running: tally)
        }
        let line = "in the order of the index of text in the collation \"de\"", sort = "SORT(text COLLATE \"de\") LIMIT(3)"
        #expect(try !explained(sort).contains("the index of text"))
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 300, bytes: 1 << 20)) { try addIndexes(database) }
        #expect(try explained(sort).contains("the index of text in the collation \"de\" is not used: it is being built, "))
        try database.buildIndexes()
        for (text, isUsed) in [
            (sort, true), ("SORT(text DESC COLLATE \"DE\", few) LIMIT(3)", true), ("SORT(text COLLATE \"sv\") LIMIT(3)", false),
            ("SORT(few, text COLLATE \"de\") LIMIT(3)", false), ("SORT(text COLLATE \"en-u-kn-true\") LIMIT(3)", false),
            ("few == 1 \(sort)", true), ("number == 7 \(sort)", false), ("SORT(text COLLATE \"de\")", true),
            ("SORT(text COLLATE \"de\", few)", false), ("SORT(other.text COLLATE \"de\") LIMIT(3)", false), ("SORT(text) LIMIT(3)", false),
        ] {
            let said = try explained(text)
            #expect(said.contains(line) == isUsed, "\(text): \(said)")
        }
        #expect(try explained("SORT(text COLLATE \"en-u-kn-true\") LIMIT(3)").contains("text in the collation \"en-u-kn\", until 3"))
        #expect(try explained(sort, true).contains("read: ") && !explained(sort).contains("is by ICU"))
        #expect(try explained("SORT(few, text COLLATE \"de\") LIMIT(3)").contains("is by ICU"))
        let transaction = try database.beginWrite()
        defer { transaction.rollback() }
        let text = try transaction.table("Word").prepare(ObjectQuery(sort)).explanation()
        #expect(text.contains("is not used: a transaction sorts what it has changed") && !text.contains(line))
    }

    @Test("indexes are declared, listed and dropped, and what is wrong is said")
    func declarations() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try make(machine, .invented(2))
        #expect(try database.snapshot().root.writeFeatures == 0)
        try database.write { transaction in
            try transaction.collations.add("text", "DE-u-kn-true", to: "Word")
            try transaction.collations.add("text", "de-u-kn", to: "Word")
            try transaction.collations.add("own", "sv", to: "Term")
            #expect(try transaction.collations.indexes(of: "Word") == [CollationIndex("text", collation: "de-u-kn")])
        }
        let snapshot = try database.snapshot()
        #expect(snapshot.root.writeFeatures == FormatFeatures.derivedIndexes | FormatFeatures.collations)
        let listed = try snapshot.collationIndexes().map { "\($0.className): \($0.index.order)" }
        #expect(listed == ["Word: text COLLATE \"de-u-kn\"", "Term: own COLLATE \"sv\""])
        #expect(try snapshot.table("Term").schema.collationIndexes == [CollationIndex("own", collation: "sv")])
        for (property, tag, code) in [
            ("number", "de", FreeholdError.Code.invalidArgument), ("none", "de", .unknownProperty), ("text", "de-x-a", .malformedInput),
            ("text", "de-u-kn-yes", .malformedInput), ("other", "de", .invalidArgument),
        ] {
            let error = #expect(throws: FreeholdError.self) { try database.write { try $0.collations.add(property, tag, to: "Word") } }
            #expect(error?.code == code, "\(property) \(tag): \(String(describing: error))")
        }
        let error = #expect(throws: FreeholdError.self) { try database.write { try $0.collations.drop("text", "de", from: "Word") } }
        #expect(error?.message == "class 'Word' has no index of 'text' in the collation \"de\"")
        try database.write { try $0.collations.drop("text", "de-u-kn", from: "Word") }
        #expect(try database.snapshot().collationIndexes().map(\.className) == ["Term"])
        let bare = machine.makeProcess()
        bare.collation = .absent
        let other = try Database.open("/words.freehold", OpenOptions.simulated, on: bare)
        let missing = #expect(throws: FreeholdError.self) { try other.write { try $0.collations.add("text", "de", to: "Word") } }
        #expect(missing?.code == .system)
    }
}
