import ArgumentParser
import FreeholdEngine

/// `freehold key`: making keys.
struct KeyVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Make encryption keys.", subcommands: [KeyGenerateVerb.self])
}

/// `freehold key generate`: a new key in a file.
struct KeyGenerateVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Write a new encryption key to a file that only you can read.",
        discussion: "Keep a copy of it where the database's copies are not: without its key an encrypted database is lost.")

    @Argument(help: "The key file; it must not exist.") var file: KeyFile
    @Flag(name: .customLong("hex"), help: "Write 128 hexadecimal digits rather than 64 bytes.") var hexadecimal = false

    func run() throws { try file.generate(hexadecimal: hexadecimal) }
}

/// `freehold rekey`: another key for the same file.
struct RekeyVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey", abstract: "Change the key of an encrypted database.",
        discussion: """
            Takes no time, and programs that have the database open go on. What is encrypted stays as it is: who knew the old \
            key and kept an old copy of the file can still read it. Where the old key has become known, make a copy under a \
            new one instead (freehold copy --new-key-file).
            """)

    @OptionGroup var database: DatabaseArgument
    @Option(help: "The file with the new key.") var newKeyFile: KeyFile

    func run() throws {
        let key = try newKeyFile.read()
        let database = try database.open()
        defer { database.close() }
        try database.changeKey(to: key)
    }
}
