import DatabaseKit
@testable import FreeholdEngine

/// Full-text indexes of the golden files.
extension GoldenContent {
    private static let rare = ["Żółw", "東京都", "สวัสดี", "wi-fi", "हिन्दी", "colour", "_x_", "LG전자"]

    private static func words(_ number: Int, _ count: Int) -> Value {
        let words = (0..<count).map { "w\((number * 7 + $0 * $0 * 31) % 97)" }
        return .string((number % 5 == 0 ? words + [rare[number / 5 % rare.count]] : words).joined(separator: " "))
    }

    /// Articles and their authors, with an index of titles, bodies and names: of several runs, four of them being merged.
    static func fullText(_ scribe: Scribe) throws {
        try articles(scribe) { try scribe.addFullText(["title", .init("body", weight: 0.5), "author.name"], to: "Article") }
        // The last commit merges less than those before it have left.
        for (round, count) in [60, 60, 60, 1].enumerated() {
            try scribe.write {
                for number in 0..<count {
                    try scribe.set("Article", ObjectKey(Int64(number * 5 % 360)), "title", words(1000 * (round + 1) + number, 5))
                }
                if round == 0 { try scribe.set("Author", ObjectKey(3), "name", words(17, 2)) }
                if round == 1 { try scribe.delete("Article", [ObjectKey(4), ObjectKey(300)]) }
            }
        }
    }

    /// The same, of which an index is being built: its first hundred objects are in it.
    static func fullTextBegun(_ scribe: Scribe) throws {
        try articles(scribe) {}
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 100, bytes: 1 << 20)) {
            try scribe.write { try scribe.addFullText(["body", "author.name"], to: "Article") }
        }
        try scribe.write {
            for number in 0..<40 { try scribe.set("Article", ObjectKey(Int64(number * 5)), "body", words(5000 + number, 4)) }
        }
    }

    private static func articles(_ scribe: Scribe, _ declare: () throws -> Void) throws {
        try scribe.write {
            try scribe.make(ClassSchema("Author", [PropertySchema("name", .string)]))
            try scribe.make(ClassSchema("Article", [
                PropertySchema("title", .string), PropertySchema("body", .string, isNullable: true),
                PropertySchema("author", linkTo: "Author"),
            ]))
            for number in 0..<12 { try scribe.insert("Author", [("name", words(number, 2))]) }
            for number in 0..<360 {
                try scribe.insert("Article", [
                    ("title", words(number, 5)), ("body", number % 3 == 0 ? .null : words(number + 400, 4)),
                    ("author", number % 4 == 0 ? .null : .link(ObjectKey(Int64(number % 12)))),
                ])
            }
            try declare()
        }
    }
}
