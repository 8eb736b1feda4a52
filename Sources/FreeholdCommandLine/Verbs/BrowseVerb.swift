import ArgumentParser

/// `freehold browse`: starts `freehold-browse`, a program of its own, because it needs a network stack.
struct BrowseVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Show a database in the web browser.",
        discussion: """
            Starts freehold-browse, which lies beside this program or on the PATH, with the same arguments. It prints a link to open \
            in the browser and serves the page until it is interrupted. The page shows the objects, follows commits of other programs, \
            and changes objects with --write.
            """)

    @Argument(help: "The database's file.", completion: .file(extensions: ["freehold"])) var database: String
    @Flag(help: "Let the page change objects.") var write = false
    @Option(help: ArgumentHelp("The port on this machine. Default: a free one.", valueName: "number")) var port: UInt16?
    @Option(help: ArgumentHelp("Listen on this Unix socket instead of a port.", valueName: "path"), completion: .file()) var socket: String?
    @Option(help: "The file with the key of an encrypted database: 64 bytes, or 128 hexadecimal digits.") var encryptionKeyFile: KeyFile?
    @Flag(help: "Print the link without opening the web browser.") var noOpen = false

    func validate() throws {
        if port != nil, socket != nil { throw ValidationError("--port and --socket contradict each other") }
    }

    func run() throws {
        guard let browser = SiblingProgram("freehold-browse") else {
            throw Failure("freehold-browse is neither beside freehold nor on the PATH; tools/browse in Freehold's sources builds and "
                + "starts it (docs/browser.md)")
        }
        throw browser.replaceThisProcess(arguments)
    }

    private var arguments: [String] {
        var arguments = [database.hasPrefix("-") ? "./\(database)" : database]
        if write { arguments.append("--write") }
        if let port { arguments += ["--port", "\(port)"] }
        if let socket { arguments += ["--socket", socket] }
        if let encryptionKeyFile { arguments += ["--encryption-key-file", encryptionKeyFile.path] }
        if noOpen { arguments.append("--no-open") }
        return arguments
    }
}
