import ArgumentParser
import FreeholdEngine
import FreeholdImport

/// `freehold compact`: shrinks the file to its contents.
struct CompactVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Shrink the database's file to the size of its contents.",
        discussion: """
            If no program has the database open, it is rewritten to a new file, which needs disk space for both. With \
            --in-place, or while other programs have it open, its blocks move to the beginning of the file in short transactions, \
            between which other programs can write; blocks of older versions that are still held are kept.
            """)

    @OptionGroup var database: DatabaseArgument
    @Flag(help: "Compact within the file, even if no program has it open.") var inPlace = false
    @Flag(help: "Write JSON.") var json = false

    func run() throws {
        let (report, isAnew) = try compact()
        if json {
            return try Output.standard.write(JSONObject([
                "inPlace": .bool(!isAnew), "bytesBefore": .int(Int64(clamping: report.lengthBefore)),
                "bytesAfter": .int(Int64(clamping: report.lengthAfter)), "movedBlocks": .int(Int64(report.movedBlocks)),
            ]).line)
        }
        try Output.standard.write("compacted: \(bytes(report.lengthBefore)) before, \(bytes(report.lengthAfter)) after\(isAnew ? "" : ", in place")\n")
    }

    private func bytes(_ count: UInt64) -> String { Figures.bytes(Int(clamping: count)) }

    private func compact() throws -> (CompactReport, isAnew: Bool) {
        // Read only once: the key file may be a pipe.
        var options = try database.options()
        if !inPlace {
            do { return (try Database.compactFile(at: database.database, options), true) } catch let error as FreeholdError where error.code == .inUse {
                Messages.note("other programs have the database open, so it is compacted in place")
            }
        }
        options.createIfMissing = false
        let open = try Database.open(database.database, options)
        defer { open.close() }
        let bar = ProgressBar(totalBytes: nil)
        defer { bar.clear() }
        return (try open.compact { bar.show(bytes: Int(clamping: $0), of: nil) }, false)
    }
}
