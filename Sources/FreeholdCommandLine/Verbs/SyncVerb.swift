import ArgumentParser

/// `freehold sync`: starts `freehold-sync`, a program of its own, because it needs a network stack.
struct SyncVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Keep a database in sync with a server.",
        discussion: """
            Starts freehold-sync, which lies beside this program or on the PATH. The server's address and the token's file are kept in the \
            database: without a URL it goes on with those. Ends at Ctrl-C; another agent at the same database waits until then.
            """)

    @Argument(help: "The database's file.", completion: .file(extensions: ["freehold"])) var database: String
    @Argument(help: ArgumentHelp("The server's address.", valueName: "url")) var server: String?
    @Option(help: ArgumentHelp("The file with the token that the server asks for.", valueName: "file"), completion: .file())
    var tokenFile: String?
    @Flag(help: "Exchange until nothing is pending and nothing is new, then end.") var once = false
    @Flag(help: "Print how the sync goes and what was lost, and end.") var status = false
    @Flag(help: "Let no agent sync the database until a URL is given again, and end.") var stop = false
    @Option(help: "The file with the key of an encrypted database: 64 bytes, or 128 hexadecimal digits.") var encryptionKeyFile: KeyFile?

    func validate() throws {
        if [once, status, stop].count(where: { $0 }) > 1 { throw ValidationError("--once, --status and --stop exclude each other") }
        if tokenFile != nil, server == nil { throw ValidationError("--token-file is given with a URL") }
        if stop, server != nil { throw ValidationError("--stop and a URL contradict each other") }
    }

    func run() throws {
        guard let agent = SiblingProgram("freehold-sync") else {
            throw Failure("freehold-sync is neither beside freehold nor on the PATH; build it in Freehold's sources: "
                + "swift build --package-path Services -c release --product freehold-sync (docs/sync.md)")
        }
        throw agent.replaceThisProcess(arguments)
    }

    private var arguments: [String] {
        var arguments = [database.hasPrefix("-") ? "./\(database)" : database]
        if let server { arguments += ["--server", server] }
        if let tokenFile { arguments += ["--token-file", tokenFile] }
        if once { arguments.append("--once") }
        if status { arguments.append("--status") }
        if stop { arguments.append("--stop") }
        if let encryptionKeyFile { arguments += ["--encryption-key-file", encryptionKeyFile.path] }
        return arguments
    }
}
