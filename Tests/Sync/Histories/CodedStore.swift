import FreeholdEngine
@testable import FreeholdMerge

/// A store in memory whose rows are read from their columns, and all else from bytes each time, as of a database.
final class CodedStore: SyncStore {
    private let memory: MemoryStore
    private let schema: SyncSchema
    private let coding: StoreCoding

    init(_ memory: MemoryStore, _ schema: SyncSchema) { (self.memory, self.schema, coding) = (memory, schema, StoreCoding(schema)) }

    private func decoded(_ row: StoredRow?, _ object: SyncObject) throws(FreeholdError) -> StoredRow? {
        guard let row else { return nil }
        let columns = row.columns, made = try StoredRow(columns, of: object.type, schema)
        guard made.columns == columns else { throw FreeholdError(.corrupt, "a row of class \(object.type) is another one by its columns") }
        return made
    }

    func take(_ object: SyncObject) throws(FreeholdError) -> StoredRow? { try decoded(memory.take(object), object) }
    func row(_ object: SyncObject) throws(FreeholdError) -> StoredRow? { try decoded(memory.row(object), object) }

    func begin() -> UInt64 { memory.begin() }
    func enter(_ transaction: UInt64) {}
    func prepare(_ batch: SyncPush) {}
    func commit(_ transaction: UInt64) { memory.commit(transaction) }
    func cancel(_ transaction: UInt64) { memory.cancel(transaction) }
    var snapshot: SyncCursor { memory.snapshot }
    func save(_ row: StoredRow, of object: SyncObject, transaction: UInt64) { memory.save(row, of: object, transaction: transaction) }
    func changes(since cursor: SyncCursor, for user: SyncUser) -> [SyncObject] { memory.changes(since: cursor, for: user) }
    func forEachObject(_ body: (SyncObject) throws(FreeholdError) -> Void) throws(FreeholdError) { try memory.forEachObject(body) }
    func holders(of value: SyncValue, property: Int32, type: Int32) -> [SyncObject] {
        memory.holders(of: value, property: property, type: type)
    }
    func note(links targets: [SyncObject], of object: SyncObject) { memory.note(links: targets, of: object) }
    func linking(to targets: [SyncObject]) -> Set<SyncObject> { memory.linking(to: targets) }
    func number(of replica: ReplicaIdentity) -> UInt32 { memory.number(of: replica) }
    func replica(_ number: UInt32) -> ReplicaIdentity { memory.replica(number) }
    func ledger(_ replica: UInt32) throws(FreeholdError) -> SyncLedger {
        let ledger = memory.ledger(replica)
        var made = try coding.ledger(coding.bytes(of: ledger))
        made.owed = Dictionary(uniqueKeysWithValues: try ledger.owed.map { object, transaction throws(FreeholdError) in
            (try coding.object(coding.bytes(of: object)), transaction)
        })
        return made
    }
    func save(_ ledger: SyncLedger, of replica: UInt32) { memory.save(ledger, of: replica) }
    func ancestors(of replica: UInt32) throws(FreeholdError) -> [SyncAncestor] {
        try coding.ancestors(coding.bytes(of: memory.ancestors(of: replica)))
    }
    func save(_ ancestors: [SyncAncestor], of replica: UInt32) { memory.save(ancestors, of: replica) }
    func claim(_ name: SyncClaim) throws(FreeholdError) -> SyncClaim.Amount? {
        try memory.claim(name).map { amount throws(FreeholdError) in try coding.amount(coding.bytes(of: amount)) }
    }

    func save(_ amount: SyncClaim.Amount, of name: SyncClaim) { memory.save(amount, of: name) }
    var users: [SyncUser] { memory.users }
    func add(_ user: SyncUser) { memory.add(user) }
    func holdUsers() {}
    func viewed(by user: SyncUser) -> [SyncObject] { memory.viewed(by: user) }
    func view(of object: SyncObject, by user: SyncUser) -> SyncView? { memory.view(of: object, by: user) }
    func viewers(of object: SyncObject) -> [SyncUser] { memory.viewers(of: object) }
    func save(_ view: SyncView, of object: SyncObject, by user: SyncUser) { memory.save(view, of: object, by: user) }
    var horizon: UInt64 { memory.horizon }
}
