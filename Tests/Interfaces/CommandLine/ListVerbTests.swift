import Foundation
import Testing

@Suite struct ListVerbTests {
    @Test func columnsAreAlignedByWhatTheyTakeOnATerminal() throws {
        let place = try Workplace()
        try place.file("p.csv", "id,name,n\n1,日本,10\n2,é,7\n10,\"two\nlines\u{1B}[2J\",1234\n")
        try place.run("import", "d", "p.csv", "--into", "P", "--primary-key", "id")
        #expect(try place.run("list", "d", "P").output == """
            id  name                     n
            --  --------------------  ----
             1  日本                    10
             2  é                        7
            10  two\\nlines\\u{1b}[2J  1234

            """.replacingOccurrences(of: "--------------------", with: "-------------------")
            .replacingOccurrences(of: "日本                    10", with: "日本                   10")
            .replacingOccurrences(of: "é                        7", with: "é                       7")
            .replacingOccurrences(of: "name                     n", with: "name                    n"))
    }

    @Test func limitOffsetAndColumnsChoose() throws {
        let place = try Workplace()
        try place.file("p.csv", "id,v,w\n" + (1...300).map { "\($0),a\($0),b\n" }.joined())
        try place.run("import", "d", "p.csv", "--into", "P", "--primary-key", "id")
        let some = try place.run("list", "d", "P", "--columns", "v,id", "--limit", "2", "--offset", "10")
        #expect(some.output == "v    id\n---  --\na11  11\na12  12\n")
        #expect(some.errors == "freehold: 2 of 300 objects; --limit 0 lists all\n")
        #expect(try place.run("list", "d", "P").lines.count == 102)
        #expect(try place.run("list", "d", "P", "--limit", "0").lines.count == 302)
        #expect(try place.run("list", "d", "P", "--limit", "1", "--width", "2", "--columns", "v").output == "v\n--\na1\n")
        #expect(try place.run("list", "d", "P", "--limit", "2", "--columns", "id", "--json").output == "[\n{\"id\":1},\n{\"id\":2}\n]\n")
        #expect(try place.run("list", "d", "P", "--limit", "-1").status == 64)
    }

    @Test func whoStopsReadingIsNoFailure() throws {
        let place = try Workplace()
        try place.file("p.csv", "id,v\n" + (1...50_000).map { "\($0),some text to fill the pipe\n" }.joined())
        try place.run("import", "d", "p.csv", "--into", "P", "--primary-key", "id")
        for verb in ["list d P --limit 0", "list d P --limit 0 --json", "export d P", "export d P --format csv"] {
            let run = try place.shell("freehold \(verb) | head -1")
            #expect(run.status == 141 || run.status == 0, "\(verb)")
            #expect(run.errors == "", "\(verb)")
            #expect(run.lines.count == 1)
        }
        let help = try place.shell("freehold --help | head -1")
        #expect(help.status == 141 || help.status == 0)
        #expect(help.errors == "")
        #expect(try place.run("check", "d").status == 0)
    }

    @Test func aFullDiskIsToldNotSwallowed() throws {
        let place = try Workplace()
        try place.run("import", "d", try place.file("p.csv", "id\n1\n"), "--into", "P")
        let run = try place.shell("freehold export d P > /dev/full")
        #expect(run.status == 1)
        #expect(run.errors.contains("No space left on device"))
    }
}
