import ArgumentParser
import FreeholdEngine
import FreeholdImport

/// `freehold backup`: one version, block by block, while others write.
struct BackupVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a verified backup of the database as it is at this moment.",
        discussion: """
            Works while others write. Every block is compared with its checksum before the backup gets its name, so a backup that \
            is there is whole. It is as large as the database; `copy` writes a compact one, which takes longer.
            """)

    @OptionGroup var database: ReadDatabaseArgument
    @Argument(help: "The backup; it must not exist.", completion: .file()) var destination: String
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
