import FreeholdEngine
import FreeholdMerge
import SyncBackends

/// A replica of the cluster (hot standby) that answers questions: one thread's connection to it.
///
/// 1. Its answer is one that the primary gave, or could have given, some time before: the snapshot is exact, and contains the cursor that
///    was asked with. Where it does not, the primary answers.
/// 2. What a user may see is checked at the primary; a replica that does not have the user's claims or the classes of the primary yet is
///    not asked.
/// 3. What an answer makes superfluous is forgotten at the primary.
final class PostgresReplica {
    private let address: String
    private var served: (store: PostgresStore, server: SyncServer)?
    /// When it may be tried again, after a connection that was refused.
    private var rests: ContinuousClock.Instant?
    private static let rest = Duration.seconds(2)
    /// Seconds that a statement may take: a replica that has stopped keeps nobody waiting for longer.
    static let limit = 5

    init(_ address: String) { self.address = address }

    /// Whether it has answered; if not, nothing was put, and the primary is to be asked.
    ///
    /// - Parameters:
    ///   - claims: what the primary has with the user's account; nil if no rule asks for any.
    ///   - least: a transaction that the answer has to know of.
    /// - Throws: when the answer was cut.
    func answer(
        _ pull: SyncPull, for user: SyncUser, claims: String?, having least: UInt64?, primary: PostgresStore, _ begun: Begun
    ) throws(FreeholdError) -> Bool {
        if let rests, rests > .now { return false }
        let began = ContinuousClock.now
        do throws(FreeholdError) {
            let (store, server) = try connected(primary)
            try store.reading(pull, for: user, forgettingAt: primary) { () throws(FreeholdError) in
                try require(pull, user, claims, having: least, server, store)
                _ = try server.answer(pull, for: user, now: PostgresBackend.now) { part throws(FreeholdError) in try begun.put(part, user) }
            }
            begun.finish(user)
            return true
        } catch {
            if served?.store.connection.isAlive != true {
                // The longer it was waited for, the longer it is left alone.
                (served, rests) = (nil, .now + max(Self.rest, (ContinuousClock.now - began) * 6))
            } else if served?.store.isOutdated == true {
                served = nil
            }
            if begun.hasBegun { throw error }
            return false
        }
    }

    private func require(
        _ pull: SyncPull, _ user: SyncUser, _ claims: String?, having least: UInt64?, _ server: SyncServer, _ store: PostgresStore
    ) throws(FreeholdError) {
        let snapshot = try store.snapshot
        if let least, !snapshot.contains(least) { throw PostgresStore.replicaIsBehind }
        if pull.history == server.history, !snapshot.contains(pull.cursor) { throw PostgresStore.replicaIsBehind }
        guard let claims else { return }
        guard try PostgresAccounts(connection: store.connection).claims(of: user) == claims else { throw PostgresStore.replicaIsBehind }
    }

    private func connected(_ primary: PostgresStore) throws(FreeholdError) -> (PostgresStore, SyncServer) {
        // The primary may have read other classes since.
        if let served, let expected = primary.expected, let own = served.store.expected, expected == own { return served }
        served = nil
        guard let expected = primary.expected else { throw PostgresStore.replicaIsBehind }
        let store = PostgresStore(try PostgresWorker.connect(address, limit: Self.limit), schema: primary.schema, isReplica: true)
        store.expected = expected
        let made = (store, SyncServer(schema: primary.schema, store: store, history: expected.history))
        served = made
        return made
    }
}
