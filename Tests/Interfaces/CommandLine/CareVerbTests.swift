import Foundation
import FreeholdEngine
import Testing

@Suite struct CareVerbTests {
    @Test func watchPrintsALineForEachCommitOfOthers() throws {
        let place = try Workplace()
        try place.run("import", "d", try place.file("p.csv", "id\n1\n"), "--into", "P", "--primary-key", "id")
        let watch = try place.start("watch", "d", "--json", "--count", "3")
        try watch.waitForErrors(containing: "watching")
        try place.run("add", "d", "P", "id=2")
        try place.run("add", "d", "P", "id=3")
        try place.run("delete", "d", "P", "1")
        let outcome = try watch.wait()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.count == 3, "\(outcome.output)")
        #expect(outcome.lines.last?.contains(#""name":"P","count":2"#) == true, "\(outcome.output)")
    }

    @Test func checkFindsDamageAndSaysSoByItsCode() throws {
        let place = try Workplace()
        try place.file("p.csv", "id,v\n" + (1...5000).map { "\($0),text \($0)\n" }.joined())
        try place.run("import", "d", "p.csv", "--into", "P", "--primary-key", "id")
        let clean = try place.run("check", "d")
        #expect(clean.status == 0)
        #expect(clean.output.hasPrefix("clean: version "), "\(clean.output)")
        #expect(clean.output.contains("1 class, 5,000 objects"))
        let file = try FileHandle(forUpdating: place.folder.appending(path: "d"))
        for page in 4..<12 {
            try file.seek(toOffset: UInt64(page * 4096 + 700))
            try file.write(contentsOf: Data(repeating: 0xA5, count: 600))
        }
        try file.close()
        let damaged = try place.run("check", "d")
        #expect(damaged.status == 3, "\(damaged)")
        #expect(damaged.errors.hasPrefix("freehold: error: "))
    }

    @Test func salvageBringsWhatIsWholeAndListsTheRest() throws {
        let place = try Workplace()
        try place.file("p.csv", "id,v\n" + (1...5000).map { "\($0),text \($0)\n" }.joined())
        try place.run("import", "d", "p.csv", "--into", "P", "--primary-key", "id")
        let whole = try place.run("salvage", "d", "whole")
        #expect(whole.status == 0, "\(whole)")
        #expect(whole.output.contains("salvaged: 5,000 objects"), "\(whole.output)")
        let file = try FileHandle(forUpdating: place.folder.appending(path: "d"))
        for page in [0, 1, 2, 3, 6, 9] {
            try file.seek(toOffset: UInt64(page * 4096))
            try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        }
        try file.close()
        let run = try place.run("salvage", "d", "rescued", "--json")
        #expect(run.status == 3, "\(run)")
        #expect(run.output.hasPrefix(#"{"complete":false,"#), "\(run.output)")
        #expect(try place.run("check", "rescued").status == 0)
        #expect(try place.run("salvage", "d", "rescued").status == 1)
        #expect(try place.names().allSatisfy { !$0.contains("unfinished") })
    }

    @Test func salvageOfAForeignFileSaysSoAndMakesNone() throws {
        let place = try Workplace()
        let run = try place.run("salvage", try place.file("notes.txt", String(repeating: "A text.\n", count: 2000)), "rescued")
        #expect(run.status == 1 && run.errors.contains("no part of a Freehold database was found in this file"), "\(run)")
        #expect(try place.names() == ["notes.txt"])
    }

    @Test func salvageOfADeviceOrPipeIsRefused() throws {
        let place = try Workplace()
        #expect(try place.shell("mkfifo p").status == 0)
        for name in ["/dev/null", "p"] {
            let run = try place.run("salvage", name, "rescued")
            #expect(run.status == 1 && run.errors.contains("'\(name)' is a device, pipe or socket; a database is a regular file"), "\(run)")
        }
        #expect(try place.names() == ["p"])
    }

    @Test func backupAndCompactLeaveTheSameObjects() throws {
        let place = try Workplace()
        try place.file("p.csv", "id,v\n" + (1...3000).map { "\($0),text \($0)\n" }.joined())
        try place.run("import", "d", "p.csv", "--into", "P", "--primary-key", "id")
        #expect(try place.shell("freehold delete d P $(seq 1 2000)").status == 0)
        let backup = try place.run("backup", "d", "b", "--json")
        #expect(backup.status == 0 && backup.output.hasPrefix(#"{"version":"#), "\(backup)")
        #expect(try place.run("check", "b").status == 0)
        let inPlace = try place.run("compact", "b", "--in-place", "--json")
        #expect(inPlace.status == 0 && inPlace.output.hasPrefix(#"{"inPlace":true,"#), "\(inPlace)")
        let anew = try place.run("compact", "d")
        #expect(anew.status == 0 && anew.output.hasPrefix("compacted: "), "\(anew)")
        for file in ["b", "d"] {
            #expect(try place.run("check", file).status == 0)
            #expect(try place.run("count", file, "P").output == "1000\n")
        }
    }

    @Test func infoTellsTheVersionAndItsHolders() throws {
        let place = try Workplace()
        try place.run("import", "d", try place.file("p.csv", "id\n1\n"), "--into", "P")
        let run = try place.run("info", "d")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("version"))
        #expect(try place.run("info", "d", "--json").output.hasPrefix("{"))
    }

    @Test func infoTellsByWhatNumberProgramsCountTheirClasses() throws {
        let place = try Workplace()
        try place.run("import", "d", try place.file("p.csv", "id\n1\n"), "--into", "P")
        #expect(try !place.run("info", "d").output.contains("schema"))
        #expect(try place.run("info", "d", "--json").output.contains(#""schemaVersion":null,"#))
        try Database.open(place.folder.appending(path: "d").path).write { try $0.setSchemaVersion(17) }
        #expect(try place.run("info", "d").output.contains("version 17, as programs count\n"))
        #expect(try place.run("info", "d", "--json").output.contains(#""schemaVersion":17,"#))
    }

    @Test func aMissingDatabaseIsNotMade() throws {
        let place = try Workplace()
        for verb in [["classes", "d"], ["count", "d", "P"], ["info", "d"], ["check", "d"], ["copy", "d", "e"], ["add", "d", "P", "v=1"]] {
            let run = try place.shell("freehold \(verb.joined(separator: " "))")
            #expect(run.status == 1, "\(verb)")
            #expect(run.errors.hasPrefix("freehold: error: "), "\(verb): \(run.errors)")
            #expect(run.errors.contains("d"))
        }
        #expect(try place.names() == [])
    }

    @Test func whatIsNoDatabaseIsRefusedAndLeftAlone() throws {
        let place = try Workplace()
        let text = String(repeating: "This is no database. ", count: 1000)
        try place.file("d", text)
        let run = try place.run("classes", "d")
        #expect(run.status == 1)
        #expect(try place.text("d") == text)
    }

    @Test("info shows what each class and property uses, and the parts make up the whole")
    func infoShowsWhatIsUsed() throws {
        let place = try Workplace()
        try place.file("p.jsonl", (1...500).map { "{\"id\": \($0), \"name\": \"name \($0)\"}\n" }.joined())
        #expect(try place.run("import", "d", "p.jsonl", "--into", "P", "--primary-key", "id").status == 0)
        let lines = try place.run("info", "d", "--sizes").output.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("class ") && $0.hasSuffix("long values  collections  index") }, "\(lines)")
        for row in ["P ", "     name ", "     keys and structure ", "all pages in use "] {
            #expect(lines.contains { $0.contains(row) }, "\(row)")
        }
        let json = try JSONSerialization.jsonObject(with: Data(place.run("info", "d", "--sizes", "--json").output.utf8))
        let object = try #require(json as? [String: Any]), space = try #require(object["space"] as? [String: Any])
        #expect(space["usedBytes"] as? Int == object["usedBytes"] as? Int)
        let classes = try #require(space["classes"] as? [[String: Any]])
        let parts = ["schemaBytes", "spaceMapBytes", "headerBytes", "otherBytes", "unusedBytes"].compactMap { space[$0] as? Int }
        #expect((parts + classes.compactMap { $0["bytes"] as? Int }).reduce(0, +) == space["usedBytes"] as? Int)
        let properties = try #require(classes.first?["properties"] as? [[String: Any]])
        #expect(properties.map { $0["name"] as? String } == ["id", "name"])
        #expect(try !place.run("info", "d", "--json").output.contains("space"))
    }
}
