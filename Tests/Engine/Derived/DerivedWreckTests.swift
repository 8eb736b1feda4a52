@testable import FreeholdEngine
import Testing

/// Indexes of each kind of which one block after the other is destroyed.
@Suite("Destroyed blocks of derived indexes") struct DerivedWreckTests {
    private static func set(_ key: Int, of name: String, _ values: [(String, Value)], _ transaction: WriteTransaction) throws {
        let table = try transaction.table(name)
        for (name, value) in values { try transaction.set(ObjectKey(Int64(key)), in: table, table.column(name), to: value) }
    }

    private static func text(_ number: Int) -> [(String, Value)] {
        let words = (0..<5).map { "w\((number * 7 + $0 * $0 * 31) % 97)" }.joined(separator: " ")
        return [("title", .string(words + (number % 40 == 0 ? " rare" : "")))]
    }

    /// Several runs, four of them being merged.
    private static func age(_ database: Database) throws {
        for (round, count) in [90, 90, 90, 1].enumerated() {
            try database.write(durability: .full) { transaction in
                for number in 0..<count { try set(number * 7, of: "Article", text(round * 1000 + number), transaction) }
            }
        }
        let snapshot = try database.snapshot(), (_, top) = try snapshot.contents(), access = snapshot.core.access
        let reference = try TableRoot(top.table(0), in: access).auxiliary(.derived, StoredDerived.firstColumn)
        let root = try FullTextKind.root(DerivedRoot(reference, in: access).contents)
        #expect(root.runs.count > 3 && root.merges.contains { $0.position != nil }, "what the test is about")
    }

    @Test("full text: a search gives the right answer or an error, a commit too; a new index and a salvaged file give all answers")
    func fullText() throws {
        try IndexWreck(
            className: "Article", count: 1000, queries: ["w3*", "w7 w38", "w21 -w3", "w40~1", "w5 OR w90", "\"w7 w38\"", "rare"],
            explanation: "index for", query: { try ObjectQuery("title TEXT $0", [.string($0)]) },
            make: { transaction in
                try transaction.createClass(ClassSchema("Article", [PropertySchema("title", .string)]))
                for number in 0..<1000 { try transaction.insert(into: "Article", Self.text(number)) }
            },
            drop: { try $0.fullText.drop(["title"], from: "Article") }, add: { try $0.fullText.add(["title"], to: "Article") },
            change: { try Self.set(8, of: "Article", $1 ? Self.text(8) : [("title", .string("w200 other"))], $0) }, age: Self.age
        ).destroyEach(moreBlocksThan: 12)
    }

    private static func place(_ number: Int) -> [(String, Value)] {
        let latitude = Double(number * 7919 % 1801 - 900) / 10, longitude = Double(number * 104_729 % 3601 - 1800) / 10
        return [("latitude", .double(latitude)), ("longitude", .double(longitude))]
    }

    @Test("places: a query gives the right answer or an error, a commit too; a new index and a salvaged file give all answers")
    func places() throws {
        // Object 8 moves to within the third of the shapes.
        let elsewhere: [(String, Value)] = [("latitude", .double(60)), ("longitude", .double(20))]
        try IndexWreck(
            className: "Shop", count: 2000,
            queries: [
                "GEOWITHIN geoCircle([0, 0], 0.3)", "GEOWITHIN geoBox([170, -90], [-170, 90])", "GEOWITHIN geoCircle([20, 60], 0.05)",
                "GEOWITHIN geoPolygon({[-90, -40], [-30, -40], [-60, 30], [-90, -40]})",
                "SORT(@distance(latitude, longitude, [30, 45])) LIMIT(8)", "SORT(@distance(latitude, longitude, [-120, -70])) LIMIT(20)",
            ],
            explanation: "index for", query: { try ObjectQuery($0.hasPrefix("GEO") ? "latitude, longitude \($0)" : $0) },
            make: { transaction in
                let properties = [PropertySchema("latitude", .double), PropertySchema("longitude", .double)]
                try transaction.createClass(ClassSchema("Shop", properties))
                for number in 0..<2000 { try transaction.insert(into: "Shop", Self.place(number)) }
            },
            drop: { try $0.places.drop(latitude: "latitude", longitude: "longitude", from: "Shop") },
            add: { try $0.places.add(latitude: "latitude", longitude: "longitude", to: "Shop") },
            change: { try Self.set(8, of: "Shop", $1 ? Self.place(8) : elsewhere, $0) }, isCondition: { $0.hasPrefix("GEO") }
        ).destroyEach(moreBlocksThan: 6)
    }

