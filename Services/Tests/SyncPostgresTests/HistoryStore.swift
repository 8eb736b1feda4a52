import FreeholdEngine
@testable import FreeholdMerge
@testable import SyncPostgres

/// Connections that one history after the other uses.
final class Connections: @unchecked Sendable {
    // Safe: histories run one after another.
    private let address: String
    private var all: [PostgresConnection] = []
    private var used = 0

    init(_ address: String) { self.address = address }

    func take() throws(FreeholdError) -> PostgresConnection {
        if used == all.count { all.append(try PostgresConnection(address)) }
        used += 1
        return all[used - 1]
    }

    /// The history before has ended, with transactions that it did not.
    func takeBack() throws(FreeholdError) {
        for one in all[..<used] { try one.run(script: "ROLLBACK") }
        used = 0
    }
}

/// A store for histories: each transaction has a connection of its own, as on servers that run side by side.
final class HistoryStore: SnapshotStore, PruningStore {
    private let connections: Connections
    private let schema: SyncSchema
    /// What reads outside of transactions.
    private let reader: PostgresStore
    private var idle: [PostgresStore] = []
    private var open: [UInt64: PostgresStore] = [:]
    private var current: PostgresStore
    private var begun = 0
    var change: (PostgresStore) -> Void = { _ in }

    /// Tables that are empty.
    init(_ connections: Connections, _ schema: SyncSchema) throws(FreeholdError) {
        (self.connections, self.schema) = (connections, schema)
        try connections.takeBack()
        let connection = try connections.take()
        try connection.run(script: "DROP SCHEMA IF EXISTS freehold CASCADE; DROP SCHEMA IF EXISTS app CASCADE")
        try PostgresStore.makeTables(connection)
        // As if the data had been in another cluster before.
        try connection.run(script: "UPDATE freehold.state SET base = 1000000007")
        _ = try PostgresCatalog.add(schema, to: connection)
        reader = PostgresStore(connection, schema: schema)
        reader.partCount = 3
        current = reader
    }

    func begin() throws(FreeholdError) -> UInt64 {
        if idle.isEmpty { idle.append(PostgresStore(try connections.take(), schema: schema)) }
        let store = idle.removeLast()
        // Rows come both ways into the table.
        begun += 1
        store.leastCopied = begun % 2 == 0 ? 1 : 64
        change(store)
        let transaction = try store.begin()
        open[transaction] = store
        return transaction
    }

    func enter(_ transaction: UInt64) {
        current = open[transaction] ?? reader
        current.enter(transaction)
    }

    func commit(_ transaction: UInt64) throws(FreeholdError) {
        try current.commit(transaction)
        leave(transaction)
    }

    func cancel(_ transaction: UInt64) {
        open[transaction]?.cancel(transaction)
        leave(transaction)
    }

    private func leave(_ transaction: UInt64) {
        if let store = open.removeValue(forKey: transaction) { idle.append(store) }
        current = reader
    }

    func reading<Result>(_ pull: SyncPull, _ body: () throws(FreeholdError) -> Result) throws(FreeholdError) -> Result {
        change(reader)
        return try reader.reading(pull, body)
    }

    /// Between transactions of others, which have locked what they have read.
    func prune(below horizon: UInt64) throws(FreeholdError) { try reader.prune(below: horizon) }

    var snapshot: SyncCursor { get throws(FreeholdError) { try current.snapshot } }
    var horizon: UInt64 { get throws(FreeholdError) { try current.horizon } }
    var users: [SyncUser] { get throws(FreeholdError) { try current.users } }
    func prepare(_ batch: SyncPush) throws(FreeholdError) { try current.prepare(batch) }
    func foreignChanges(of objects: [SyncObject]) throws(FreeholdError) -> [SyncForeignChange] { try current.foreignChanges(of: objects) }
    func noteRefused(_ property: Int32, of object: SyncObject) throws(FreeholdError) { try current.noteRefused(property, of: object) }
    func take(_ object: SyncObject) throws(FreeholdError) -> StoredRow? { try current.take(object) }
    func row(_ object: SyncObject) throws(FreeholdError) -> StoredRow? { try current.row(object) }
    func save(_ row: StoredRow, of object: SyncObject, transaction: UInt64) throws(FreeholdError) {
        current.save(row, of: object, transaction: transaction)
    }
    func changes(since cursor: SyncCursor, for user: SyncUser) throws(FreeholdError) -> [SyncObject] {
        try current.changes(since: cursor, for: user)
    }
    func forEachPart(of objects: [SyncObject], _ body: ([SyncObject]) throws(FreeholdError) -> Void) throws(FreeholdError) {
        try current.forEachPart(of: objects, body)
    }
    func forEachObject(_ body: (SyncObject) throws(FreeholdError) -> Void) throws(FreeholdError) { try current.forEachObject(body) }
    func holders(of value: SyncValue, property: Int32, type: Int32) throws(FreeholdError) -> [SyncObject] {
        try current.holders(of: value, property: property, type: type)
    }
    func note(links targets: [SyncObject], of object: SyncObject) throws(FreeholdError) { current.note(links: targets, of: object) }
    func linking(to targets: [SyncObject]) throws(FreeholdError) -> Set<SyncObject> { try current.linking(to: targets) }
    func number(of replica: ReplicaIdentity) throws(FreeholdError) -> UInt32 { try current.number(of: replica) }
    func replica(_ number: UInt32) throws(FreeholdError) -> ReplicaIdentity { try current.replica(number) }
    func ledger(_ replica: UInt32) throws(FreeholdError) -> SyncLedger { try current.ledger(replica) }
    func save(_ ledger: SyncLedger, of replica: UInt32) throws(FreeholdError) { current.save(ledger, of: replica) }
    func ancestors(of replica: UInt32) throws(FreeholdError) -> [SyncAncestor] { try current.ancestors(of: replica) }
    func save(_ ancestors: [SyncAncestor], of replica: UInt32) throws(FreeholdError) { try current.save(ancestors, of: replica) }
    func claim(_ name: SyncClaim) throws(FreeholdError) -> SyncClaim.Amount? { try current.claim(name) }
    func save(_ amount: SyncClaim.Amount, of name: SyncClaim) throws(FreeholdError) { try current.save(amount, of: name) }
    func add(_ user: SyncUser) throws(FreeholdError) { try current.add(user) }
    func holdUsers() throws(FreeholdError) { try current.holdUsers() }
    func viewed(by user: SyncUser) throws(FreeholdError) -> [SyncObject] { try current.viewed(by: user) }
    func view(of object: SyncObject, by user: SyncUser) throws(FreeholdError) -> SyncView? { try current.view(of: object, by: user) }
    func viewers(of object: SyncObject) throws(FreeholdError) -> [SyncUser] { try current.viewers(of: object) }
    func save(_ view: SyncView, of object: SyncObject, by user: SyncUser) throws(FreeholdError) {
        current.save(view, of: object, by: user)
    }
}
