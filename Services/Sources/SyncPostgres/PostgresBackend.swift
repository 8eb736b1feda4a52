import Foundation
import FreeholdEngine
import FreeholdMerge
import SyncBackends
import Synchronization

/// A tenant's data in a PostgreSQL cluster.
///
/// ```swift
/// let backend = PostgresBackend("host=/run/postgresql dbname=app")
/// let acknowledgement = try await backend.push(batch, by: SyncCaller(user: "ann"))
/// ```
/// It connects when it is first asked, and again when the cluster was away: to begin, nothing need be there but the tables.
public final class PostgresBackend: SyncBackend {
    /// How much it may take.
    public struct Limits: Sendable {
        /// Connections for batches, and for questions; one more watches, and one is for large batches.
        public var pushing = 4
        public var pulling = 8
        /// Requests that wait for a connection; more are refused.
        public var waiting = 1_000
        /// How many seconds a file may stay away without being reset: so long it is known what was deleted. Nil: for ever.
        public var retention: Int64?
        /// A replica of the cluster, which answers questions that wait.
        public var replica: String?
        /// Room for answers that clients take slowly; without it they hold their connection to the database meanwhile.
        public var spool: AnswerSpool?

        public init() {}
    }

    private let pushes: PostgresPool
    /// For large batches, one after the other: each takes memory for all that it changes, and no other batch is merged meanwhile.
    private let largePushes: PostgresPool
    /// Bytes of a message from which on it is one.
    private static let large = 1 << 20
    private let pulls: PostgresPool
    private let bells: Bells
    private let watcher: PostgresWatcher
    /// What notices that the replica has something new.
    private let replicaWatcher: PostgresWatcher?
    private let hasReplica: Bool
    private let spool: AnswerSpool?
    /// The last transaction of each user's batches: an answer has to know of it, also when it has changed no row.
    private let pushed = Mutex<[SyncUser: UInt64]>([:])
    private let waits = Atomic(true)
    private let log: @Sendable (String) -> Void

    /// - Parameters:
    ///   - address: a connection string or URI of libpq.
    ///   - log: told of errors that clients are not told of.
    public init(
        _ address: String, limits: Limits = Limits(), log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        let makeWorker = { @Sendable in PostgresWorker(address) }
        pushes = PostgresPool(threads: limits.pushing, mostWaiting: limits.waiting, name: "sync-push", makeWorker: makeWorker)
        largePushes = PostgresPool(threads: 1, mostWaiting: limits.waiting, name: "sync-large", makeWorker: makeWorker)
        pulls = PostgresPool(threads: limits.pulling, mostWaiting: limits.waiting, name: "sync-pull") { [replica = limits.replica] in
            PostgresWorker(address, replica: replica)
        }
        let signal = PostgresWatcher.Signal(), replicaSignal = PostgresWatcher.Signal()
        let bells = Bells {
            signal.give()
            replicaSignal.give()
        }
        self.bells = bells
        let taker = ForeignTaker(pushes, signal, log), pruner = Pruner(pulls, limits.retention, log)
        watcher = PostgresWatcher(address, bells, signal, onForeign: { taker.take() }, onHour: { pruner.prune() }) { error in
            log("the watcher: \(error)")
        }
        replicaWatcher = limits.replica.map { replica in
            PostgresWatcher(replica: replica, bells, replicaSignal) { error in log("the watcher of the replica: \(error)") }
        }
        (self.log, hasReplica, spool) = (log, limits.replica != nil, limits.spool)
        watcher.start()
        replicaWatcher?.start()
    }

    /// Ends its threads, when what they do is done. Nothing may be asked any more.
    public func end() {
        stopWaiting()
        watcher.end()
        replicaWatcher?.end()
        pushes.end()
        largePushes.end()
        pulls.end()
    }

    public var waitingCount: Int { bells.waitingCount }

    public func stopWaiting() {
        waits.store(false, ordering: .releasing)
        bells.ringAll()
    }

    // MARK: Batches

    public func push(_ message: [UInt8], by caller: SyncCaller) async throws(SyncFailure) -> [UInt8]? {
        let bells = bells, watcher = watcher, pool = message.count > Self.large ? largePushes : pushes
        return try await run(on: pool, in: "the batch") { [self] (worker) throws(SyncFailure) in
            var decoded: SyncPush? = try Self.batch(message), result: Result<[UInt8]?, SyncFailure>?
            try Self.reported("the batch") { () throws(FreeholdError) in
                try worker.serve { (server, store) throws(FreeholdError) in
                    let user = try worker.user(caller, server, store)
                    // What is merged is not kept for a second attempt: of a large batch there is one in memory.
                    guard var push = decoded.take() ?? (try? Self.batch(message)) else { return result = .failure(.wrongKind("a batch")) }
                    if let refusal = try Self.refusal(&push, of: user, worker, store) {
                        result = .failure(refusal)
                        return
                    }
                    let transaction = try server.begin()
                    if push.history == server.history, push.cursor.next > transaction {
                        // What it has seen of a lost history would be taken for what others write under the same numbers.
                        store.cancel(transaction)
                        result = .failure(.ahead)
                        return
                    }
                    let ack = try server.commit(consume push, by: user, in: transaction, now: Self.now)
                    note(transaction, of: user)
                    // Also a batch that has changed no row may have something for its file: what was refused.
                    bells.ring(for: [user])
                    watcher.look()
                    result = .success(ack.map { SyncMessage.ack($0).bytes })
                }
            }
            return try result!.get()
        }
    }

