import Foundation
import Testing

/// `freehold watch`, while other processes change the file.
@Suite struct WatchVerbTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        let people = try place.file("p.csv", "id,name,age\n1,Ada,36\n2,Ben,20\n3,Cleo,51\n")
        #expect(try place.run("import", "d", people, "--into", "P", "--primary-key", "id").status == 0)
    }

    /// The lines of a JSON watch without their times.
    private func lines(_ outcome: Outcome) throws -> [[String: Any]] {
        try outcome.lines.map { line in
            var object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect((object.removeValue(forKey: "time") as? String)?.hasSuffix("Z") == true)
            return object
        }
    }

    private func members(_ value: Any?, _ name: String) -> [Int] { (value as? [[String: Any]] ?? []).compactMap { $0[name] as? Int } }

    @Test func aQuerysChangesAreToldByPosition() throws {
        let watch = try place.start("watch", "d", "P", "age > 30 SORT(age ASC)", "--json", "--count", "4")
        try watch.waitForErrors(containing: "watching 2 objects of P")
        try place.run("add", "d", "P", "id=4", "name=Dora", "age=40")
        try watch.waitForLines(1)
        try place.run("set", "d", "P", "1", "name=Adele")
        try watch.waitForLines(2)
        // Ben is below the limit, and nothing is told of him.
        try place.run("set", "d", "P", "2", "age=21")
        try place.run("set", "d", "P", "1", "age=60")
        try watch.waitForLines(3)
        try place.run("delete", "d", "P", "3")
        let outcome = try watch.wait()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let told = try lines(outcome)
        try #require(told.count == 4)
        #expect(told.map { $0["count"] as? Int } == [3, 3, 3, 2])
        #expect(members(told[0]["insertions"], "index") == [1] && members(told[0]["insertions"], "key") == [4])
        #expect(((told[0]["insertions"] as? [[String: Any]])?[0]["object"] as? [String: Any])?["name"] as? String == "Dora")
        #expect(members(told[1]["modifications"], "index") == [0] && members(told[1]["modifications"], "newIndex") == [0])
        #expect(members(told[2]["deletions"], "index") == [0] && members(told[2]["insertions"], "index") == [2])
        #expect(members(told[3]["deletions"], "key") == [3] && members(told[3]["deletions"], "index") == [1])
    }

    @Test func textTellsTheSameInLines() throws {
        let watch = try place.start("watch", "d", "P", "age > 30", "--count", "1")
        try watch.waitForErrors(containing: "watching")
        try place.run("add", "d", "P", "id=4", "name=Dora", "age=40")
        let outcome = try watch.wait()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.count == 2 && outcome.lines[0].hasSuffix("  3 objects"), "\(outcome.output)")
        #expect(outcome.lines.last == "  + 2  id=4  name=Dora  age=40")
    }

    @Test func groupsAreToldByTheirValues() throws {
        let watch = try place.start("watch", "d", "P", "GROUP(name) SELECT(@count, age.@max)", "--json", "--count", "1")
        try watch.waitForErrors(containing: "watching 3 groups of P")
        try place.run("set", "d", "P", "2", "age=70")
        let outcome = try watch.wait()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains(#""modifications":[{"index":1,"values":["Ben"],"figures":[1,70]}]"#), "\(outcome.output)")
    }

    @Test func commitsTellHowManyObjectsCameWentAndChanged() throws {
        let watch = try place.start("watch", "d", "--count", "2")
        try watch.waitForErrors(containing: "watching")
        try place.run("set", "d", "P", "2", "age=70")
        try watch.waitForLines(1)
        try place.run("delete", "d", "P", "2")
        let outcome = try watch.wait()
        #expect(outcome.lines.map { $0.components(separatedBy: "Z").last } == ["  P 3 (~1)", "  P 2 (-1)"], "\(outcome.output)")
    }

    @Test func anInterruptEndsItCleanly() throws {
        let watch = try place.startAlone("watch", "d", "P")
        defer { if watch.process.isRunning { kill(watch.process.processIdentifier, SIGKILL) } }
        try watch.waitForErrors(containing: "watching 3 objects of P")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.appending(path: "d.management").path).count == 1)
        try place.run("add", "d", "P", "id=9", "name=Eve", "age=1")
        try watch.waitForLines(2)
        watch.process.interrupt()
        let outcome = try watch.wait()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.count == 2)
        #expect(!place.exists("d.management") && !place.exists("d.lock"))
    }

    @Test func whatCannotBeWatchedIsSaidInWords() throws {
        for (arguments, words) in [(["P", "ages > 3"], "'ages'"), (["Q"], "'Q'"), (["P", "age >"], "column")] {
            let outcome = try place.shell("freehold watch d " + arguments.map { "'\($0)'" }.joined(separator: " "))
            #expect(outcome.status == 1 && outcome.output.isEmpty, "\(arguments): \(outcome)")
            #expect(outcome.errors.hasPrefix("freehold: error: ") && outcome.errors.contains(words), "\(outcome.errors)")
        }
    }

    @Test func nobodyReadingEndsIt() throws {
        let outcome = try place.shell("""
            freehold watch d P | true
            exit "${PIPESTATUS[0]}"
            """)
        #expect(outcome.status == 141, "\(outcome)")
    }
}
