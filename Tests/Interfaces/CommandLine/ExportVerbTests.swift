import Foundation
import Testing

@testable import FreeholdCommandLine

@Suite struct ExportVerbTests {
    private func filled(_ rows: Int = 50_000) throws -> Workplace {
        let place = try Workplace()
        try place.file("p.csv", "id,v\n" + (1...rows).map { "\($0),text \($0)\n" }.joined())
        let run = try place.run("import", "d", "p.csv", "--into", "P", "--primary-key", "id")
        #expect(run.status == 0, "\(run)")
        return place
    }

    @Test func `an export that was killed leaves nothing`() throws {
        let place = try filled()
        // The system ends it in the middle of its work: the file may not be as long.
        let run = try place.shell("(ulimit -f 300; exec env --default-signal=XFSZ '\(Workplace.program.path)' export d P -o x.csv)")
        #expect(run.status == 128 + SIGXFSZ, "\(run)")
        #expect(try place.names().filter { $0.hasPrefix("x.csv") } == [])
        #expect(try place.run("check", "d").status == 0)
    }

    @Test func `an unfinished file is taken over by the next export, and not by one beside it`() throws {
        let place = try Workplace()
        let path = place.folder.appending(path: "x.csv").path
        try place.file("x.csv.unfinished", "left by a killed program")
        let first = try OutputFile(path, hasName: true)
        #expect(throws: Failure.self) { try OutputFile(path, hasName: true) }
        try first.output.write("whole\n")
        try first.finish()
        #expect(try place.text("x.csv") == "whole\n")
        let second = try OutputFile(path, hasName: true)
        try second.output.write("other\n")
        second.discard()
        #expect(try place.text("x.csv") == "whole\n")
        #expect(try place.names() == ["x.csv"])
    }

    @Test func `a file that is there is replaced when the new one is whole`() throws {
        let place = try Workplace()
        let path = place.folder.appending(path: "x.csv").path
        try place.file("x.csv", "old\n")
        try place.file("x.csv.unfinished", "left by a killed program")
        let file = try OutputFile(path)
        try file.output.write("new\n")
        try file.output.flush()
        #expect(try place.text("x.csv") == "old\n")
        try file.finish()
        #expect(try place.text("x.csv") == "new\n")
        #expect(try place.names() == ["x.csv"])
        try FileManager.default.createSymbolicLink(atPath: place.folder.appending(path: "link").path, withDestinationPath: "x.csv")
        let linked = try OutputFile(place.folder.appending(path: "link").path)
        try linked.output.write("by the link\n")
        try linked.finish()
        #expect(try place.text("x.csv") == "by the link\n")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place.folder.appending(path: "link").path) == "x.csv")
    }

    @Test func `pipes and devices are written to and stay what they are`() throws {
        let place = try filled(10)
        let run = try place.shell("""
            mkfifo p; (cat p > copy) & freehold export d P --format csv -o p && wait $! && test -p p && wc -l < copy
            freehold export d P --format csv -o /dev/stdout | tail -1; ln -s /dev/null null; freehold export d P -o null && test -c null && ls
            """)
        #expect(run.output.hasPrefix("11\n10,text 10\n"), "\(run)")
        #expect(!run.output.contains("unfinished") && !run.output.contains("partial"), "\(run)")
        #expect(try place.run("export", "d", "P", "-o", ".").errors.contains("Is a directory"))
    }

    @Test(arguments: ["csv", "tsv"])
    func `lists come back from CSV as they were`(format: String) throws {
        let place = try Workplace()
        try place.file("a.json", #"[{"id":1,"tags":["a,b","c\"d","e\tf"],"n":[1,2]},{"id":2,"tags":[],"n":[]}]"#)
        #expect(try place.run("import", "a", "a.json", "--into", "T", "--primary-key", "id").status == 0)
        #expect(try place.run("export", "a", "T", "-o", "t.\(format)").status == 0)
        #expect(try place.run("import", "b", "a.json", "--into", "T", "--primary-key", "id").status == 0)
        #expect(try place.run("delete", "b", "T", "1", "2").status == 0)
        let run = try place.run("import", "b", "t.\(format)", "--into", "T")
        #expect(run.status == 0, "\(run)")
        #expect(try place.run("export", "b", "T").output == place.run("export", "a", "T").output)
    }

    @Test func `export, import and check tell their progress where it is asked for, and not elsewhere`() throws {
        let place = try filled()
        #expect(try place.run("export", "d", "P", "-o", "x.csv").errors == "")
        #expect(try place.run("check", "d").errors == "")
        let export = try place.run("export", "d", "P", "-o", "x.csv", "--progress")
        #expect(export.errors.hasSuffix("objects: 100 %  50,000 of 50,000\n"), "\(export.errors)")
        let check = try place.run("check", "d", "--progress")
        #expect(check.status == 0 && check.errors.contains(" %  ") && check.output.hasPrefix("clean: "), "\(check)")
        let imported = try place.run("import", "e", "p.csv", "--into", "P", "--progress")
        #expect(imported.errors.contains("[################] 100 %"), "\(imported.errors)")
        #expect(try place.run("export", "e", "P", "--format", "csv").output == place.text("p.csv"))
    }

    @Test func `the bar is one line on a terminal and lines elsewhere`() {
        var told = ""
        let terminal = ProgressBar(totalBytes: nil, isTerminal: true) { told += $0 }
        terminal.show("P", done: 1, of: 4)
        terminal.show("P", done: 2, of: 4)
        terminal.clear()
        #expect(told == "\r\u{1B}[KP: 25 %  1 of 4\r\u{1B}[K")
        told = ""
        let lines = ProgressBar(totalBytes: nil, isForced: true, isTerminal: false) { told += $0 }
        lines.show("P", done: 1, of: 4)
        lines.show("P", done: 4, of: 4)
        lines.clear()
        #expect(told == "P: 25 %  1 of 4\nP: 100 %  4 of 4\n")
        ProgressBar(totalBytes: nil, isTerminal: false) { _ in Issue.record("nobody asked") }.show("P", done: 1, of: 2)
    }
}
