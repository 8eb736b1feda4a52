import ArgumentParser
import FreeholdEngine

/// `freehold copy`: a backup while others write.
struct CopyVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Write a compact copy of the database as it is at this moment.",
        discussion: """
            Works while others write; the copy is one consistent version without free space. (Copying the file of an open \
            database with cp is no backup.)
            """)

    @OptionGroup var database: ReadDatabaseArgument
    @Argument(help: "The copy; it must not exist.", completion: .file()) var destination: String

    func run() throws { try database.open().copy(to: destination) }
}
