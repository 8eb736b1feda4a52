import FreeholdEngine
import FreeholdMerge
import SyncBackends

/// What one thread needs to serve requests: a connection, and a server on it. It connects when it is first needed, and again when the
/// connection is lost.
final class PostgresWorker {
    private let address: String
    private var served: (store: PostgresStore, server: SyncServer)?
    private var users: [ExactText: SyncUser] = [:]
    /// The claims that the rules ask for.
    private(set) var claims: Set<ExactText> = []
    private var owners: [ReplicaIdentity: SyncUser] = [:]

    private static let attempts = 20
    /// Names that are kept in memory.
    private static let mostKept = 100_000

    /// Whether it serves a database whose data is on its way to another one: who moves it does.
    private let servesMoved: Bool

    /// What answers questions in its place.
    let replica: PostgresReplica?

    init(_ address: String, replica: String? = nil, servesMoved: Bool = false) {
        (self.address, self.servesMoved) = (address, servesMoved)
        self.replica = replica.map { PostgresReplica($0) }
    }

    /// A connection as servers use it.
    ///
    /// What a server reads it reads by an index. A plan is kept over many batches: made while a table is small, it would read all of it for
    /// each of thousands of keys when it has grown.
    static func connect(_ address: String, limit: Int? = nil) throws(FreeholdError) -> PostgresConnection {
        let connection = try PostgresConnection(address, limit: limit)
        try connection.run(script: """
            SET application_name = 'freehold-sync-server'; SET idle_in_transaction_session_timeout = '60s'; SET lock_timeout = '30s';
            SET client_encoding = 'UTF8'; SET enable_seqscan = off; SET jit = off
            """)
        return connection
    }

    /// Does something with the server; again after a deadlock, and after a lost connection once.
    func serve<Result>(_ body: (SyncServer, PostgresStore) throws(FreeholdError) -> Result) throws(FreeholdError) -> Result {
        var attempt = 0
        while true {
            do throws(FreeholdError) {
                let (store, server) = try connected()
                return try body(server, store)
            } catch {
                attempt += 1
                let isLost = served.map { !$0.store.connection.isAlive } ?? false
                if isLost || served?.store.isOutdated == true { served = nil }
                let isAgain = error.code == .busy && attempt < Self.attempts || isLost && attempt == 1
                guard isAgain else { throw error }
            }
        }
    }

    private func connected() throws(FreeholdError) -> (PostgresStore, SyncServer) {
        if let served { return served }
        let connection = try Self.connect(address), catalog = try PostgresCatalog(connection, evenIfMoved: servesMoved)
        let store = PostgresStore(connection, schema: catalog.schema)
        store.expected = (catalog.history, catalog.version)
        var streams: any SyncStreams = OpenStreams()
        claims = []
        if let (_, text) = catalog.rules {
            let rules = try StreamRules(text, catalog.schema)
            (streams, claims) = (RuledStreams(rules, catalog.schema, PostgresDirectory(store)), rules.claims)
        }
        let made = SyncServer(schema: catalog.schema, store: store, streams: streams, history: catalog.history)
        (users, owners, served) = ([:], [:], (store, made))
        return (store, made)
    }

    // MARK: Users and files

    /// The user who calls, known to the server, with views by the claims of the token.
    func user(_ caller: SyncCaller, _ server: SyncServer, _ store: PostgresStore) throws(FreeholdError) -> SyncUser {
        let key = ExactText(caller.user), accounts = PostgresAccounts(connection: store.connection)
        if let user = users[key] {
            if !claims.isEmpty { try renew(user, caller, server, accounts) }
            return user
        }
        let user = try accounts.user(caller.user)
        try server.add(user)
        if !claims.isEmpty { try renew(user, caller, server, accounts) }
        if users.count >= Self.mostKept { users = [:] }
        users[key] = user
        return user
    }

    /// Keeps the claims of a token with the account if they are others, unless a later token has said those that are there.
    private func renew(_ user: SyncUser, _ caller: SyncCaller, _ server: SyncServer, _ accounts: PostgresAccounts) throws(FreeholdError) {
        let json = ClaimText.json(caller.claims, of: claims)
        guard try accounts.hasOther(claims: json, issued: caller.issued, than: user) else { return }
        try server.renew(user) { () throws(FreeholdError) in try accounts.keep(claims: json, issued: caller.issued, of: user) }
    }

    /// Whether the user's programs may add classes. The rules ask within a transaction.
    func mayAdd(_ user: SyncUser, _ server: SyncServer, _ store: PostgresStore) throws(FreeholdError) -> Bool {
        let transaction = try server.begin()
        defer { store.cancel(transaction) }
        return try server.streams.allowsAdditions(by: user)
    }

    /// Whether a file's identity is the user's; one that nobody has used becomes so.
    func belongs(_ replica: ReplicaIdentity, to user: SyncUser, _ store: PostgresStore) throws(FreeholdError) -> Bool {
        if replica == .server { return false }
        if let owner = owners[replica] { return owner == user }
        let owner = try PostgresAccounts(connection: store.connection).owner(of: replica, claimedBy: user)
        if owners.count >= Self.mostKept { owners = [:] }
        owners[replica] = owner
        return owner == user
    }
}
