import ArgumentParser
import FreeholdEngine

/// `freehold copy`: a compact copy while other programs write.
struct CopyVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Write a compact copy of the current version of the database.",
        discussion: """
            Works while other programs write; the copy is one consistent version without free space. (Copying the file of an open \
            database with cp is not a backup.) The copy of an encrypted database is encrypted with the same key, unless told \
            otherwise.
            """)

    @OptionGroup var database: ReadDatabaseArgument
    @Argument(help: "Path of the copy; it must not exist.", completion: .file()) var destination: String

    @Option(help: "Encrypt the copy with the key in this file.") var newKeyFile: KeyFile?
    @Flag(help: "Do not encrypt the copy.") var decrypt = false

    func validate() throws {
        guard newKeyFile == nil || !decrypt else { throw ValidationError("--new-key-file and --decrypt contradict each other.") }
    }

    func run() throws {
        let key = try newKeyFile?.read()
        try database.open().copy(to: destination, encryption: decrypt ? .none : key.map { .key($0) } ?? .same)
    }
}
