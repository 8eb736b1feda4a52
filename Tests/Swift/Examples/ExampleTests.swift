import Foundation
import TestKit
import Testing

/// The examples that a newcomer reads first, run as they would run them.
@Suite struct ExampleTests {
    @Test func `a to-do list is kept from run to run`() throws {
        let example = try Example("ExampleToDoList")
        #expect(try example.run() == .init(output: ["0 of 0 to do"]))
        #expect(try example.run("add", "Buy cheese", "2026-12-24", "now").output == ["added 1"])
        #expect(try example.run("add", "Walk the dog").output == ["added 2"])
        #expect(try example.run("add", "Sleep", "whenever").output == ["added 3"])
        #expect(try example.run("done", "2").output == ["[x] 2. Walk the dog"])
        #expect(try example.run().output == [
            "[ ] 1. Buy cheese by 2026-12-24 (now!)", "[x] 2. Walk the dog", "[ ] 3. Sleep", "2 of 3 to do",
        ])
        #expect(try example.run("sweep").output == ["removed 1"])
        #expect(try example.run("remove", "3").output == ["removed Sleep"])
        #expect(try example.run("add", "Dream").output == ["added 4"], "a number is given once")
        #expect(try example.run().output == ["[ ] 1. Buy cheese by 2026-12-24 (now!)", "[ ] 4. Dream", "2 of 2 to do"])
    }

    @Test func `the to-do list says in words what was wrong`() throws {
        let example = try Example("ExampleToDoList")
        #expect(try example.run("done", "7") == .init(status: 1, errors: ["to-do: there is no 7"]))
        #expect(try example.run("add", "X", "tomorrow").errors == [
            "to-do: 'tomorrow' is no day such as 2026-12-24, and none of whenever, soon, now",
        ])
        #expect(try example.run("dance").errors == ["to-do: no command 'dance'; there are add, done, remove and sweep"])
        try Data("no database".utf8).write(to: URL(fileURLWithPath: example.folder.file("objects")))
        let refused = try example.run()
        #expect(refused.status == 1 && refused.output.isEmpty && refused.errors.first?.hasPrefix("to-do: ") == true, "\(refused)")
    }

    @Test func `an address book follows its links both ways`() throws {
        let example = try Example("ExampleAddressBook")
        #expect(try example.run("put", "Ann", "company=Acme", "city=Rome", "street=Via Appia 1", "phone.home=1", "phone.work=2") == .init())
        #expect(try example.run("put", "Ben", "company=Acme") == .init())
        #expect(try example.run("put", "Cleo") == .init())
        #expect(try example.run("know", "Ann", "Cleo") == .init())
        #expect(try example.run("know", "Ann", "Ben") == .init())
        #expect(try example.run("show", "Ann").output == [
            "Ann", "  works for Acme, with 1 others", "  lives at Via Appia 1, Rome", "  home: 1", "  work: 2", "  knows Cleo, Ben",
        ])
        #expect(try example.run().output == ["Acme: Ann, Ben", "without a company: Cleo"])
        #expect(try example.run("put", "Ann", "phone.home=", "company=Bolts") == .init())
        #expect(try example.run("remove", "Ben") == .init())
        #expect(try example.run("show", "Ann").output == [
            "Ann", "  works for Bolts, with 0 others", "  lives at Via Appia 1, Rome", "  work: 2", "  knows Cleo",
        ])
        #expect(try example.run().output == ["Bolts: Ann", "without a company: Cleo"], "a company without staff is gone")
        #expect(try example.run("show", "Ben") == .init(status: 1, errors: ["address-book: nobody is called 'Ben'"]))
    }

    @Test func `what a write of the address book threw is not kept`() throws {
        let example = try Example("ExampleAddressBook")
        let refused = try example.run("put", "Ann", "company=Acme", "shoe=38")
        #expect(refused == .init(status: 1, errors: ["address-book: no 'shoe'; there are company, street, city, and phone.home and its like"]))
        #expect(try example.run() == .init())
    }

    @Test func `an import takes what fits, names the rest, and updates when it is run again`() throws {
        let example = try Example("ExampleJSONImport")
        let first = """
            [{"isbn": "1", "title": "Emma", "year": 1815, "price": 7.5, "authors": [{"name": "Jane Austen", "born": 1775}], "shelf": 3},
             {"isbn": "2", "title": "Persuasion", "price": 8, "authors": [{"name": "Jane Austen"}], "tags": ["novel", "novel"]},
             {"isbn": "3", "title": 5}, {"title": "Nameless"},
             {"isbn": "4", "title": "Good Omens", "year": 1990, "price": 9,
              "authors": [{"name": "Terry Pratchett"}, {"name": "Neil Gaiman"}]}]
            """
        #expect(try example.run(input: first).output == [
            "row 3 left out: Invalid value '5' of type 'NSNumber' for 'string' property 'Book.title'.", "row 4 left out: it has no isbn",
            "3 books added, 0 updated, 2 left out",
            "Jane Austen: Persuasion (no year), Emma (1815)", "Neil Gaiman: Good Omens (1990)", "Terry Pratchett: Good Omens (1990)",
            "3 books, 8.17 on average",
        ])
        try Data(#"[{"isbn": "2", "year": 1817}, {"isbn": "5", "title": "Mort", "year": null}]"#.utf8)
            .write(to: URL(fileURLWithPath: example.folder.file("more.json")))
        #expect(try example.run(example.folder.file("more.json")).output == [
            "1 books added, 1 updated, 0 left out",
            "Jane Austen: Emma (1815), Persuasion (1817)", "Neil Gaiman: Good Omens (1990)", "Terry Pratchett: Good Omens (1990)",
            "4 books, 6.12 on average",
        ])
    }

    @Test func `an import says what is no input`() throws {
        let example = try Example("ExampleJSONImport")
        #expect(try example.run(input: "{}") == .init(status: 1, errors: ["json-import: this is no JSON array of objects"]))
        let missing = try example.run("/nowhere/books.json")
        #expect(missing.status == 1 && missing.errors.first?.hasPrefix("json-import: cannot read '/nowhere/books.json': ") == true, "\(missing)")
    }

    @Test func `a server answers requests that come at the same time`() throws {
        let example = try Example("ExampleRequestServer")
        let requests = """
            deposit Ann 5;deposit Ann 6;deposit Ben 1
            accounts
            transfer Ann Ben 20;balance Ben;balance Cleo;dance;deposit Ann x
            transfer Ann Cleo 4
            accounts
            """
        #expect(try example.run(input: requests + "\n").output == [
            "ok", "ok", "ok", "2 accounts with 12 in all: Ann 11, Ben 1",
            "error: Ann has 11 only", "1", "error: Cleo has no account",
            "error: say deposit NAME AMOUNT, transfer NAME OTHER AMOUNT, balance NAME or accounts", "error: 'x' is no amount",
            "ok", "3 accounts with 12 in all: Ann 7, Ben 1, Cleo 4",
        ])
        let deposits = Array(repeating: "deposit Ann 1;deposit Ben 1", count: 20).joined(separator: ";")
        #expect(try example.run(input: deposits + "\nbalance Ann; balance Ben\n").output.suffix(2) == ["27", "21"])
    }

    @Test func `two servers share one file`() throws {
        let folder = try TemporaryFolder()
        let servers = try (0..<2).map { _ in try SpawnedProcess("ExampleRequestServer", ["--file", folder.file("objects")]) }
        for server in servers { server.send(Array(repeating: "deposit Ann 1", count: 10).joined(separator: ";")) }
        for server in servers { for _ in 0..<10 { try server.expect("ok") } }
        // Each answers with what is committed: its own write brings it to the newest.
        servers[0].send("deposit Ben 1")
        try servers[0].expect("ok")
        servers[0].send("accounts")
        try servers[0].expect("2 accounts with 21 in all: Ann 20, Ben 1")
        for server in servers {
            server.endInput()
            #expect(server.wait() == .exited(0))
        }
    }
}
