import FreeholdEngine

/// Full text: building an index of N documents, searching it, and commits of one document.
extension Bench {
    func fullText() throws {
        let path = arguments.path("documents")
        try Files.remove(path)
        try opening(path) { database in
            let bytes = try fillDocuments(database)
            let before = try used(database)
            let taken = try seconds {
                try database.write { try $0.fullText.add(["body"], to: "document") }
                try database.buildIndexes()
            }
            Output.figure("search_build", Double(bytes) / taken / 1e6, "MB/s")
            Output.figure("search_size", 100 * Double(try used(database) - before) / Double(bytes), "%")
            try search(database)
            try commitDocuments(database)
        }
        try Files.remove(path)
    }

    /// Returns the bytes of the documents.
    private func fillDocuments(_ database: Database) throws -> Int {
        let words = Documents.words
        var documents = Documents(), bytes = 0
        try database.write { transaction in
            let properties = [PropertySchema("id", .int), PropertySchema("body", .string)]
            try transaction.createClass(ClassSchema("document", primaryKey: "id", properties))
            let table = try transaction.table("document"), body = try table.column("body")
            for id in 0..<count {
                let text = documents.next(words)
                bytes += text.utf8.count
                try transaction.insert(into: table, primaryKey: .int(Int64(id))) { try $0.set(body, .string(text)) }
            }
        }
        return bytes
    }

    private func search(_ database: Database) throws {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        let table = try snapshot.table("document")
        let word = Documents.word
        try best("search_word", 200, table) { word(64 + $0.next(below: 64)) }
        try best("search_rare", 200, table) { word(20_000 + $0.next(below: 10_000)) }
        try best("search_words", 200, table) { stream in (0..<3).map { _ in word(16 + stream.next(below: 112)) }.joined(separator: " ") }
        try best("search_any", 100, table) { stream in (0..<3).map { _ in word(64 + stream.next(below: 448)) }.joined(separator: " OR ") }
        try best("search_prefix", 100, table) { String(word(6400 + $0.next(below: 100_000)).prefix(3)) + "*" }
        try best("search_fuzzy", 100, table) { word(6400 + $0.next(below: 100_000)) + "~1" }
        try best("search_phrase", 100, table) { "\"\(word(32 + $0.next(below: 96))) \(word(32 + $0.next(below: 96)))\"" }
        try best("search_filtered", 100, table, and: " AND id < \(count / 10)") { word(64 + $0.next(below: 64)) }
    }

    /// The ten best for each of some searches, and how many objects there are for each.
    private func best(_ name: String, _ times: Int, _ table: Table, and rest: String = "", _ text: (inout SplitMix64) -> String) throws {
        var stream = SplitMix64(seed: 7)
        let searches = (0..<times).map { _ in Value.string(text(&stream)) }
        let queries = try searches.map { try ObjectQuery("body TEXT $0\(rest) SORT(@score DESC) LIMIT(10)", [$0]) }
        var found = 0
        let taken = try seconds { for query in queries { found += try table.keys(matching: query).count } }
        Output.figure(name, taken / Double(times) * 1e6, "us")
        var all = 0
        let counted = try seconds {
            for search in searches { all += try table.count(matching: ObjectQuery("body TEXT $0\(rest)", [search])) }
        }
        Output.figure("\(name)_count", counted / Double(times) * 1e6, "us")
        Output.check(name, found)
        Output.check("\(name)_count", all)
    }

    /// Commits of one document each, with the full-text index and with an ordinary one.
    private func commitDocuments(_ database: Database) throws {
        let words = Documents.words, commits = 2000
        func commit(_ name: String) throws {
            var documents = Documents()
            let texts = (0..<commits).map { _ in documents.next(words) }
            let start = try withTable(database) { Int($0.nextKey.rawValue) }
            let taken = try seconds {
                for (place, text) in texts.enumerated() {
                    try database.write(durability: .processCrash) { transaction in
                        let table = try transaction.table("document"), body = try table.column("body")
                        try transaction.insert(into: table, primaryKey: .int(Int64(start + place))) { try $0.set(body, .string(text)) }
                    }
                }
            }
            Output.figure(name, taken / Double(commits) * 1e6, "us")
        }
        try commit("search_commit")
        try database.write { transaction in
            try transaction.fullText.drop(["body"], from: "document")
            try transaction.setIndexed(true, "body", in: "document")
        }
        try commit("search_commit_indexed")
    }

    /// The bytes of all pages in use.
    func used(_ database: Database) throws -> Int {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        return Int(try snapshot.spaceUse().usedBytes)
    }

    private func withTable<R>(_ database: Database, _ body: (Table) throws -> R) throws -> R {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        return try body(try snapshot.table("document"))
    }
}
