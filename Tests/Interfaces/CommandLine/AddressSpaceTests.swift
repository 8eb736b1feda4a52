import Testing

/// Programs that may have little address space (`ulimit -v`, RLIMIT_AS), as shells and batch systems give them.
@Suite struct AddressSpaceTests {
    @Test func underALimitAFileIsReadWrittenAndChecked() throws {
        let place = try Workplace()
        #expect(try place.run("key", "generate", "key").status == 0)
        try place.file("p.csv", "id,v\n" + (1...4000).map { "\($0),text \($0)\n" }.joined())
        try place.run("import", "plain", "p.csv", "--into", "P", "--primary-key", "id")
        try place.run("import", "secret", "p.csv", "--into", "P", "--primary-key", "id", "--encryption-key-file", "key")
        for (number, kilobytes) in [600_000, 1_000_000, 1_500_000].enumerated() {
            for database in ["plain", "secret --encryption-key-file key"] {
                let name = database.prefix { $0 != " " }, rest = database.dropFirst(name.count), id = 10_000 + number
                let run = try place.shell("""
                    ulimit -v \(kilobytes) && freehold add \(name) P id=\(id) v=x \(rest) && freehold count \(name) P \(rest) && freehold check \(name) \(rest)
                    """)
                #expect(run.status == 0 && run.output.contains("\n\(4001 + number)\n") && run.output.contains("clean"), "\(kilobytes), \(database): \(run)")
            }
        }
    }

    @Test func aFileTooLongForTheLimitIsRefusedInWordsThatNameIt() throws {
        let place = try Workplace()
        try place.run("import", "d", try place.file("p.csv", "id\n1\n2\n"), "--into", "P")
        let run = try place.shell("truncate -s 3G d; ulimit -v 1000000; freehold count d P")
        #expect(run.status == 1 && run.errors.contains("1000000 KiB") && run.errors.contains("ulimit -v") && run.errors.contains("3221225472 bytes"), "\(run)")
        // Without the limit nothing is wrong with it.
        #expect(try place.run("count", "d", "P").output == "2\n")
    }
}
