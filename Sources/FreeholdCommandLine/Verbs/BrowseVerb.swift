import ArgumentParser

/// `freehold browse`: starts `freehold-browse`, a program of its own, because it needs a network stack.
struct BrowseVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Show databases in a web page on this machine.",
        discussion: """
            Starts freehold-browse, which lies beside this program or on the PATH, with the same arguments. It prints a link to open \
            in a browser of this machine. The page shows the objects, follows commits of other programs, and changes objects with \
            --write. Ends some time after the last page was closed, or at Ctrl-C.
            """)

    @Argument(help: "The databases' files.", completion: .file(extensions: ["freehold"])) var databases: [String]
    @Flag(help: "Let the page change objects.") var write = false
    @Option(help: ArgumentHelp("The port on this machine. Default: a free one.", valueName: "number")) var port: UInt16?
    @Option(help: ArgumentHelp("Listen on this Unix socket instead of a port.", valueName: "path"), completion: .file()) var socket: String?
    @Option(help: "The file with the key of an encrypted database: 64 bytes, or 128 hexadecimal digits.") var encryptionKeyFile: KeyFile?
    @Option(help: ArgumentHelp("End this long after the last page was closed; 0 to stay. Default: 60.", valueName: "seconds"))
    var idleSeconds: Int?
    @Option(help: ArgumentHelp("The most bytes of an upload. Default: 1 GiB.", valueName: "bytes")) var uploadLimit: Int?

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
        var arguments = databases.map { $0.hasPrefix("-") ? "./\($0)" : $0 }
        if write { arguments.append("--write") }
        if let port { arguments += ["--port", "\(port)"] }
        if let socket { arguments += ["--socket", socket] }
        if let encryptionKeyFile { arguments += ["--encryption-key-file", encryptionKeyFile.path] }
        if let idleSeconds { arguments += ["--idle-seconds", "\(idleSeconds)"] }
        if let uploadLimit { arguments += ["--upload-limit", "\(uploadLimit)"] }
        return arguments
    }
}
