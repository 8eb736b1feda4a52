import Foundation
import Testing

/// `freehold browse`, with scripts in place of the program that it starts.
@Suite struct BrowseVerbTests {
    /// A folder with a copy of the program, beside which a script may be put.
    private func place() throws -> Workplace {
        let place = try Workplace()
        // A child copies it: a descriptor that writes here would be open in children begun meanwhile, and the copy too busy to start.
        #expect(try place.shell("cp '\(Workplace.program.path)' freehold").status == 0)
        try FileManager.default.createDirectory(at: place.folder.appending(path: "bin"), withIntermediateDirectories: true)
        return place
    }

    private func script(_ name: String, _ text: String, in place: Workplace, isProgram: Bool = true) throws {
        try place.file(name, "#!/bin/bash\n\(text)\n")
        if isProgram { #expect(try place.shell("chmod +x \(name)").status == 0) }
    }

    private static let arguments = "'a b.freehold' --write --port 8080 --encryption-key-file 'k f' --idle-seconds 0"
    private static let printed = #"printf '%s|' "$(basename $(dirname $0))" "$@""#

    @Test("the browser beside the program is started with the same arguments, before one on the PATH")
    func theBrowserBesideIsStarted() throws {
        let place = try place()
        try script("freehold-browse", "echo beside; \(Self.printed)", in: place)
        try script("bin/freehold-browse", "echo path; \(Self.printed)", in: place)
        let run = try place.shell("PATH=$PWD/bin:$PATH ./freehold browse \(Self.arguments)")
        let words = ["a b.freehold", "--write", "--port", "8080", "--encryption-key-file", "k f", "--idle-seconds", "0"]
        #expect(run.status == 0 && run.errors == "" && run.output.hasPrefix("beside\n"), "\(run)")
        #expect(run.output.split(separator: "|").dropFirst().map(String.init) == words, "\(run)")
    }

    @Test("the sync agent is started with the same arguments, and named if it is missing")
    func theAgentIsStarted() throws {
        let place = try place()
        let missing = try place.shell("PATH=/bin ./freehold sync d")
        #expect(missing.status == 1 && missing.errors.contains("freehold-sync is neither beside freehold"), "\(missing)")
        try script("freehold-sync", Self.printed, in: place)
        let run = try place.shell("./freehold sync 'a b.freehold' https://h:1 --token-file 't f' --once --encryption-key-file k")
        let words = ["a b.freehold", "--server", "https://h:1", "--token-file", "t f", "--once", "--encryption-key-file", "k"]
        #expect(run.output.split(separator: "|").dropFirst().map(String.init) == words, "\(run)")
        #expect(try place.shell("./freehold sync -- -d").output.hasSuffix("|./-d|"))
    }

    @Test("a browser on the PATH is started if none lies beside the program")
    func aBrowserOnThePathIsStarted() throws {
        let place = try place()
        // Neither a folder of that name nor a file that is no program.
        try FileManager.default.createDirectory(at: place.folder.appending(path: "freehold-browse"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(at: place.folder.appending(path: "text"), withIntermediateDirectories: true)
        try script("text/freehold-browse", "", in: place, isProgram: false)
        try script("bin/freehold-browse", Self.printed, in: place)
        let run = try place.shell("PATH=$PWD/text::/none:$PWD/bin:$PATH ./freehold browse -- -d")
        #expect(run.status == 0 && run.errors == "" && run.output == "bin|./-d|", "\(run)")
        // The same through a link to the program.
        let linked = try place.shell("ln -s ../freehold bin/f && PATH=$PWD/bin:$PATH bin/f browse d --socket s")
        #expect(linked.output == "bin|d|--socket|s|", "\(linked)")
    }

    @Test("the browser takes the place of the program, and ignores no signal")
    func theBrowserTakesThePlace() throws {
        let place = try place()
        try script("freehold-browse", "echo $$; grep SigIgn /proc/self/status; exit 7", in: place)
        let run = try place.shell("./freehold browse d & echo $!; wait $!")
        let lines = run.output.split(separator: "\n").map(String.init).sorted()
        // The shell itself lets a program in the background ignore SIGINT and SIGQUIT.
        let ignored = UInt64(lines.last?.split(separator: "\t").last ?? "", radix: 16)
        #expect(run.status == 7 && lines.count == 3 && lines[0] == lines[1] && ignored.map { $0 & (1 << 12) } == 0, "\(run)")
    }

    @Test("without a browser the error says how to get it")
    func withoutABrowserTheErrorSaysSo() throws {
        let run = try place().shell("PATH=/none ./freehold browse d")
        #expect(run.status == 1 && run.output == "")
        #expect(run.errors == "freehold: error: freehold-browse is neither beside freehold nor on the PATH; tools/browse in Freehold's "
            + "sources builds and starts it (docs/browser.md)\n")
    }

    @Test("a browser that cannot be started is an error with its path")
    func aBrowserThatCannotBeStartedIsAnError() throws {
        let place = try place()
        try place.file("freehold-browse", "#!/none/such\n")
        #expect(try place.shell("chmod +x freehold-browse").status == 0)
        let run = try place.shell("./freehold browse d")
        #expect(run.status == 1 && run.errors.hasSuffix("freehold-browse cannot be started: No such file or directory\n"), "\(run)")
    }
}
