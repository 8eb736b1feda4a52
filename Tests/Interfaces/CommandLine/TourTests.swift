import Testing

@Suite struct TourTests {
    @Test func theTourShowsSeveralProgramsOnOneFileAndFindsItWhole() throws {
        let place = try Workplace()
        try place.file("packages", (0..<200).map { number in
            "Package: p\(number)\nVersion: 1.\(number)\nSection: s\(number % 7)\nInstalled-Size: \(number)\n"
                + "Depends: p\(number / 2) (>= 1), p\(number / 3) | other, virtual\nDescription: number \(number)\n more\n"
        }.joined(separator: "\n"))
        let run = try place.shell("TMPDIR=$PWD freehold tour --data packages --seconds 1 --kills 4")
        #expect(run.status == 0, "\(run.errors) \(run.output)")
        #expect(run.output.contains("200 packages, 7 sections, 400 dependencies"), "\(run.output)")
        #expect(run.output.contains("4 killed"), "\(run.output)")
        #expect(run.output.contains("all present"), "\(run.output)")
        #expect(run.output.contains(": clean."), "\(run.output)")
        for member in ["writer", "reader 1", "reader 2", "reader 3", "watcher"] { #expect(run.output.contains("     \(member) ")) }
        #expect(try place.names() == ["packages"])
    }

    @Test func theTourLeavesItsDatabaseWhereAsked() throws {
        let place = try Workplace()
        try place.file("packages", "Package: only\nVersion: 1\n")
        let run = try place.shell("TMPDIR=$PWD freehold tour --data packages --seconds 0.2 --kills 0 --keep")
        #expect(run.status == 0, "\(run.errors)")
        let listed = try place.shell("freehold list freehold-tour-*/packages.freehold Package --columns name,section")
        #expect(listed.output == "name  section\n----  -------\nonly  unknown\n", "\(listed.output) \(listed.errors)")
    }

    @Test func aListWithoutPackagesIsToldNotToured() throws {
        let place = try Workplace()
        let run = try place.run("tour", "--data", try place.file("empty", "\n\n"))
        #expect(run.status == 1)
        #expect(run.errors == "freehold: error: empty lists no package\n")
    }
}
