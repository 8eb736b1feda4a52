import Foundation
@testable import FreeholdEngine
import Testing

@Suite struct SearchVerbTests {
    @Test("a search that was taken for an option gets a hint")
    func dash() throws {
        let place = try Workplace()
        let run = try place.run("search", "d", "Article", "-milk")
        #expect(run.status == 64 && run.errors.contains("needs -- before it: freehold search DATABASE CLASS -- '-milk'"), "\(run)")
        #expect(try !place.run("search", "d", "Article", "milk", "--colour").errors.contains("needs --"))
    }

    /// A database with articles; `number` is in their titles, tea in the body of each fourth, and much of it in number 41.
    private func place(_ options: String..., count: Int = 40) throws -> Workplace {
        let place = try Workplace()
        var records = (1...count).filter { $0 != 41 }.map { number in
            #"{"id":\#(number),"title":"note number \#(number)","body":"\#(number % 4 == 0 ? "some green tea" : "coffee") and milk"}"#
        }
        let far = String(repeating: "word ", count: 50)
        records.append(#"{"id":41,"title":"Tea, tea and tea","body":"\#(far)Grüner Tee and\n\u001b tea \#(far)"}"#)
        try place.file("a.jsonl", records.joined(separator: "\n"))
        let run = try place.shell("freehold import d a.jsonl --into Article --primary-key id \(options.joined(separator: " "))")
        #expect(run.status == 0, "\(run)")
        return place
    }

    @Test("search prints the best objects first, with key, score and snippets")
    func best() throws {
        let place = try place("--full-text", "title,body")
        let run = try place.run("search", "d", "Article", "tea", "--words", "5")
        #expect(run.status == 0 && run.lines.count == 3 + 9 * 2, "\(run)")
        #expect(run.lines[0].hasPrefix("41  ") && run.lines[1] == "  title: Tea, tea and tea", "\(run)")
        #expect(run.lines[2].hasPrefix("  body: … ") && run.lines[2].hasSuffix(" …"), "\(run)")
        #expect(run.lines[2].contains("… Tee and \\u{1b} tea word"), "a line for each string: \(run)")
        #expect(run.lines[3].hasPrefix("4  ") && run.lines[4] == "  body: some green tea and milk", "\(run)")
        let scores = run.lines.filter { !$0.hasPrefix(" ") }.compactMap { Double($0.split(separator: " ")[1]) }
        #expect(scores.count == 10 && scores == scores.sorted(by: >) && scores[9] > 0, "\(scores)")
        #expect(run.errors == "freehold: the best 10 objects; --limit 0 shows all\n")
        #expect(try place.run("search", "d", "Article", "tea", "--limit", "0").errors == "")
        #expect(try place.run("search", "d", "Article", "tea", "--limit", "11").errors == "")
        let two = try place.run("search", "d", "Article", "\"green tea\" -40", "--limit", "2", "--where", "id > 30")
        #expect(two.lines.filter { !$0.hasPrefix(" ") }.map { $0.prefix(4) } == ["32  ", "36  "], "\(two)")
        #expect(two.errors == "", "\(two)")
    }

    @Test("search prints what it found in bold if asked, and else only on a terminal")
    func marks() throws {
        let place = try place("--full-text", "title,body")
        let marked = try place.run("search", "d", "Article", "green -40", "--limit", "1", "--mark")
        #expect(marked.lines.last == "  body: some \u{1B}[1mgreen\u{1B}[22m tea and milk", "\(marked)")
        let far = try place.run("search", "d", "Article", "grüner", "--words", "3", "--mark")
        #expect(far.lines.last?.contains("\u{1B}[1mGrüner\u{1B}[22m") == true, "\(far)")
        #expect(try !place.run("search", "d", "Article", "green").output.contains("\u{1B}"))
        #expect(try !place.run("search", "d", "Article", "green", "--no-mark").output.contains("\u{1B}"))
    }

    @Test("search --json writes an object a line, with places in characters")
    func json() throws {
        let place = try place("--full-text", "title,body")
        let run = try place.run("search", "d", "Article", "tee OR \"number 8\"", "--json", "--words", "4")
        #expect(run.status == 0 && run.lines.count == 2, "\(run)")
        let objects = try run.lines.map { try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
        #expect(Set(objects.compactMap { $0["key"] as? Int }) == [8, 41])
        for object in objects {
            #expect(try #require(object["score"] as? Double) > 0)
            let found = try #require((object["found"] as? [[String: Any]])?.first)
            let snippet = Array(try #require(found["snippet"] as? String).unicodeScalars)
            let words = try #require(found["highlights"] as? [[Int]]).map { String(String.UnicodeScalarView(snippet[$0[0]..<$0[1]])) }
            #expect(words == (object["key"] as? Int == 8 ? ["number 8"] : ["Tee"]), "\(object)")
            #expect(found["cutBefore"] as? Bool == (object["key"] as? Int == 41), "\(object)")
            #expect(found["property"] as? String == (object["key"] as? Int == 41 ? "body" : "title"))
        }
        let none = try place.run("search", "d", "Article", "nothingness", "--json")
        #expect(none.status == 0 && none.output == "" && none.errors == "")
        #expect(try place.run("search", "d", "Article", "nothingness").errors == "freehold: nothing found\n")
    }

    @Test("without an index search says how to declare one, and reads all objects only if asked")
    func noIndex() throws {
        let place = try place()
        let refused = try place.run("search", "d", "Article", "tea")
        #expect(refused.status == 1 && refused.output == "", "\(refused)")
        #expect(refused.errors.hasPrefix("freehold: error: class 'Article' has no full-text index. Declare one ("), "\(refused)")
        #expect(refused.errors.contains("--full-text") && refused.errors.contains("--in") && refused.errors.contains("--all-strings"))
        let all = try place.run("search", "d", "Article", "tea", "--all-strings")
        #expect(all.lines.first?.hasPrefix("41  ") == true && all.lines[1].hasPrefix("  title: "), "\(all)")
        #expect(all.errors == "freehold: the best 10 objects; --limit 0 shows all\n")
        let some = try place.run("search", "d", "Article", "tea", "--in", "title")
        #expect(some.lines.count == 2 && some.errors == "freehold: no full-text index has 'title': every object is read\n", "\(some)")
    }

    @Test("of several indexes one is chosen by its properties")
    func several() throws {
        let place = try place("--full-text", "title,body", "--full-text", "body")
        let refused = try place.run("search", "d", "Article", "tea")
        let choice = "has 2 full-text indexes. Choose one with --in: title,body or body"
        #expect(refused.status == 1 && refused.errors.contains(choice), "\(refused)")
        let chosen = try place.run("search", "d", "Article", "tea", "--in", "body")
        #expect(chosen.status == 0 && !chosen.output.contains("title:") && !chosen.errors.contains("read"), "\(chosen)")
        #expect(try place.run("search", "d", "Article", "tea", "--in", "title,body").output.contains("title:"))
    }

    @Test("search finds the same while an index is being built, and says that it reads every object")
    func building() throws {
        let place = try place(count: 300)
        do {
            let database = try Database.open(place.folder.appending(path: "d").path)
            defer { database.close() }
            try DerivedBudget.$standard.withValue(DerivedBudget(objects: 30, bytes: 1 << 20)) {
                try database.write { try $0.fullText.add(["title", "body"], to: "Article") }
            }
        }
        let found = try place.run("search", "d", "Article", "tea", "--limit", "0")
        #expect(found.errors.contains("the index is not used, and every object is read: Article: title, body: being built, "), "\(found)")
        #expect(try place.run("rebuild", "d", "Article", "--continue").status == 0)
        let built = try place.run("search", "d", "Article", "tea", "--limit", "0")
        #expect(built.errors == "" && built.output == found.output && built.lines.count == 3 + 75 * 2)
    }

    @Test("objects of a class without a primary key are named by their object keys, and fields over links are searched")
    func links() throws {
        let place = try Workplace()
        try place.file("a.jsonl", #"{"text":"tea","author":{"name":"Ada Green"}}"# + "\n" + #"{"text":"milk","author":{"name":"Bo"}}"#)
        try place.run("import", "d", "a.jsonl", "--into", "Note", "--full-text", "text,author.name")
        let run = try place.run("search", "d", "Note", "green")
        #expect(run.lines.count == 2 && run.lines[0].hasPrefix("#0  ") && run.lines[1] == "  author.name: Ada Green", "\(run)")
    }

    @Test("wrong searches, properties and numbers are refused")
    func refused() throws {
        let place = try place("--full-text", "title,body")
        for (arguments, message) in [
            (["Article", "(tea"], "TEXT: "), (["Article", "-- -tea"], "TEXT: "), (["Articel", "tea"], "did you mean 'Article'?"),
            (["Article", "tea --in titel"], "there is no property 'titel' in class 'Article'; did you mean 'title'?"),
            (["Article", "tea --in id"], "TEXT searches strings; 'id' is of type int"), (["Article", "tea --in title.name"], "title"),
            (["Article", "tea --where 'id >'"], "column"), (["Article", "tea --where 'id > 1 LIMIT(2)'"], "--where takes a condition"),
        ] {
            let words = arguments[1].contains(" ") ? arguments[1] : "'\(arguments[1])'"
            let run = try place.shell("freehold search d \(arguments[0]) \(words)")
            #expect(run.status == 1 && run.output == "" && run.errors.contains(message), "\(arguments): \(run)")
        }
        for options in ["--limit -1", "--limit=-1", "--words 0", "--in title --all-strings", "--json --mark", ""] {
            let run = try place.shell("freehold search d Article \(options.isEmpty ? "" : "tea") \(options)")
            #expect(run.status == 64 && run.output == "", "\(options): \(run)")
        }
        #expect(try place.run("search", "missing", "Article", "tea").status == 1)
        #expect(!place.exists("missing"))
        let empty = try place.run("search", "d", "Article", "")
        #expect(empty.status == 0 && empty.output == "" && empty.errors == "freehold: nothing found\n", "\(empty)")
        #expect(try place.run("search", "d", "Article", "tea", "--read-only").status == 0)
    }
}
