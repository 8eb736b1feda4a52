import ArgumentParser
import Foundation
import FreeholdEngine
import FreeholdMerge
import Logging
import SyncBackends
import SyncHTTP
import SyncPostgres

/// `freehold-sync-server`: sync for Freehold files, on PostgreSQL.
@main
struct FreeholdSyncServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freehold-sync-server",
        abstract: "Sync Freehold files on many machines by a PostgreSQL database.",
        discussion: """
            Prepare a database once with `init`, then run any number of servers with `serve`. They keep nothing themselves: PostgreSQL is \
            what is backed up.
            """,
        version: "0.1.0", subcommands: [Init.self, Serve.self, Rules.self, Tenants.self, Prune.self, Status.self])
}

/// What all commands need.
struct DatabaseOption: ParsableArguments {
    @Option(help: ArgumentHelp("The PostgreSQL database, as libpq takes it. Default: $FREEHOLD_DATABASE.", valueName: "url"))
    var database: String?

    func address() throws -> String {
        guard let address = database ?? ProcessInfo.processInfo.environment["FREEHOLD_DATABASE"], !address.isEmpty else {
            throw ValidationError("name the database: --database postgresql://user@host/name, or FREEHOLD_DATABASE")
        }
        return address
    }
}

struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the tables, and add synced classes.",
        discussion: """
            The classes are those that a Freehold file declares as synced: a file that a program has just made is enough. What is there \
            stays; a class or property that is declared in another way than before is refused, and nothing is added.
            """)

    @OptionGroup var place: DatabaseOption
    @Option(help: ArgumentHelp("A Freehold file whose synced classes are added.", valueName: "file"),
            completion: .file(extensions: ["freehold"]))
    var classes: [String] = []
    @Option(help: ArgumentHelp("Rules of who sees what and who may change what. Without any, all users see and change everything.",
                               valueName: "file"), completion: .file())
    var rules: String?
    @Flag(help: "The database was restored from a backup: files get all anew, and lose nothing that they have not sent.")
    var restored = false

    func run() throws {
        try reporting {
            let connection = try PostgresConnection(place.address())
            try PostgresStore.makeTables(connection)
            for path in classes {
                let added = try PostgresCatalog.add(ClassFile.schema(path), to: connection)
                print(added.isEmpty ? "\(path): nothing new" : "\(path): added \(added.joined(separator: ", "))")
            }
            if let rules { print(try RuleFile.set(rules, on: connection)) }
            if restored { try PostgresCatalog.beginHistory(connection) }
            let catalog = try PostgresCatalog(connection)
            print("ready: \(catalog.schema.classes.count) classes, history \(catalog.history)")
        }
    }
}

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Say what a database has.")

    @OptionGroup var place: DatabaseOption

    func run() throws {
        try reporting {
            let connection = try PostgresConnection(place.address()), catalog = try PostgresCatalog(connection)
            let counts = try PostgresCounts(connection)
            print("""
                history   \(catalog.history)
                rules     \(catalog.rules.map { "\($0.number)" } ?? "none: all users see and change everything")
                classes   \(catalog.schema.classes.map(\.name).joined(separator: ", "))
                objects   \(counts.objects), \(counts.deleted) deleted
                files     \(counts.files) of \(counts.users) users
                """)
        }
    }
}

