import ArgumentParser
import FreeholdEngine

/// `freehold key`: creates keys.
struct KeyVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Create encryption keys.", subcommands: [KeyGenerateVerb.self])
}

/// `freehold key generate`: writes a new key to a file.
struct KeyGenerateVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Write a new encryption key to a file that only you can read.",
        discussion: "Keep a copy of the key apart from copies of the database. Without its key, an encrypted database is lost.")

    @Argument(help: "Path of the key file; it must not exist.") var file: KeyFile
    @Flag(name: .customLong("hex"), help: "Write 128 hexadecimal digits rather than 64 bytes.") var hexadecimal = false

    func run() throws { try file.generate(hexadecimal: hexadecimal) }
}

/// `freehold rekey`: changes the key of a file.
struct RekeyVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey", abstract: "Change the key of an encrypted database.",
        discussion: """
            Takes no time, and programs that have the database open continue. The data is not encrypted again: a person who has the old \
            key and an old copy of the file can still read that copy. If the old key has leaked, write a copy encrypted with a \
            new key instead (freehold copy --new-key-file).
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
