import ArgumentParser
import FreeholdEngine

/// `freehold copy`: a backup while others write.
struct CopyVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Write a compact copy of the database as it is at this moment.",
        discussion: """
            Works while others write; the copy is one consistent version without free space. (Copying the file of an open \
            database with cp is no backup.) The copy of an encrypted database is encrypted under the same key, unless told \
            otherwise.
            """)

    @OptionGroup var database: ReadDatabaseArgument
    @Argument(help: "The copy; it must not exist.", completion: .file()) var destination: String

    @Option(help: "Encrypt the copy under the key in this file.") var newKeyFile: KeyFile?
    @Flag(help: "Do not encrypt the copy.") var decrypt = false

    func validate() throws {
        guard newKeyFile == nil || !decrypt else { throw ValidationError("--new-key-file and --decrypt contradict each other.") }
    }

    func run() throws {
        let key = try newKeyFile?.read()
        try database.open().copy(to: destination, encryption: decrypt ? .none : key.map { .key($0) } ?? .same)
    }
}
