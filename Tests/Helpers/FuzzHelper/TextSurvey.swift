@testable import FreeholdEngine
import TestKit

/// Searches a library by its full-text index, shops by their places and items by their vectors, and changes them.
extension FuzzCase {
    private static let searches = [
        "green", "tea leaf", "\"green tea\"", "tea -milk", "lea*", "w*", "colour~1", "data~2", "東", "東京", "wi-fi",
        "tea NEAR/2 leaf", "uber -\"green tea\"", "(green OR leaf) -(milk 東)", "unknown", "w1* OR color~1 -base",
    ]
    private static let fields = ["title", "title, body", "body", "author.name", "title, author.name, body"]

    private static let places = [
        "latitude, longitude GEOWITHIN geoCircle([10, 20], 0.4)", "latitude, longitude GEOWITHIN geoBox([-5, -90], [5, 90])",
        "location GEOWITHIN geoPolygon({[-80, -40], [60, -40], [10, 70], [-80, -40]})", "location GEOWITHIN geoCircle([0, 90], 1.5)",
        "SORT(@distance(latitude, longitude, [30, 45])) LIMIT(5)", "latitude > 10 SORT(@distance(latitude, longitude, [0, -90])) LIMIT(40)",
    ]

    func search(_ database: Database, _ random: inout SeededRandom) {
        let survey = Survey(expecting: nil)
        survey.attempt("searches") {
            let table = try database.snapshot().table("Article")
            for text in Self.searches {
                for fields in [Self.fields[0], Self.fields.randomElement(using: &random)!] {
                    survey.attempt(text) {
                        let query = try table.prepare(ObjectQuery("\(fields) TEXT $0", [.string(text)]))
                        _ = (try query.explanation(), try query.count(), try query.keys())
                    }
                    survey.attempt("best of \(text)") {
                        let query = try ObjectQuery("\(fields) TEXT $0 SORT(@score DESC) LIMIT(5)", [.string(text)])
                        _ = try table.keys(matching: query)
                    }
                }
            }
        }
        survey.attempt("places") {
            let table = try database.snapshot().table("Shop")
            for text in Self.places {
                survey.attempt(text) {
                    let query = try table.prepare(ObjectQuery(text))
                    _ = (try query.explanation(), try query.count(), try query.keys())
                }
            }
        }
        survey.attempt("vectors") {
            let table = try database.snapshot().table("Item")
            for text in ["", "embedding != $1"] {
                let wanted = Value.list((0..<70).map { .int(Int64(($0 * 37 + random.below(50)) % 255 - 127)) })
                let query = try table.prepare(ObjectQuery("\(text) NEAREST(embedding, $0, 20, cosine, int8)", [wanted, .data([1])]))
                survey.attempt("nearest") { _ = (try query.explanation(), try query.keys()) }
            }
        }
        survey.attempt("orders") {
            let table = try database.snapshot().table("Article")
            for text in ["LIMIT(5)", "", "LIMIT(40)"] {
                let query = try table.prepare(ObjectQuery("SORT(body COLLATE 'de', title DESC) \(text)"))
                survey.attempt("sorted \(text)") { _ = (try query.explanation(), try query.keys()) }
                survey.attempt("sorted by one \(text)") {
                    _ = try table.keys(matching: ObjectQuery("SORT(body DESC COLLATE 'de') \(text)"))
                }
            }
        }
        survey.attempt("check") { _ = try database.check() }
        survey.attempt("space") { _ = try database.snapshot().spaceUse() }
        note(survey)
    }

    func rewrite(_ database: Database, _ random: inout SeededRandom) {
        let survey = Survey(expecting: nil)
        for count in [1, 40, 200] {
            survey.attempt("changes") {
                try database.write(durability: .processCrash) { transaction in
                    let articles = try transaction.table("Article"), title = try articles.column("title")
                    for _ in 0..<count {
                        let key = ObjectKey(Int64.random(in: 0..<700, using: &random)), text = Value.string(Base.text(&random))
                        guard try articles.contains(key) else { continue }
                        if random.oneIn(3) {
                            try transaction.delete(key, from: articles)
                        } else {
                            try transaction.set(key, in: articles, title, to: text)
                            if random.oneIn(2) { try transaction.set(key, in: articles, articles.column("body"), to: text) }
                        }
                    }
                    if random.oneIn(2) {
                        let authors = try transaction.table("Author")
                        try transaction.set(ObjectKey(3), in: authors, authors.column("name"), to: .string(Base.text(&random)))
                    }
                    for _ in 0..<count { try transaction.insert(into: "Article", [("title", .string(Base.text(&random)))]) }
                }
            }
        }
        survey.attempt("moves") { try move(database, &random) }
        survey.attempt("turns") { try turn(database, &random) }
        survey.attempt("build") { try database.buildIndexes() }
        survey.attempt("compaction") { _ = try database.compact() }
        survey.attempt("drop") {
            try database.write(durability: .processCrash) { transaction in
                for index in try transaction.table("Article").fullTextIndexes {
                    try transaction.fullText.drop(index, from: "Article")
                }
                try transaction.fullText.add(["title"], to: "Article")
                try transaction.collations.drop("body", "de", from: "Article")
                try transaction.collations.add("body", "de", to: "Article")
                try transaction.places.drop(latitude: "latitude", longitude: "longitude", from: "Shop")
                try transaction.places.add(latitude: "latitude", longitude: "longitude", to: "Shop")
                try transaction.vectors.drop("embedding", from: "Item")
                try transaction.vectors.add("embedding", dimensions: 70, elements: .int8, to: "Item")
            }
        }
        note(survey)
    }

    private func move(_ database: Database, _ random: inout SeededRandom) throws {
        try database.write(durability: .processCrash) { transaction in
            let shops = try transaction.table("Shop"), location = try shops.column("location")
            for _ in 0..<60 {
                let key = ObjectKey(Int64.random(in: 0..<600, using: &random))
                guard try shops.contains(key) else { continue }
                switch Int.random(in: 0..<4, using: &random) {
                case 0: try transaction.delete(key, from: shops)
                case 1: try transaction.embed(Base.point(&random), in: key, of: shops, location)
                default: try transaction.set(key, in: shops, shops.column("latitude"), to: Base.degree(&random))
                }
            }
            for _ in 0..<300 { try transaction.insert(into: "Shop", Base.place(&random)) }
        }
    }

    private func turn(_ database: Database, _ random: inout SeededRandom) throws {
        try database.write(durability: .processCrash) { transaction in
            let items = try transaction.table("Item"), embedding = try items.column("embedding")
            for _ in 0..<60 {
                let key = ObjectKey(Int64.random(in: 0..<2_400, using: &random))
                guard try items.contains(key) else { continue }
                if random.oneIn(3) {
                    try transaction.delete(key, from: items)
                } else {
                    try transaction.set(key, in: items, embedding, to: Base.vector(&random))
                }
            }
            for _ in 0..<300 { try transaction.insert(into: "Item", [("embedding", Base.vector(&random))]) }
        }
    }
}
