import ArgumentParser
import FreeholdEngine

/// The database of a verb: always its first argument.
struct DatabaseArgument: ParsableArguments {
    @Argument(help: "The database's file.", completion: .file(extensions: ["freehold"]))
    var database: String

    @Option(help: "The file with the key of an encrypted database: 64 bytes, or 128 hexadecimal digits.")
    var encryptionKeyFile: KeyFile?

    /// Opens it for reading and writing.
    func open(createIfMissing: Bool = false) throws -> Database {
        var options = try options()
        options.createIfMissing = createIfMissing
        return try Database.open(database, options)
    }

    /// The options for opening it, with its key.
    func options() throws -> OpenOptions {
        var options = OpenOptions()
        options.encryptionKey = try encryptionKeyFile?.read()
        return options
    }
}

/// The database of a verb that only reads.
struct ReadDatabaseArgument: ParsableArguments {
    @OptionGroup var argument: DatabaseArgument

    @Flag(help: "Open without a lock file, as on a read-only medium. Safe only while no program writes.")
    var readOnly = false

    /// Opens it; the file must exist.
    func open() throws -> Database { try open(argument.options()) }

    private func open(_ options: OpenOptions) throws(FreeholdError) -> Database {
        var options = options
        options.createIfMissing = false
        options.readOnly = readOnly
        do {
            return try Database.open(argument.database, options)
        } catch where !readOnly && (error.code == .permissionDenied || error.code == .readOnly) {
            let hint = "; if no program writes, --read-only reads it without the lock file"
            throw FreeholdError(error.code, error.message + hint, path: error.path, systemCode: error.systemCode)
        }
    }
}