struct Prune: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Forget what was deleted long ago.",
        discussion: """
            Servers do so once an hour, with 90 days unless `serve --retention` says otherwise. A file that has stayed away for longer \
            gets all anew, and loses nothing that it has not sent.
            """)

    @OptionGroup var place: DatabaseOption
    @Option(help: ArgumentHelp("How old a deletion must be; 0 for all that there are.", valueName: "days")) var olderThan: Int

    func validate() throws {
        guard (0...36_500).contains(olderThan) else { throw ValidationError("--older-than must be from 0 to 36500 days") }
    }

    func run() throws {
        try reporting {
            let connection = try PostgresConnection(place.address()), catalog = try PostgresCatalog(connection)
            let store = PostgresStore(connection, schema: catalog.schema)
            try store.mark(always: olderThan == 0)
            print("\(try store.prune(keeping: Int64(olderThan) * 86_400)) deleted objects are forgotten")
        }
    }
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve files until SIGTERM or SIGINT.")

    @OptionGroup var place: DatabaseOption
    @Option(help: ArgumentHelp("A replica of the database (hot standby) that answers questions which wait.", valueName: "url"))
    var replica: String?
    @Option(help: ArgumentHelp("Instead of a database: the one with the table of tenants.", valueName: "url")) var directory: String?
    @Option(help: ArgumentHelp("The keys that tokens are signed with: a JSON Web Key Set.", valueName: "file")) var keys: String
    @Option(help: ArgumentHelp("Rules that are set first, if they are others than the database has.", valueName: "file"),
            completion: .file())
    var rules: String?
    @Option(help: "The issuer that tokens must have.") var issuer: String?
    @Option(help: "The audience that tokens must have.") var audience: String?
    @Option(help: "The address to listen on.") var host = "127.0.0.1"
    @Option(help: "The port; 0 for one that is free.") var port = 8080
    @Option(help: ArgumentHelp("A certificate and those that signed it, in PEM: HTTPS with HTTP/2.", valueName: "file"))
    var certificate: String?
    @Option(help: ArgumentHelp("The certificate's private key, in PEM.", valueName: "file")) var certificateKey: String?
    @Option(help: "Connections to the database for batches.") var pushing = 4
    @Option(help: "Connections to the database for questions.") var pulling = 8
    @Option(help: ArgumentHelp("The most bytes of a batch.", valueName: "bytes")) var bodyLimit = 64 << 20
    @Option(help: ArgumentHelp("Bytes of temporary files (in TMPDIR) for answers that clients take slowly; 0: none, and each holds a "
                                   + "connection of --pulling until it is sent.", valueName: "bytes"))
    var spoolLimit = 2 << 30
    @Option(help: "The most connections of clients.") var connections = 20_000
    @Option(help: ArgumentHelp("Days a file may stay away without getting all anew; 0: for ever. So long it is kept what was deleted.",
                               valueName: "days"))
    var retention = 90
    @Flag(help: "Compress no answers: less work for a processor, more for the network. Bodies may be compressed all the same.")
    var plainAnswers = false
    @Flag(help: "Serve /metrics, for everybody who reaches the server.") var metrics = false
    @Flag(help: "Log each request.") var verbose = false

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port must be from 0 to 65535") }
        guard (certificate == nil) == (certificateKey == nil) else {
            throw ValidationError("--certificate and --certificate-key belong together")
        }
        guard (1...1000).contains(pushing), (1...1000).contains(pulling) else {
            throw ValidationError("--pushing and --pulling must be from 1 to 1000")
        }
        guard directory == nil || place.database == nil && rules == nil else {
            throw ValidationError("with --directory, each tenant's database has its own rules: leave out --database and --rules")
        }
        guard directory == nil || replica == nil else { throw ValidationError("--replica belongs to --database") }
        guard (0...36_500).contains(retention) else { throw ValidationError("--retention must be from 0 to 36500 days") }
        guard spoolLimit >= 0 else { throw ValidationError("--spool-limit must be 0 or more") }
        guard bodyLimit >= 1 << 10, connections >= 1 else { throw ValidationError("--body-limit or --connections is too small") }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        do {
            try await serve()
        } catch let error as FreeholdError {
            throw Failure(error.message)
        } catch let error as KeyMistake {
            throw Failure(error.description)
        }
    }

    private func serve() async throws {
        var logger = Logger(label: "freehold-sync-server")
        logger.logLevel = verbose ? .debug : .notice
        var limits = PostgresBackend.Limits()
        (limits.pushing, limits.pulling) = (pushing, pulling)
        limits.replica = replica
        limits.spool = spoolLimit == 0 ? nil : AnswerSpool(limit: spoolLimit)
        limits.retention = retention == 0 ? nil : Int64(retention) * 86_400
        var options = SyncServerOptions()
        (options.host, options.port, options.bodyLimit, options.connections) = (host, port, bodyLimit, connections)
        options.showsMetrics = metrics
        options.spool = limits.spool
        options.compresses = !plainAnswers
        if let certificate, let certificateKey { options.tls = .init(certificates: certificate, key: certificateKey) }
        let keys = try await TokenKeys(file: keys, rules: .init(issuer: issuer, audience: audience),
                                       log: { [logger] what in logger.error("\(what)") })
        let (tenants, end) = try makeTenants(limits) { [logger] what in logger.error("\(what)") }
        let server = SyncHTTPServer(options, keys: keys, tenants: tenants, logger: logger)
        let scheme = options.tls == nil ? "http" : "https", host = host
        try await server.run { port in
            print("serving \(scheme)://\(host):\(port)")
            fflush(nil)
        }
        end()
    }

    /// A replica that is away now may come back; one that is none never will.
    private func check(replica: String, log: (String) -> Void) throws {
        let connection: PostgresConnection
        do throws(FreeholdError) { connection = try PostgresConnection(replica) } catch {
            return log("the replica is away, and the primary answers meanwhile: \(error.message)")
        }
        guard try connection.isReplica else { throw Failure("--replica is no hot standby: name one, or leave it out") }
    }

    private func makeTenants(_ limits: PostgresBackend.Limits, log: @escaping @Sendable (String) -> Void) throws
        -> (tenants: any SyncTenants, end: () -> Void)
    {
        if let directory {
            let tenants = try TenantDirectory(directory, log: log) { address in PostgresBackend(address, limits: limits, log: log) }
            return (tenants, tenants.end)
        }
        // A mistake in the address is said at once, and not at the first request.
        let address = try place.address(), connection = try PostgresConnection(address)
        if try connection.isReplica { throw Failure("--database is a hot standby: name the primary, and the standby with --replica") }
        if let replica { try check(replica: replica, log: log) }
        if let rules { log(try RuleFile.set(rules, on: connection)) }
        let catalog = try PostgresCatalog(connection)
        if let (_, text) = catalog.rules { _ = try StreamRules(text, catalog.schema) }
        let backend = PostgresBackend(address, limits: limits, log: log)
        return (SingleTenant(backend), backend.end)
    }
}

/// An error for the terminal.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func reporting(_ body: () throws -> Void) throws {
    do { try body() } catch let error as FreeholdError { throw Failure(error.message) }
}
