import Foundation
import Testing

/// Texts and keys that can be read only once.
@Suite struct PipeTests {
    @Test func `a pipe without a telling name is read whole`() throws {
        let place = try Workplace()
        let texts = [("json", #"[{"a":1},{"a":2}]"#), ("lines", #"{"a":1}\n{"a":2}\n"#), ("csv", #"a,b\n1,2\n3,4\n"#), ("tsv", #"a\tb\n1\t2\n3\t4\n"#), ("control", #"A: x\n\nA: y\n"#)]
        for (name, text) in texts {
            for input in ["<(printf '\(text)')", "/dev/stdin < <(printf '\(text)')", "- < <(printf '\(text)')"] {
                let run = try place.shell("rm -rf d*; freehold import d \(input) --into P && freehold count d P")
                #expect(run.output == "2\n", "\(name) \(input): \(run.errors)")
                #expect(run.errors.contains("2 records imported"), "\(name) \(input): \(run.errors)")
            }
        }
    }

    @Test func `a named pipe is opened once`() throws {
        let place = try Workplace()
        let run = try place.shell(#"mkfifo p; (printf 'id,v\n1,x\n' > p) & freehold import d p --into P --primary-key id; wait; freehold export d P --format csv"#)
        #expect(run.output == "id,v\n1,x\n", "\(run)")
    }

    @Test func `a pipe that brings nothing is an error and makes no database`() throws {
        let place = try Workplace()
        for input in ["<(true)", "- < /dev/null", "/dev/null", "<(printf '  \\n')", "- --format json < /dev/null", "- --format csv < /dev/null"] {
            let run = try place.shell("freehold import d \(input) --into P")
            #expect(run.status == 1 && run.errors.contains("the text is empty"), "\(input): \(run)")
            #expect(!place.exists("d"))
        }
        // A class without objects, as JSON lines, is an empty text.
        #expect(try place.shell("freehold import d - --format jsonl --into P < /dev/null").errors.contains("0 records imported"))
    }

    @Test func `what is no text is refused`() throws {
        let place = try Workplace()
        for (command, word) in [("printf 'a,b\\n1,2\\n' | gzip -c", "compressed"), ("printf '\\0\\1\\2'", "zero bytes"), ("printf '\\377\\376a\\0'", "UTF-16")] {
            let run = try place.shell("\(command) > x; freehold import d x --into P")
            #expect(run.status == 1 && run.errors.contains(word), "\(run)")
            #expect(run.errors.contains("x"), "\(run)")
            #expect(!place.exists("d"))
        }
    }

    @Test func `a key that comes through a pipe is enough to compact a database that is open`() throws {
        let place = try Workplace()
        #expect(try place.run("key", "generate", "k").status == 0)
        try place.file("p.csv", "id\n1\n2\n")
        #expect(try place.run("import", "d", "p.csv", "--into", "P", "--encryption-key-file", "k").status == 0)
        let watch = try place.startAlone("watch", "d", "--encryption-key-file", "k")
        try watch.waitForErrors(containing: "watching")
        let run = try place.shell("freehold compact d --encryption-key-file <(cat k)")
        #expect(run.status == 0 && run.output.contains("in place"), "\(run)")
        watch.process.terminate()
        _ = try watch.wait()
    }

    @Test func `an import that fails leaves what another one has written to the database that it made`() throws {
        let place = try Workplace()
        #expect(try place.shell("mkfifo p").status == 0)
        let failing = try place.start("import", "d", "p", "--format", "csv", "--into", "P")
        let pipe = try FileHandle(forWritingTo: place.folder.appending(path: "p"))
        try pipe.write(contentsOf: Data("id,v\n1,x\n".utf8))
        while failing.process.isRunning, !place.exists("d") { sched_yield() }
        let other = try place.run("import", "d", try place.file("q.csv", "k\n1\n"), "--into", "Q")
        #expect(other.status == 0, "\(other)")
        try pipe.write(contentsOf: Data("1,2,3\n".utf8))
        try pipe.close()
        #expect(try failing.wait().status == 1)
        #expect(try place.run("count", "d", "Q").output == "1\n")
        #expect(try place.run("check", "d").status == 0)
    }
}
