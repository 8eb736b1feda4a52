import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// What is shown of the objects that a search finds.
@Suite("Highlights and snippets of objects") struct FoundTextTests {
    private func make(_ machine: SimulatedSystem, _ articles: [(title: String, body: String?, notes: [String])]) throws -> Snapshot {
        let database = try Database.open("/found.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Article", [
                PropertySchema("title", .string), PropertySchema("body", .string, isNullable: true),
                PropertySchema("notes", .string, collections: [.list]),
            ]))
            for (title, body, notes) in articles {
                var values: [(String, Value)] = [("title", .string(title)), ("notes", .list(notes.map { .string($0) }))]
                if let body { values.append(("body", .string(body))) }
                try transaction.insert(into: "Article", values)
            }
        }
        return try database.snapshot()
    }

    /// The highlighted parts, by path.
    private func parts(_ found: FoundText) -> [String] {
        let bytes = Array(found.text.utf8)
        return found.highlights.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test("each string in which something is found has its places, by property and element")
    func places() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let table = try make(machine, [
            ("Grüner Tee: GREEN TEA", "Tea, green as tea is. 東京都の緑茶", ["no", "more tea", "TEA"]), ("Coffee", nil, []),
        ]).table("Article")
        let key = try #require(try table.keys().first)
        func found(_ query: String) throws -> [(path: String, parts: [String])] {
            try table.prepare(ObjectQuery(query)).foundTexts(in: key).map { ($0.path.description, parts($0)) }
        }
        func expect(_ query: String, _ wanted: [(String, [String])]) throws {
            let found = try found(query)
            #expect(found.map(\.path) == wanted.map(\.0) && found.map(\.parts) == wanted.map(\.1), "\(query): \(found)")
        }
        try expect("title, body TEXT 'green tea'", [("title", ["GREEN", "TEA"]), ("body", ["Tea", "green", "tea"])])
        try expect("title, body TEXT '\"green tea\"'", [("title", ["GREEN TEA"])])
        try expect("notes TEXT 'tea'", [("notes", ["tea"]), ("notes", ["TEA"])])
        try expect("body TEXT '東京'", [("body", ["東京"])])
        try expect("title TEXT 'gru*'", [("title", ["Grüner"])])
        try expect("title TEXT 'milk' OR body TEXT 'green'", [("body", ["green"])])
        try expect("NOT title TEXT 'milk' AND body TEXT 'green -milk'", [("body", ["green"])])
        try expect("title TEXT 'milk'", [])
        // What another condition of the query excludes is not found.
        try expect("title TEXT 'green' AND body == nil", [])
        try expect("title TEXT 'green' AND body != nil", [("title", ["GREEN"])])
        try expect("title BEGINSWITH 'G'", [])
        #expect(try table.prepare(ObjectQuery("title TEXT 'tea'")).foundTexts(in: ObjectKey(99)).isEmpty)
    }

    @Test("a snippet is the best part of the string, with its own places")
    func snippets() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let words = (0..<80).map { "word\($0)" }
        let body = (words[..<40] + ["a cup of grüner tea, green tea."] + words[40...]).joined(separator: " ")
        let table = try make(machine, [("", body, [])]).table("Article")
        let query = try table.prepare(ObjectQuery("body TEXT 'green tea cup'"))
        let key = try #require(try table.keys().first)
        let found = try #require(try query.foundTexts(in: key).first)
        let snippet = found.snippet(.words(7)), bytes = Array(snippet.text.utf8)
        #expect(snippet.text == "cup of grüner tea, green tea. word40" && snippet.isCutBefore && snippet.isCutAfter, "\(snippet)")
        #expect(snippet.highlights.map { String(decoding: bytes[$0], as: UTF8.self) } == ["cup", "tea", "green", "tea"])
        #expect(found.snippet(.characters(12)).text.unicodeScalars.count <= 12)
        #expect(!found.snippet(.words(0)).text.isEmpty && found.snippet(.words(-5)) == found.snippet(.words(1)))
        #expect(found.snippet(.words(1000)).text.hasPrefix("word0") && !found.snippet(.words(1000)).isCutBefore)
    }
}
