import FreeholdEngine
import FreeholdMerge

/// What was deleted, and what has left a user's view, is forgotten when every file is thought to have heard of it. A file that has not is
/// reset: it gets all anew, and keeps what it has not sent.
///
/// Time is not a number of a transaction, so the table `mark` has both, about once an hour.
extension PostgresStore {
    /// Notes the time, and which transactions have ended by now, unless that was done in the last 50 minutes.
    public func mark(always: Bool = false) throws(FreeholdError) {
        let oldest = PostgresValue.transaction(try snapshot.oldest)
        try connection.run("""
            INSERT INTO freehold.mark SELECT now(), $1 \
            WHERE $2 OR NOT EXISTS (SELECT FROM freehold.mark WHERE taken BETWEEN now() - interval '50 minutes' AND now()) \
            ON CONFLICT DO NOTHING
            """, oldest, .bool(always))
    }

    /// The first transaction of which it is kept what it has deleted, where that is kept for some seconds; nil before there is a mark
    /// of that age.
    func horizon(keeping seconds: Int64) throws(FreeholdError) -> UInt64? {
        let found = try connection.run("""
            SELECT max(oldest) FROM freehold.mark WHERE taken <= now() - $1 * interval '1 second'
            """, .int(seconds))
        return found.isNull(0, 0) ? nil : found.transaction(0, 0)
    }

    /// Forgets which transactions have ended, of those before an hour or two: a replica that is later than that is not asked.
    func forgetEnded() throws(FreeholdError) {
        // Marks of another cluster, which the data was in before, say nothing of this one.
        guard let first = try horizon(keeping: 3_600), first > base else { return }
        try forgetEnded(below: first - base)
    }

    /// - Parameter first: a number of this cluster.
    func forgetEnded(below first: UInt64) throws(FreeholdError) {
        // First, and by itself: who sees that some are gone, sees that they may be.
        try connection.run("UPDATE freehold.state SET ended_from = $1 WHERE ended_from < $1", .transaction(first))
        try connection.run("DELETE FROM freehold.ended WHERE transaction < $1", .transaction(first))
    }

    /// Forgets deletions, and what has left views, that are older. What a batch has locked meanwhile is left for the next time.
    ///
    /// - Parameter seconds: how long a file may stay away without being reset.
    /// - Returns: how many deleted objects are forgotten.
    /// - Throws: `.io`, `.busy`. What is forgotten by then stays so; call it again.
    @discardableResult
    public func prune(keeping seconds: Int64) throws(FreeholdError) -> Int {
        guard let horizon = try horizon(keeping: seconds) else { return 0 }
        let count = try prune(below: horizon)
        try connection.run("DELETE FROM freehold.mark WHERE oldest < $1", .transaction(horizon))
        return count
    }

    /// Forgets deletions and leavings of transactions below `horizon`.
    @discardableResult
    func prune(below horizon: UInt64) throws(FreeholdError) -> Int {
        // First, and by itself: an answer that does not know of a deletion is not given to a file that has not heard of it.
        try connection.run("UPDATE freehold.state SET horizon = $1 WHERE horizon < $1", .transaction(horizon))
        let count = try slices("\"row\"", place: "last", "NOT alive", below: horizon) { objects throws(FreeholdError) in
            let count = try connection.run("""
                DELETE FROM freehold."row" WHERE object = ANY($1) AND NOT alive AND last < $2 RETURNING object
                """, objects, .transaction(horizon)).count
            try connection.run("""
                DELETE FROM freehold.link l WHERE object = ANY($1) AND NOT EXISTS (SELECT FROM freehold."row" r WHERE r.object = l.object)
                """, objects)
            return count
        }
        let left = "NOT sees AND NOT own AND links = 0 AND reaches IS NULL"
        _ = try slices("view", place: "since", left, below: horizon) { objects throws(FreeholdError) in
            let below = PostgresValue.transaction(horizon)
            try connection.run("DELETE FROM freehold.view WHERE object = ANY($1) AND \(left) AND since < $2", objects, below)
            return 0
        }
        return count
    }

    /// Objects of one transaction.
    private static let slice = 400

    /// Calls `body` with objects that no batch has locked, each time in a transaction of its own.
    private func slices(
        _ table: String, place: String, _ condition: String, below horizon: UInt64,
        _ body: (PostgresValue) throws(FreeholdError) -> Int
    ) throws(FreeholdError) -> Int {
        var count = 0, last = (PostgresValue.transaction(0), PostgresValue.bytes([]))
        while true {
            let found = try connection.run("""
                SELECT object, \(place) FROM freehold.\(table) WHERE \(condition) AND \(place) < $1 AND (\(place), object) > ($2, $3) \
                ORDER BY \(place), object LIMIT \(Self.slice)
                """, .transaction(horizon), last.0, last.1)
            if found.count == 0 { return count }
            let objects = (0..<found.count).map { found.bytes($0, 0) }
            last = (.transaction(found.transaction(found.count - 1, 1)), .bytes(objects[found.count - 1]))
            try connection.transaction { () throws(FreeholdError) in
                let free = try free(objects)
                if !free.isEmpty { count += try body(.byteArrays(free)) }
            }
        }
    }

    /// Those that no batch has locked; they are locked now. It waits for none.
    private func free(_ objects: [[UInt8]]) throws(FreeholdError) -> [[UInt8]] {
        // 1: no user is added; 3: no batch is merged alone.
        let isFree = try connection.run("SELECT pg_try_advisory_xact_lock_shared(1) AND pg_try_advisory_xact_lock_shared(3)").bool(0, 0)
        guard isFree else { return [] }
        let hashes = objects.map(Self.hash)
        let found = try connection.run("SELECT pg_try_advisory_xact_lock(k) FROM unnest($1::bigint[]) k", .ints(hashes))
        return objects.enumerated().filter { found.bool($0.offset, 0) }.map(\.element)
    }
}
