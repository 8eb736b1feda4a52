import DatabaseKit
@testable import FreeholdEngine

/// Full-text indexes of the golden files.
extension GoldenContent {
    private static let rare = ["Żółw", "東京都", "สวัสดี", "wi-fi", "हिन्दी", "colour", "_x_", "LG전자"]
    private static let endings = ["", "s", "ing", "ed", "en", "er"]

    /// - Parameter language: with one, words have endings.
    private static func words(_ number: Int, _ count: Int, _ language: String?) -> Value {
        let words = (0..<count).map { place in
            "w\((number * 7 + place * place * 31) % 97)" + (language == nil ? "" : endings[(number + place) % endings.count])
        }
        return .string((number % 5 == 0 ? words + [rare[number / 5 % rare.count]] : words).joined(separator: " "))
    }

    /// Articles and their authors, with an index of titles, bodies and names: of several runs, four of them being merged.
    static func fullText(_ scribe: Scribe, language: String? = nil) throws {
        try articles(scribe, language) {
            try scribe.addFullText(["title", .init("body", weight: 0.5), "author.name"], language: language, to: "Article")
        }
        // The last commit merges less than those before it have left.
        for (round, count) in [60, 60, 60, 1].enumerated() {
            try scribe.write {
                for number in 0..<count {
                    try scribe.set("Article", ObjectKey(Int64(number * 5 % 360)), "title", words(1000 * (round + 1) + number, 5, language))
                }
                if round == 0 { try scribe.set("Author", ObjectKey(3), "name", words(17, 2, language)) }
                if round == 1 { try scribe.delete("Article", [ObjectKey(4), ObjectKey(300)]) }
            }
        }
    }

    /// The same, of which an index is being built: its first hundred objects are in it.
    static func fullTextBegun(_ scribe: Scribe, language: String? = nil) throws {
        try articles(scribe, language) {}
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 100, bytes: 1 << 20)) {
            try scribe.write { try scribe.addFullText(["body", "author.name"], language: language, to: "Article") }
        }
        try scribe.write {
            for number in 0..<40 { try scribe.set("Article", ObjectKey(Int64(number * 5)), "body", words(5000 + number, 4, language)) }
        }
    }

    private static func articles(_ scribe: Scribe, _ language: String?, _ declare: () throws -> Void) throws {
        try scribe.write {
            try scribe.make(ClassSchema("Author", [PropertySchema("name", .string)]))
            try scribe.make(ClassSchema("Article", [
                PropertySchema("title", .string), PropertySchema("body", .string, isNullable: true),
                PropertySchema("author", linkTo: "Author"),
            ]))
            for number in 0..<12 { try scribe.insert("Author", [("name", words(number, 2, language))]) }
            for number in 0..<360 {
                try scribe.insert("Article", [
                    ("title", words(number, 5, language)), ("body", number % 3 == 0 ? .null : words(number + 400, 4, language)),
                    ("author", number % 4 == 0 ? .null : .link(ObjectKey(Int64(number % 12)))),
                ])
            }
            try declare()
        }
    }
}
