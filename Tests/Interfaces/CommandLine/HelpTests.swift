import Testing

@Suite struct HelpTests {
    private static let verbs = [
        "import", "classes", "schema", "count", "list", "query", "search", "get", "add", "set", "delete", "export", "info", "check", "copy", "backup", "compact", "rebuild", "salvage", "watch", "rekey",
        "browse", "sync",
    ]

    @Test(arguments: verbs)
    func everyVerbExplainsItselfAndTakesTheDatabaseFirst(verb: String) throws {
        let run = try Workplace().run(verb, "--help")
        #expect(run.status == 0)
        #expect(run.errors == "")
        #expect(run.output.hasPrefix("OVERVIEW: "))
        let usage = run.output.split(separator: "\n").first { $0.hasPrefix("USAGE: ") } ?? ""
        let arguments = usage.split(separator: " ").drop { $0 != verb[...] }.dropFirst().filter { $0.hasPrefix("<") }
        #expect(["<database>", "<databases>"].contains(arguments.first ?? ""), "\(usage)")
    }

    @Test func theProgramListsItsVerbs() throws {
        let run = try Workplace().run("--help")
        #expect(run.status == 0)
        for verb in Self.verbs { #expect(run.output.contains("  \(verb) "), "\(verb)") }
        #expect(try Workplace().run("--version").output == "0.1.0\n")
    }

    @Test func aCommandLineThatMakesNoSenseHasACodeOfItsOwn() throws {
        let place = try Workplace()
        for line in ["frobnicate", "count", "list d", "import d -", "set d P", "list d P --limit many", "watch d --count 0",
                     "browse", "browse d --port 65536", "browse d --port 1 --socket s", "sync",
                     "sync d --once --stop", "sync d --token-file t", "sync d http://h --stop"] {
            let run = try place.shell("freehold \(line)")
            #expect(run.status == 64, "\(line)")
            #expect(run.output == "", "\(line)")
            #expect(run.errors.hasPrefix("freehold: error: "), "\(line): \(run.errors)")
        }
    }
}
