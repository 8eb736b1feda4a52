import ArgumentParser
import FreeholdEngine
import Glibc

/// `freehold tour`: the main features, shown on this machine's own data.
struct TourVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tour",
        abstract: "Demonstrate several programs sharing one file, with this machine's package list.",
        discussion: """
            Takes less than a minute. Writes only to a temporary folder, which is removed at the end.
            """)

    @Option(help: ArgumentHelp("Seconds for which all programs run at the same time.", valueName: "seconds")) var seconds = 5.0
    @Option(help: ArgumentHelp("Number of writers to kill.", valueName: "n")) var kills = 12
    @Option(help: ArgumentHelp("A Debian control file to use instead of this machine's list.", valueName: "file"), completion: .file())
    var data: String?
    @Option(help: ArgumentHelp("A C program to run in parallel; its argument is the database, and it reads until its standard input ends.", valueName: "program"), completion: .file())
    var cProgram: String?
    @Flag(help: "Keep the folder, to inspect the database.") var keep = false

    func validate() throws {
        guard seconds > 0, seconds <= 600 else { throw ValidationError("--seconds needs a number between 0 and 600") }
        guard kills >= 0, kills <= 1000 else { throw ValidationError("--kills needs a number between 0 and 1000") }
    }

    func run() throws {
        let folder = try TemporaryFolder()
        defer { if !keep { folder.remove() } }
        var tour = try Tour(databasePath: folder.path + "/packages.freehold", seconds: seconds, kills: kills, cProgram: cProgram)
        try tour.run(data: data)
        if keep {
            try Output.standard.write("\nThe database is kept in \(tour.databasePath). To inspect it:\n")
            try Output.standard.write("  freehold list \(tour.databasePath) Package --columns name,version,section\n")
        }
        guard tour.faults.isEmpty else { throw Failure("the tour found errors; see above") }
    }
}

/// Creates a folder for this process alone.
struct TemporaryFolder {
    let path: String

    init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/freehold-tour-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure("no temporary folder could be made in \(parent): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes the folder with its files and their folders.
    func remove() { Self.remove(path, depth: 2) }

    private static func remove(_ path: String, depth: Int) {
        if let folder = depth > 0 ? opendir(path) : nil {
            while let entry = readdir(folder) {
                // Safe: the system ends the name with a zero within the entry, which lives until the next call.
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
                }
                if name == "." || name == ".." { continue }
                if unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)", depth: depth - 1) }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}
