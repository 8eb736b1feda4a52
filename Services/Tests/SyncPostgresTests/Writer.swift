import FreeholdEngine
import FreeholdMerge
import SyncPostgres

/// A device with random changes, which keeps what answers bring.
final class Writer {
    static let schema = SyncSchema(classes: [
        .init("Item", properties: [
            .init("title", type: .string), .init("note", type: .string), .init("count", .counter, type: .int),
            .init("tags", .set, type: .int), .init("code", isUnique: true, type: .int),
        ]),
    ])
    private static let names = SyncNames(classes: [.init(name: "Item", properties: ["title", "note", "count", "tags", "code"])])
    static let user = SyncUser(rawValue: 1)

    let replica: ReplicaIdentity
    private var random: Steps
    private(set) var cursor = SyncCursor.never
    private(set) var rows: [SyncObject: SyncRow] = [:]
    private(set) var epoch: UInt64 = 0
    private(set) var sums: [SyncObject: Int64] = [:]
    private var clock: Int64 = 1_000_000
    private var pending: SyncPush?
    /// Deadlocks that ended a transaction.
    private(set) var retries = 0

    init(_ number: UInt64, seed: UInt64) {
        replica = ReplicaIdentity(high: 1, low: number)
        random = Steps(state: seed &* 0x9e37_79b9_7f4a_7c15 &+ number)
    }

    static func object(_ number: Int) -> SyncObject { SyncObject(type: 0, key: .string("k\(number)")) }

    /// Makes a batch, and pushes it until it is acknowledged. A batch that was in doubt comes again.
    func push(_ server: SyncServer, objects: Int, changes count: Int = 3) throws {
        if pending == nil { pending = batch(objects, count) }
        guard try commit(pending!, to: server) else { return }
        for change in pending!.changes { for sum in change.sums { sums[change.object, default: 0] += sum.amount } }
        pending = nil
    }

    /// Deadlocks end a transaction, which is done again.
    private func commit(_ push: SyncPush, to server: SyncServer) throws -> Bool {
        for _ in 0..<100 {
            do throws(FreeholdError) {
                return try server.commit(push, by: Self.user, in: server.begin(), now: clock) != nil
            } catch {
                guard error.code == .busy else { throw error }
                retries += 1
            }
        }
        return false
    }

    private func batch(_ objects: Int, _ count: Int) -> SyncPush {
        epoch += 1
        var changes: [SyncChange] = []
        var numbers: [Int] = [], seen: Set<Int> = []
        for _ in 0..<count {
            let number = Int.random(in: 0..<objects, using: &random)
            if seen.insert(number).inserted { numbers.append(number) }
        }
        for number in numbers {
            clock += Int64.random(in: 1...3, using: &random)
            let entry = SyncEntry(stamp: SyncStamp(milliseconds: clock), epoch: epoch)
            var change = SyncChange(object: Self.object(number), created: entry)
            for property in [0, 1, 4] as [Int32] where Bool.random(using: &random) {
                let value = property == 4 ? SyncValue.int(Int64.random(in: 0..<6, using: &random)) : .string("\(replica.low)-\(epoch)")
                change.registers.append(.init(path: SyncPath(property: property), entry: entry, value: value))
            }
            let isMember = Bool.random(using: &random)
            change.members = [.init(property: 3, element: .int(Int64.random(in: 0..<4, using: &random)), isMember: isMember, entry: entry)]
            change.sums = [.init(property: 2, replica: 0, epoch: epoch, amount: Int64.random(in: 1..<9, using: &random), count: 1,
                                 began: entry.stamp)]
            changes.append(change)
        }
        return SyncPush(epoch: epoch, history: 1, cursor: cursor, seen: .none, names: Self.names, replicas: [replica], changes: changes)
    }

    func pull(_ server: SyncServer) throws {
        let pull = SyncPull(replica: replica, history: 1, cursor: cursor, sent: 0)
        let answer = if let store = server.store as? PostgresStore {
            try store.reading(pull) { () throws(FreeholdError) in try server.answer(pull, for: Self.user, now: clock) }
        } else {
            try server.answer(pull, for: Self.user, now: clock)
        }
        if answer.isReset { rows = [:] }
        for one in answer.gone { rows[one.object] = nil }
        for row in try answer.storedRows.decoded() { rows[row.object] = row }
        cursor = answer.cursor
    }

    /// What the rows hold, as text; numbers of transactions are the store's own.
    var contents: [String] {
        rows.values.map { row in
            let registers = row.registers.map { "\($0.path.property)=\($0.value)@\($0.stamp)" }.sorted()
            let members = row.members.map { "\($0.property):\($0.element)" }.sorted()
            return "\(row.object.key) \(registers) \(row.counters.map(\.sum)) \(members)"
        }.sorted()
    }
}
