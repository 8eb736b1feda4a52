import FreeholdEngine
import FreeholdMerge

/// The snapshot of a replica.
///
/// PostgreSQL tells which transactions are in progress at the primary, and not at a replica: `pg_current_snapshot()` has none there,
/// while one that began first may end last. Taken at its word, what that writes would never come. So each transaction of a server notes
/// its own number in `freehold.ended`: those that a snapshot finds there are in it, the others that may be in progress are not.
extension PostgresStore {
    static let noteEnd = "INSERT INTO freehold.ended VALUES (pg_current_xact_id())"

    /// More than that many transactions that may be in progress are not told in a cursor.
    private static let mostRunning: UInt64 = 10_000

    static let replicaIsBehind = FreeholdError(.busy, "the replica of the cluster does not have this yet")

    /// - Throws: `.busy` if it cannot be told exactly.
    ///
    /// - Parameter isReplica: whether it must be one: a standby that was promoted gives numbers of its own, which say nothing of the
    ///   primary.
    static func snapshotByEnded(_ connection: PostgresConnection, isReplica: Bool = true) throws(FreeholdError) -> SyncCursor {
        let found = try connection.run("""
            SELECT pg_snapshot_xmin(s), pg_snapshot_xmax(s), base, ended_from, \
            ARRAY(SELECT transaction FROM freehold.ended WHERE transaction >= pg_snapshot_xmin(s)), pg_is_in_recovery() \
            FROM pg_current_snapshot() s, freehold.state
            """)
        guard found.count == 1, !isReplica || found.bool(0, 5) else { throw replicaIsBehind }
        let oldest = found.transaction(0, 0), next = found.transaction(0, 1), base = UInt64(max(0, found.int(0, 2)))
        guard oldest >= found.transaction(0, 3), next >= oldest, next - oldest <= mostRunning else { throw replicaIsBehind }
        let ended = Set(try found.ints(0, 4).map { UInt64(bitPattern: $0) })
        let running = (oldest..<next).filter { !ended.contains($0) }.map { $0 + base }
        guard let cursor = SyncCursor(next: next + base, running: running) else { throw replicaIsBehind }
        return cursor
    }
}

extension SyncCursor {
    /// Whether every transaction of another cursor of the same history is in this one.
    func contains(_ other: SyncCursor) -> Bool {
        if other.next > next { return false }
        return running.allSatisfy { $0 >= other.next || !other.contains($0) }
    }
}
