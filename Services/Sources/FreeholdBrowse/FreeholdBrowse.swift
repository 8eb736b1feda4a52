import ArgumentParser
import BrowserServer
import FreeholdEngine
import Foundation

/// `freehold-browse`: shows databases in a web page on this machine.
@main
struct FreeholdBrowse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freehold-browse",
        abstract: "Look into Freehold databases in a web page on this machine, even while other programs have them open.",
        discussion: """
            Prints a link to open in a browser of this machine. Each link serves one browser; Enter prints another one. Nothing can be \
            changed without --write. Ends some time after the last page was closed, or at Ctrl-C.

            On a server, forward the port through SSH: ssh -L 8080:127.0.0.1:8080 server freehold browse shop.freehold --port 8080
            """,
        version: "0.1.0")

    @Argument(help: "The databases' files.", completion: .file(extensions: ["freehold"]))
    var databases: [String] = []
    @Flag(help: "Allow changes.") var write = false
    @Option(help: "The port on 127.0.0.1. Default: one that is free.") var port = 0
    @Option(help: ArgumentHelp("Listen on a Unix socket instead.", valueName: "path")) var socket: String?
    @Option(help: ArgumentHelp("The file with the key of encrypted databases: 64 bytes, or 128 hexadecimal digits.", valueName: "file"))
    var encryptionKeyFile: String?
    @Option(help: ArgumentHelp("End this long after the last page was closed; 0 to stay.", valueName: "seconds")) var idleSeconds = 60
    @Option(help: ArgumentHelp("The most bytes of an upload.", valueName: "bytes")) var uploadLimit = 1 << 30

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port must be from 0 to 65535") }
        guard idleSeconds >= 0 else { throw ValidationError("--idle-seconds must not be negative") }
        if socket != nil, port != 0 { throw ValidationError("--socket and --port exclude each other") }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        var options = ServerOptions()
        options.port = port
        options.socket = socket
        options.isWritable = write
        options.idleSeconds = idleSeconds == 0 ? nil : idleSeconds
        options.uploadLimit = uploadLimit
        options.pageFolder = ProcessInfo.processInfo.environment["FREEHOLD_BROWSE_PAGE"]
        do {
            options.encryptionKey = try KeyInput.key(encryptionKeyFile, for: databases)
            // Only its owner may connect to a socket.
            umask(0o077)
            let server = BrowserServer(options)
            for database in databases { _ = try server.open(database) }
            let names = databases.map { URL(fileURLWithPath: $0).lastPathComponent }.joined(separator: ", ")
            let changes = write ? "" : ", without changes (--write allows them)"
            let what = databases.isEmpty ? "No file is open yet" : "Browsing \(names)\(changes)"
            let socket = socket
            try await server.run { link in
                print("\(what)\n")
                if let socket {
                    print("Listening on \(socket); forward a port to it (ssh -L 8080:\(socket) HOST) and write that port into the link.")
                }
                print("    \(link())\n\nCtrl-C ends it; Enter prints another link.")
                fflush(nil)
                LinkPrinter.start(link)
            }
        } catch let error as FreeholdError {
            throw Failure(error.path.isEmpty || error.message.contains(error.path) ? error.message : "\(error.path): \(error.message)")
        }
    }
}

/// An error for the terminal.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Prints another link for each line of a terminal.
enum LinkPrinter {
    static func start(_ link: @escaping @Sendable () -> String) {
        guard isatty(0) == 1 else { return }
        let thread = Thread {
            while readLine() != nil {
                print("    \(link())")
                fflush(nil)
            }
        }
        thread.start()
    }
}
