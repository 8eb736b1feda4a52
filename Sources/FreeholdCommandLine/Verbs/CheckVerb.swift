import ArgumentParser
import FreeholdEngine
import FreeholdImport
import FreeholdTools

/// `freehold check`: verifies the whole file.
struct CheckVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the whole file: every block, index, link and free page.",
        discussion: """
            Works while other programs read and write. Exit code 3 means that problems were found.

            Every check reports a durable version whose root was destroyed, until --acknowledge-loss acknowledges it.
            """)

    @OptionGroup var database: ReadDatabaseArgument
    @Flag(help: "Stop reporting a lost version, in all programs. Use it after restoring a backup, or to go on without that version.")
    var acknowledgeLoss = false
    @Flag(help: "Write JSON.") var json = false
    @OptionGroup var progress: ProgressArgument

    func run() throws {
        let database = try database.open(), bar = progress.bar()
        if acknowledgeLoss { try database.acknowledgeLostVersion() }
        defer { bar.clear() }
        let report = try database.check { bar.show($0.place, done: $0.done, of: $0.total) }
        bar.clear()
        if json { try writeJSON(report) } else { try writeText(report) }
        try Output.standard.flush()
        guard report.isClean else { throw Failure("\(Self.count(report)) found", code: 3) }
    }

    /// `3 problems`, `more than 1,000 problems`.
    private static func count(_ report: CheckReport) -> String {
        (report.isCutOff ? "more than " : "") + Figures.count(report.problems.count, "problem")
    }

    private func writeText(_ report: CheckReport) throws {
        for problem in report.problems { try Output.standard.write("\(DisplayText.visible("\(problem)"))\n") }
        guard report.isClean else { return }
        try Output.standard.write("clean: version \(report.version), \(report.summary)\n")
    }

    private func writeJSON(_ report: CheckReport) throws {
        let problems = report.problems.map { problem in
            JSONObject(["kind": .text(problem.kind.rawValue), "place": .text(problem.place), "message": .text(problem.message)]).value
        }
        try Output.standard.write(JSONObject([
            "clean": .bool(report.isClean), "version": .int(Int64(clamping: report.version.rawValue)),
            "classes": .int(Int64(report.classes)), "objects": .int(Int64(report.objects)), "blocks": .int(Int64(report.blocks)),
            "indexEntries": .int(Int64(report.indexEntries)), "links": .int(Int64(report.links)),
            "liveBytes": .int(Int64(clamping: report.liveBytes)), "problems": .array(problems),
        ]).line)
    }
}

extension CheckReport {
    /// What was checked: `3 classes, 12 objects, 9 blocks, 4 index entries, 2 links`.
    var summary: String {
        [
            Figures.count(classes, "class", plural: "classes"), Figures.count(objects, "object"), Figures.count(blocks, "block"),
            Figures.count(indexEntries, "index entry", plural: "index entries"), Figures.count(links, "link"),
        ].joined(separator: ", ")
    }
}
