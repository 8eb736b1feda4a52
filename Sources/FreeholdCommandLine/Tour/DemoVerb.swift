import ArgumentParser
import FreeholdEngine
import Glibc

/// `freehold demo`: creates a database of this machine's package list. Started by `tools/browse`.
struct DemoVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Create a database of this machine's package list.", shouldDisplay: false)

    @Argument(help: "The database's file; it must not exist.", completion: .file()) var database: String
    @Option(help: ArgumentHelp("A Debian control file to use instead of this machine's list.", valueName: "file"), completion: .file())
    var data: String?

    func run() throws {
        if access(database, F_OK) == 0 { throw Failure("\(database) exists already") }
        let list = try PackageList(path: data)
        let file = try Database.open(database)
        defer { file.close() }
        let count = try DemoData(list).write(to: file)
        try Output.standard.write("\(Figures.count(count, "package")) from \(list.path)\n")
    }
}
