import Foundation
import SyncPostgres

/// A PostgreSQL server of its own, in a temporary folder, on a Unix socket.
final class Cluster: @unchecked Sendable {
    // Safe: tests start and kill it from one thread.
    private var postgres: Process?
    private let folder: String
    private static let programs = "/usr/lib/postgresql/15/bin" // where Debian has it

    /// What `PostgresConnection` connects to.
    var address: String { "host=\(folder) dbname=postgres user=postgres" }

    private init(empty: Void) throws {
        folder = "/tmp/freehold-pg-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if geteuid() == 0 { try Self.run("/bin/chown", ["postgres", folder]) }
    }

    /// A hot standby of another one.
    convenience init(standbyOf primary: Cluster) throws {
        try self.init(empty: ())
        let copy = Self.command("pg_basebackup", [
            "-D", "\(folder)/data", "-h", primary.folder, "-U", "postgres", "-R", "-X", "stream", "-c", "fast", "--no-sync",
        ])
        try Self.run(copy.program, copy.arguments)
        try start()
    }

    convenience init() throws {
        try self.init(empty: ())
        let initdb = Self.command("initdb", [
            "-D", "\(folder)/data", "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C",
        ])
        try Self.run(initdb.program, initdb.arguments)
        try start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Starts it, and waits until it answers. After a kill it refuses until the last process of the killed one has noticed.
    func start() throws {
        for _ in 0..<600 {
            if postgres?.isRunning != true { try launch() }
            if (try? PostgresConnection(address)) != nil { return }
            usleep(50_000)
        }
        throw CocoaError(.executableLoad)
    }

    private func launch() throws {
        let process = Process()
        // What a killed process has written stays without fsync, and power is not cut here.
        let postgres = Self.command("postgres", [
            "-D", "\(folder)/data", "-k", folder, "-h", "", "-c", "deadlock_timeout=50ms", "-c", "fsync=off",
        ])
        process.executableURL = URL(fileURLWithPath: postgres.program)
        process.arguments = postgres.arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        self.postgres = process
    }

    /// Ends the postmaster at once; its children notice and end, too.
    func kill() {
        guard let postgres, postgres.isRunning else { return }
        Foundation.kill(postgres.processIdentifier, SIGKILL)
        postgres.waitUntilExit()
        self.postgres = nil
    }

    /// The server refuses to run as root.
    private static func command(_ name: String, _ arguments: [String]) -> (program: String, arguments: [String]) {
        let program = "\(programs)/\(name)"
        if geteuid() != 0 { return (program, arguments) }
        return ("/usr/bin/setpriv", ["--reuid=postgres", "--regid=postgres", "--clear-groups", program] + arguments)
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }
}