    private static func batch(_ message: [UInt8]) throws(SyncFailure) -> SyncPush {
        guard case .push(let push) = try SyncMessage.received(message) else { throw .wrongKind("a batch") }
        return push
    }

    /// What a replica has to know before it answers the user.
    private func note(_ transaction: UInt64, of user: SyncUser) {
        guard hasReplica else { return }
        pushed.withLock { pushed in
            if pushed.count >= Self.mostPushed { pushed = [:] }
            pushed[user] = transaction
        }
    }

    private static let mostPushed = 100_000

    /// Why a batch may not be merged at all. Of what the file was before, what is not the user's is left out: then the batch may not
    /// name changes of it.
    private static func refusal(_ push: inout SyncPush, of user: SyncUser, _ worker: PostgresWorker, _ store: PostgresStore)
        throws(FreeholdError) -> SyncFailure?
    {
        guard try worker.belongs(push.replicas[0], to: user, store) else { return .otherUser(push.replicas[0]) }
        var own: [SyncPush.Inherited] = []
        for one in push.inherited {
            if try worker.belongs(push.replicas[Int(one.replica)], to: user, store) { own.append(one) }
        }
        if own.count < push.inherited.count, let other = push.inherited.first(where: { one in !own.contains(one) }),
           push.names(entriesOf: other.replica) {
            return .otherUser(push.replicas[Int(other.replica)])
        }
        push.inherited = own
        // Others that it names take numbers too.
        if push.replicas.count > 1 { try PostgresAccounts(connection: store.connection).name(push.replicas, by: user) }
        return nil
    }

    // MARK: Questions

    public func pull(_ message: [UInt8], by caller: SyncCaller, wait: Duration) async throws(SyncFailure) -> AnswerParts? {
        guard case .pull(let pull) = try SyncMessage.received(message) else { throw .wrongKind("a question") }
        guard pull.inherited.count <= PostgresAccounts.mostFiles else { throw .tooManyFiles(PostgresAccounts.mostFiles) }
        let deadline = ContinuousClock.now + wait
        // Who does not wait wants to know what there is now. Nor may a replica that is far behind keep anything from who waits for longer.
        var hasWaited = false, isLast = !hasReplica || wait == .zero
        if wait > .zero { bells.enter() }
        defer { if wait > .zero { bells.leave() } }
        while true {
            let heard = bells.rings
            let (user, parts) = try await answer(pull, by: caller, isOld: hasWaited, byReplica: !isLast)
            if let parts { return parts }
            if Task.isCancelled || !waits.load(ordering: .acquiring) { return nil }
            if ContinuousClock.now >= deadline {
                if isLast { return nil }
                isLast = true
                continue
            }
            await bells.wait(for: user, past: heard, until: deadline)
            hasWaited = true
        }
    }

    private func answer(_ pull: SyncPull, by caller: SyncCaller, isOld: Bool, byReplica: Bool) async throws(SyncFailure)
        -> (SyncUser, AnswerParts?)
    {
        let result = await withCheckedContinuation { (done: CheckedContinuation<Result<(SyncUser, AnswerParts?), SyncFailure>, Never>) in
            let isTaken = pulls.add(isOld: isOld) { [log, self] worker in
                let begun = Begun(done) { [spool] in AnswerParts(for: caller, spool: spool) }
                do throws(SyncFailure) {
                    try answer(pull, by: caller, worker, begun, byReplica: byReplica)
                } catch {
                    if error.code == .failed || error.code == .unavailable { log("a question of \(caller.user): \(error.cause)") }
                    begun.fail(error)
                }
            }
            if !isTaken { done.resume(returning: .failure(.tooManyRequests)) }
        }
        return try result.get()
    }