    /// Vectors in 40 directions.
    private static func vector(_ number: Int) -> [Float] {
        (0..<64).map { place in
            let direction: Int = (number % 40 + 2) * (place * place + 17) % 101 - 50, own: Int = number * (place + 3) % 31 - 15
            return Float(direction + own)
        }
    }

    private static func item(_ vector: [Float], _ number: Int) -> [(String, Value)] {
        [("embedding", .data(VectorElements.int8.bytes(of: vector))), ("number", .int(Int64(number % 100)))]
    }

    @Test("vectors: a query gives the right answer or an error, a commit too; a new index and a salvaged file give all answers")
    func vectors() throws {
        try IndexWreck(
            className: "Item", count: 2300, queries: ["3", "77", "number < 95 1234"], explanation: "an index of sign bits",
            query: { text in
                let parts = text.split(separator: " "), condition = parts.dropLast().joined(separator: " ")
                let wanted = Value.list(Self.vector(Int(parts.last ?? "") ?? 0).map { .float($0) })
                return try ObjectQuery("\(condition) NEAREST(embedding, $0, 10, cosine, int8)", [wanted])
            },
            make: { transaction in
                try transaction.createClass(ClassSchema("Item", [PropertySchema("embedding", .data), PropertySchema("number", .int)]))
                for number in 0..<2300 { try transaction.insert(into: "Item", Self.item(Self.vector(number), number)) }
            },
            drop: { try $0.vectors.drop("embedding", from: "Item") },
            add: { try $0.vectors.add("embedding", dimensions: 64, elements: .int8, to: "Item") },
            // Opposite to what it was.
            change: { transaction, isBack in
                try Self.set(8, of: "Item", Self.item(Self.vector(8).map { isBack ? $0 : -$0 }, 8), transaction)
            },
            isCondition: { _ in false }
        ).destroyEach(moreBlocksThan: 10)
    }

    private static func word(_ number: Int) -> [(String, Value)] {
        let letters = ["a", "Ä", "b", "o", "ö", "Z"], first = letters[number * 7919 % 6], second = letters[number / 6 % 6]
        return [("name", .string("\(first)\(second) \(number * 104_729 % 997)")), ("number", .int(Int64(number % 100)))]
    }

    @Test("a collation: a query gives the right answer or an error, a commit too; a new index and a salvaged file give all answers")
    func collation() throws {
        try IndexWreck(
            className: "Word", count: 2300,
            queries: ["LIMIT(10)", "DESC LIMIT(3)", "", "DESC", "LIMIT(200)", "OFFSET(100) LIMIT(20)"],
            explanation: "in the order of the index",
            query: { text in
                let isDown = text.hasPrefix("DESC"), steps = text.split(separator: " ").filter { $0 != "DESC" }.joined(separator: " ")
                return try ObjectQuery("SORT(name \(isDown ? "DESC" : "ASC") COLLATE 'de') \(steps)")
            },
            make: { transaction in
                try transaction.createClass(ClassSchema("Word", [PropertySchema("name", .string), PropertySchema("number", .int)]))
                for number in 0..<2300 { try transaction.insert(into: "Word", Self.word(number)) }
            },
            drop: { try $0.collations.drop("name", "de", from: "Word") }, add: { try $0.collations.add("name", "de", to: "Word") },
            change: { try Self.set(8, of: "Word", $1 ? Self.word(8) : [("name", .string("AA other"))], $0) }, isCondition: { _ in false },
            collation: .invented(2)
        ).destroyEach(moreBlocksThan: 10)
    }
}
