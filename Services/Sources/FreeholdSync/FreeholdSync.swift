import ArgumentParser
import Foundation
import FreeholdEngine
import FreeholdTools
import SyncAgent

/// `freehold-sync`: keeps files in sync with their servers.
@main
struct FreeholdSync: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freehold-sync",
        abstract: "Keep Freehold files in sync with their servers.",
        discussion: """
            Where a file's server is, and whether it is wanted, is said in the file: by `--server` and `--token-file`, or by a program. \
            The state and all issues are objects in the file, which every program can observe. Several agents at one file are safe: one \
            works, and the others wait for it to end.
            """,
        version: "0.1.0")

    @Argument(help: "The databases' files.", completion: .file(extensions: ["freehold"])) var files: [String]
    @Option(help: ArgumentHelp("Write this server's address into the files first.", valueName: "url")) var server: String?
    @Option(help: ArgumentHelp("Write into the files that the token is in this file.", valueName: "file")) var tokenFile: String?
    @Flag(help: "Exchange until nothing is pending and nothing is new, then end.") var once = false
    @Flag(help: "Print how the sync goes and what was lost, and end.") var status = false
    @Flag(help: "Let no agent sync the files until --server is given again, and end.") var stop = false
    @Flag(help: "Allow plain http to other machines: everybody between reads the token.") var allowPlainHttp = false
    @Option(help: ArgumentHelp("The file with the key of encrypted databases: 64 bytes, or 128 hexadecimal digits.", valueName: "file"))
    var encryptionKeyFile: String?

    func validate() throws {
        if tokenFile != nil, server == nil { throw ValidationError("--token-file is written with --server") }
        if [once, status, stop].count(where: { $0 }) > 1 { throw ValidationError("--once, --status and --stop exclude each other") }
        if stop, server != nil { throw ValidationError("--stop and --server contradict each other") }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        do {
            let databases = try files.map(open)
            defer { for one in databases { one.close() } }
            if let server { for one in databases { try set(server, in: one) } }
            if stop { return try databases.forEach(forgo) }
            if status { return try databases.forEach(printStatus) }
            if once { return try databases.forEach(syncOnce) }
            serve(databases)
        } catch let error as FreeholdError {
            throw Failure(error.path.isEmpty || error.message.contains(error.path) ? error.message : "\(error.path): \(error.message)")
        } catch let mistake as KeyReader.Mistake {
            throw Failure(mistake.description)
        }
    }

    private func open(_ path: String) throws -> Database {
        var options = OpenOptions()
        options.createIfMissing = false
        if let encryptionKeyFile { options.encryptionKey = try KeyReader.key(file: encryptionKeyFile, warn: Self.say) }
        return try Database.open(path, options)
    }

    private func set(_ server: String, in database: Database) throws {
        _ = try SyncServerAddress(server, allowsPlain: allowPlainHttp)
        // An agent may have another working directory.
        let token = tokenFile.map { URL(fileURLWithPath: $0).path }
        try database.setSyncSettings(SyncSettings(address: server, tokenFile: token))
    }

    private func forgo(_ database: Database) throws {
        guard var settings = try database.syncSettings() else { return }
        settings.isWanted = false
        try database.setSyncSettings(settings)
    }

    private func syncOnce(_ database: Database) throws {
        let report = try SyncAgent(database, allowsPlain: allowPlainHttp).syncOnce()
        print("\(database.path): \(report.changedObjects) objects changed here, \(report.losses.count) changes lost")
        for loss in report.losses {
            print("  \(loss.className) \(KeyText.text(loss.primaryKey))\(loss.property.map { ".\($0)" } ?? ""): \(loss.reason.rawValue)")
        }
    }

    private func printStatus(_ database: Database) throws {
        let settings = try database.syncSettings(), state = try database.syncState(), isThere = try database.hasSyncAgent
        print("\(database.path)")
        print("  server   \(settings.map { $0.address + ($0.isWanted ? "" : ", not wanted") } ?? "none")")
        print("  agent    \(isThere ? state?.connection.rawValue ?? "starting" : "none is running")")
        let isPending = try SyncReplica(database).isSynced() && SyncReplica(database).isPending()
        print("  pending  \(isPending ? "yes" : "nothing")")
        for issue in try database.syncIssues().suffix(10) {
            let object = [issue.className, issue.primaryKey].compactMap { $0 }.joined(separator: " ")
            let place = object + (issue.property.map { ".\($0)" } ?? "")
            print("  issue    \(Self.text(issue.date)) \(issue.code)\(place.isEmpty ? "" : " \(place)"): \(issue.what)"
                + (issue.advice.isEmpty ? "" : "; \(issue.advice)"))
        }
    }

    private static func text(_ date: Timestamp) -> String {
        Date(timeIntervalSince1970: Double(date.seconds)).formatted(.iso8601)
    }

    private func serve(_ databases: [Database]) {
        let agents = databases.map { SyncAgent($0, allowsPlain: allowPlainHttp, log: Self.say) }
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { for agent in agents { agent.stop() } }
            source.resume()
            return source
        }
        let ends = DispatchGroup()
        for agent in agents {
            ends.enter()
            Thread {
                agent.run()
                ends.leave()
            }.start()
        }
        ends.wait()
        for source in sources { source.cancel() }
    }

    private static func say(_ sentence: String) { FileHandle.standardError.write(Data("freehold-sync: \(sentence)\n".utf8)) }
}

/// An error for the terminal.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