    private func answer(
        _ pull: SyncPull, by caller: SyncCaller, _ worker: PostgresWorker, _ begun: Begun, byReplica: Bool
    ) throws(SyncFailure) {
        try Self.reported("the question") { () throws(FreeholdError) in
            try worker.serve { (server, store) throws(FreeholdError) in
                // After the first part it cannot be done again.
                if begun.hasBegun { throw FreeholdError(.io, "the answer was cut") }
                let user = try worker.user(caller, server, store)
                guard try worker.belongs(pull.replica, to: user, store) else { return begun.fail(.otherUser(pull.replica)) }
                var own = pull
                own.inherited = try PostgresAccounts(connection: store.connection).owned(pull.inherited, by: user)
                if byReplica, let replica = worker.replica {
                    // Other rules count from the moment on in which the primary has them.
                    try store.readState()
                    let claims = try worker.claims.isEmpty ? nil : PostgresAccounts(connection: store.connection).claims(of: user)
                    let least = pushed.withLock { $0[user] }
                    if try replica.answer(own, for: user, claims: claims, having: least, primary: store, begun) { return }
                }
                try store.reading(own, for: user) { () throws(FreeholdError) in
                    if own.history == server.history, try own.cursor.next > store.snapshot.next { return begun.fail(.ahead) }
                    _ = try server.answer(own, for: user, now: Self.now) { part throws(FreeholdError) in try begun.put(part, user) }
                }
                begun.finish(user)
            }
        }
    }

    // MARK: The rest

    public func schema(for caller: SyncCaller) async throws(SyncFailure) -> [UInt8] {
        try await run(on: pulls, in: "the classes") { (worker) throws(SyncFailure) in
            try Self.reported("the classes") { () throws(FreeholdError) in
                // Not the worker's: classes may have been added since it connected.
                try worker.serve { (_, store) throws(FreeholdError) in SchemaText.json(try PostgresCatalog(store.connection).schema) }
            }
        }
    }

    public func add(classes: [UInt8], by caller: SyncCaller) async throws(SyncFailure) -> [UInt8] {
        try await run(on: pushes, in: "the classes") { (worker) throws(SyncFailure) in
            try Self.reported("the classes") { () throws(FreeholdError) in
                let schema = try SchemaText.schema(classes)
                // Who is told that the tables are busy asks again: it is not tried once more with a connection that batches need.
                var busy: FreeholdError?
                let answer = try worker.serve { (server, store) throws(FreeholdError) in
                    let user = try worker.user(caller, server, store), lacking = try server.schema.lacking(schema)
                    if lacking.isEmpty { return SchemaText.json(added: []) }
                    guard try worker.mayAdd(user, server, store) else {
                        let names = lacking.prefix(10).joined(separator: ", ") + (lacking.count > 10 ? ", …" : "")
                        throw FreeholdError(.invalidArgument, "the server does not have \(names), and the user may not add classes")
                    }
                    // A file sends all that it declares, also what is there; what is new takes the locks of tables.
                    let new = Set(lacking.map(ExactText.init)).intersection(schema.classes.map { ExactText($0.name) }).count
                    guard new <= Self.mostAdded else {
                        throw FreeholdError(.valueTooLarge, """
                            \(new) classes are new, and a request adds at most \(Self.mostAdded): add them with \
                            `freehold-sync-server init --classes`
                            """)
                    }
                    do throws(FreeholdError) {
                        return SchemaText.json(added: try PostgresCatalog.add(schema, to: store.connection, attempts: 4))
                    } catch {
                        guard error.code == .busy else { throw error }
                        busy = error
                        return []
                    }
                }
                if let busy { throw busy }
                return answer
            }
        }
    }

    /// The most classes that a request adds.
    private static let mostAdded = 200

    public func check() async throws(SyncFailure) {
        try await run(on: pulls, in: "the database") { (worker) throws(SyncFailure) in
            try Self.reported("the database") { () throws(FreeholdError) in
                try worker.serve { (_, store) throws(FreeholdError) in
                    _ = try store.horizon
                    guard try store.connection.isReplica else { return }
                    throw FreeholdError(.io, "the database is a hot standby; name the primary, and the standby with --replica")
                }
            }
        }
    }

    private func run<Value: Sendable>(
        on pool: PostgresPool, in place: String, _ body: @escaping @Sendable (PostgresWorker) throws(SyncFailure) -> Value
    ) async throws(SyncFailure) -> Value {
        let result = await withCheckedContinuation { (done: CheckedContinuation<Result<Value, SyncFailure>, Never>) in
            let isTaken = pool.add { [log] worker in
                let result = Result { () throws(SyncFailure) in try body(worker) }
                if case .failure(let failure) = result, failure.code == .failed || failure.code == .unavailable {
                    log("\(place): \(failure.cause)")
                }
                done.resume(returning: result)
            }
            if !isTaken { done.resume(returning: .failure(.tooManyRequests)) }
        }
        return try result.get()
    }

    private static func reported<Value>(_ place: String, _ body: () throws(FreeholdError) -> Value) throws(SyncFailure) -> Value {
        do throws(FreeholdError) { return try body() } catch { throw SyncFailure(error, in: place) }
    }

    /// The wall clock in milliseconds.
    static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
