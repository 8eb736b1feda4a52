import FreeholdEngine
import FreeholdMerge

/// What is kept of replicas.
extension PostgresStore {
    public func number(of replica: ReplicaIdentity) throws(FreeholdError) -> UInt32 {
        if let number = numbers[replica] { return number }
        let key = [PostgresValue.int(Int64(bitPattern: replica.high)), .int(Int64(bitPattern: replica.low))]
        let find = "SELECT number FROM freehold.replica WHERE high = $1 AND low = $2"
        var found = try connection.run(find, key)
        if found.count == 0, isReplica { throw Self.replicaIsBehind }
        if found.count == 0 {
            let wasOpen = mode == .writing
            do throws(FreeholdError) {
                if !wasOpen { try connection.run("BEGIN") }
                try connection.run("SELECT pg_advisory_xact_lock(2)")
                try connection.run("""
                    INSERT INTO freehold.replica (number, high, low) SELECT max(number) + 1, $1, $2 FROM freehold.replica \
                    ON CONFLICT DO NOTHING
                    """, key)
                if !wasOpen { try connection.run("COMMIT") }
            } catch {
                if !wasOpen { cancel(0) }
                throw error
            }
            found = try connection.run(find, key)
        }
        let number = UInt32(truncatingIfNeeded: found.int(0, 0))
        (numbers[replica], replicas[number]) = (number, replica)
        return number
    }

    public func replica(_ number: UInt32) throws(FreeholdError) -> ReplicaIdentity {
        if let replica = replicas[number] { return replica }
        let found = try connection.run("SELECT high, low FROM freehold.replica WHERE number = $1", .int(Int64(number)))
        guard found.count == 1 else {
            throw FreeholdError(.corrupt, "freehold.replica has no number \(number); restore it from a backup")
        }
        let replica = ReplicaIdentity(high: found.transaction(0, 0), low: found.transaction(0, 1))
        replicas[number] = replica
        return replica
    }

    /// A batch adds to what a ledger owes, so it is not read then.
    public func ledger(_ replica: UInt32) throws(FreeholdError) -> SyncLedger {
        if let ledger = cache.ledgers[replica] { return ledger }
        let lock = mode == .writing ? " FOR UPDATE" : "", number = PostgresValue.int(Int64(replica))
        let found = try connection.run("SELECT ledger FROM freehold.replica WHERE number = $1\(lock)", number)
        var ledger = found.count == 0 || found.isNull(0, 0) ? SyncLedger() : try coding.ledger(found.bytes(0, 0))
        if mode != .writing {
            let owed = try connection.run("SELECT object, transaction FROM freehold.owed WHERE replica = $1", number)
            for place in 0..<owed.count { ledger.owed[try coding.object(owed.bytes(place, 0))] = owed.transaction(place, 1) }
            if mode == .reading { cache.read[replica] = ledger }
        }
        if mode != .none { cache.ledgers[replica] = ledger }
        return ledger
    }

    public func save(_ ledger: SyncLedger, of replica: UInt32) {
        cache.ledgers[replica] = ledger
        cache.savedLedgers.insert(replica)
    }

    public func ancestors(of replica: UInt32) throws(FreeholdError) -> [SyncAncestor] {
        let found = try connection.run("SELECT ancestors FROM freehold.replica WHERE number = $1", .int(Int64(replica)))
        return found.count == 0 || found.isNull(0, 0) ? [] : try coding.ancestors(found.bytes(0, 0))
    }

    public func save(_ ancestors: [SyncAncestor], of replica: UInt32) throws(FreeholdError) {
        try connection.run("UPDATE freehold.replica SET ancestors = $2 WHERE number = $1", .int(Int64(replica)),
                           .bytes(coding.bytes(of: ancestors)))
    }

    public func claim(_ name: SyncClaim) throws(FreeholdError) -> SyncClaim.Amount? {
        let found = try connection.run("SELECT amount FROM freehold.claim WHERE name = $1", .bytes(coding.bytes(of: name)))
        return found.count == 0 ? nil : try coding.amount(found.bytes(0, 0))
    }

    public func save(_ amount: SyncClaim.Amount, of name: SyncClaim) throws(FreeholdError) {
        try connection.run("INSERT INTO freehold.claim VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET amount = excluded.amount",
                           .bytes(coding.bytes(of: name)), .bytes(coding.bytes(of: amount)))
    }
}
