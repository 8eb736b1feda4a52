import ArgumentParser
import FreeholdEngine
import FreeholdImport

/// `freehold backup`: copies one version, block by block, while other programs write.
struct BackupVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a verified backup of the current version of the database.",
        discussion: """
            Works while other programs write. Every block is verified against its checksum before the backup gets its name, so \
            an existing backup is complete. It is as large as the database; `copy` writes a compact copy, which takes longer.
            """)

    @OptionGroup var database: ReadDatabaseArgument
    @Argument(help: "Path of the backup; it must not exist.", completion: .file()) var destination: String
    @Flag(help: "Write JSON.") var json = false

    func run() throws {
        let bar = ProgressBar(totalBytes: nil)
        let report = try database.open().backup(to: destination) { done, total in bar.show(bytes: Int(clamping: done), of: Int(clamping: total)) }
        bar.clear()
        if json {
            return try Output.standard.write(JSONObject([
                "version": .int(Int64(clamping: report.version.rawValue)), "copiedBytes": .int(Int64(clamping: report.copiedBytes)),
                "fileBytes": .int(Int64(clamping: report.fileLength)),
            ]).line)
        }
        try Output.standard.write("backed up: version \(report.version), \(Figures.bytes(Int(clamping: report.copiedBytes)))\n")
    }
}
