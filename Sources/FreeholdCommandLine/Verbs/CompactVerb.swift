import ArgumentParser
import FreeholdEngine
import FreeholdImport

/// `freehold compact`: a file as small as what it holds.
struct CompactVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Make the database's file as small as what it holds.",
        discussion: """
            While no program has the database open it is written anew, which needs room for the new file beside the old one. \
            With --in-place, or while others have it open, everything is moved to the beginning of the file in short \
            transactions, between which others write; what old versions that are still held need stays.
            """)

    @OptionGroup var database: DatabaseArgument
    @Flag(help: "Move what the file holds within it, even if nobody has it open.") var inPlace = false
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
        // Read once: the file of the key may be a pipe.
        var options = try database.options()
        if !inPlace {
            do { return (try Database.compactFile(at: database.database, options), true) } catch let error as FreeholdError where error.code == .inUse {
                Messages.note("others have the database open, so it is compacted in place")
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
