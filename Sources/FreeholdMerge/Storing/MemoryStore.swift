import FreeholdEngine

/// A server's tables in memory: for tests, and for servers whose data may go with the process.
public final class MemoryStore: SyncStore {
    private var rows: [SyncObject: StoredRow] = [:]
    private var next: UInt64 = 1
    private var running: Set<UInt64> = []
    private var journal: [UInt64: [SyncObject]] = [:]
    private var numbers: [ReplicaIdentity: UInt32] = [:]
    private var replicas: [ReplicaIdentity] = []
    private var ledgers: [SyncLedger] = []
    private var lineages: [UInt32: [SyncAncestor]] = [:]
    private var claims: [SyncClaim: SyncClaim.Amount] = [:]
    private var views: [SyncObject: [SyncUser: SyncView]] = [:]
    private var holders: [HolderKey: [SyncObject]] = [:]
    private var linking: [SyncObject: Set<SyncObject>] = [:]
    private let schema: SyncSchema
    public private(set) var users: [SyncUser] = []
    public private(set) var horizon: UInt64 = 1

    private struct HolderKey: Hashable {
        let type: Int32
        let property: Int32
        let value: SyncValue
    }

    /// An empty store; replica number 0 is `ReplicaIdentity.server`.
    public init(schema: SyncSchema) {
        self.schema = schema
        _ = number(of: .server)
    }

    /// A copy of what is committed, as a backup has it: transactions in progress never were.
    public func backup() -> MemoryStore {
        let made = MemoryStore(schema: schema)
        (made.rows, made.next, made.journal) = (rows, next, journal)
        (made.numbers, made.replicas, made.ledgers, made.claims) = (numbers, replicas, ledgers, claims)
        (made.views, made.holders, made.users, made.horizon, made.lineages) = (views, holders, users, horizon, lineages)
        made.linking = linking
        return made
    }

    // MARK: Transactions

    public func begin() -> UInt64 {
        running.insert(next)
        next += 1
        return next - 1
    }

    public func enter(_ transaction: UInt64) {}
    public func prepare(_ batch: SyncPush) {}
    public func commit(_ transaction: UInt64) { running.remove(transaction) }
    public func cancel(_ transaction: UInt64) { running.remove(transaction) }

    public var snapshot: SyncCursor { SyncCursor(next: next, running: running.sorted())! }

    /// Forgets tombstones and leavings of transactions below `horizon`. Files with older cursors are reset.
    public func prune(below horizon: UInt64) {
        self.horizon = max(self.horizon, horizon)
        rows = rows.filter { $0.value.isAlive || $0.value.last >= self.horizon }
        views = views.compactMapValues { users in
            let kept = users.filter { $0.value.sees || $0.value.since >= self.horizon || $0.value.isReached }
            return kept.isEmpty ? nil : kept
        }
        journal = journal.filter { $0.key >= self.horizon }
        linking = linking.compactMapValues { objects in
            let known = objects.filter { rows[$0] != nil }
            return known.isEmpty ? nil : known
        }
    }

    // MARK: Rows

    public func take(_ object: SyncObject) -> StoredRow? {
        guard let row = rows.removeValue(forKey: object) else { return nil }
        forEachHolderKey(row, object) { name in
            holders[name]!.removeAll { $0 == object }
            if holders[name]!.isEmpty { holders[name] = nil }
        }
        return row
    }

    public func save(_ row: StoredRow, of object: SyncObject, transaction: UInt64) {
        if row.last == transaction { journal[transaction, default: []].append(object) }
        forEachHolderKey(row, object) { holders[$0, default: []].append(object) }
        rows[object] = row
    }

    private func forEachHolderKey(_ row: StoredRow, _ object: SyncObject, _ body: (HolderKey) -> Void) {
        guard row.isAlive else { return }
        for property in schema[object].uniqueProperties {
            let value = row.value(of: property)
            if !value.isNull { body(HolderKey(type: object.type, property: property, value: value)) }
        }
    }

    public func row(_ object: SyncObject) -> StoredRow? { rows[object] }

    public func forEachObject(_ body: (SyncObject) throws(FreeholdError) -> Void) throws(FreeholdError) {
        for object in rows.keys.sorted() { try body(object) }
    }

    public func holders(of value: SyncValue, property: Int32, type: Int32) -> [SyncObject] {
        holders[HolderKey(type: type, property: property, value: value)] ?? []
    }

    public func note(links targets: [SyncObject], of object: SyncObject) {
        for target in targets { linking[target, default: []].insert(object) }
    }

    public func linking(to targets: [SyncObject]) -> Set<SyncObject> { Set(targets.flatMap { linking[$0] ?? [] }) }

    public func changes(since cursor: SyncCursor, for user: SyncUser) -> [SyncObject] {
        guard cursor.oldest < next else { return [] }
        var found: Set<SyncObject> = []
        for transaction in cursor.oldest..<next where !cursor.contains(transaction) {
            found.formUnion(journal[transaction] ?? [])
        }
        return Array(found)
    }

    // MARK: Replicas

    public func number(of replica: ReplicaIdentity) -> UInt32 {
        if let number = numbers[replica] { return number }
        let made = UInt32(replicas.count)
        numbers[replica] = made
        replicas.append(replica)
        ledgers.append(SyncLedger())
        return made
    }

    public func replica(_ number: UInt32) -> ReplicaIdentity { replicas[Int(number)] }
    public func ledger(_ replica: UInt32) -> SyncLedger { ledgers[Int(replica)] }
    public func save(_ ledger: SyncLedger, of replica: UInt32) { ledgers[Int(replica)] = ledger }

    public func ancestors(of replica: UInt32) -> [SyncAncestor] { lineages.isEmpty ? [] : lineages[replica] ?? [] }
    public func save(_ ancestors: [SyncAncestor], of replica: UInt32) { lineages[replica] = ancestors }

    public func claim(_ name: SyncClaim) -> SyncClaim.Amount? { claims[name] }
    public func save(_ amount: SyncClaim.Amount, of name: SyncClaim) { claims[name] = amount }

    // MARK: Users

    public func add(_ user: SyncUser) { if !users.contains(user) { users.append(user) } }

    public func holdUsers() {}

    public func viewed(by user: SyncUser) -> [SyncObject] { views.filter { $0.value[user] != nil }.map(\.key) }

    public func view(of object: SyncObject, by user: SyncUser) -> SyncView? { views[object]?[user] }

    public func viewers(of object: SyncObject) -> [SyncUser] { views[object].map { Array($0.keys) } ?? [] }

    public func save(_ view: SyncView, of object: SyncObject, by user: SyncUser) {
        if views[object]?[user]?.since != view.since { journal[view.since, default: []].append(object) }
        views[object, default: [:]][user] = view
    }
}
