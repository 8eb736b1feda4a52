import CShims
import FreeholdEngine
import Synchronization

/// An open realm: one file as one thread, queue or actor sees it, at one version at a time.
public final class RealmCore: ConfinedRealm {
    let shared: SharedDatabase
    let schema: ModelSchema
    let confinement: Confinement
    /// The settings that the realm was opened with.
    let settings: any Sendable
    let clusters = LiveClusters()
    /// Whether opening the file again returns this realm.
    private let isListed: Bool
    /// Incremented whenever rows found before become invalid.
    private(set) var epoch: UInt64 = 1
    /// Incremented before any object changes.
    private(set) var changes: UInt64 = 0
    private(set) var transaction: WriteTransaction?
    /// The low bits of the number of invalidations: objects and collections found before the last one are invalid. One
    /// from exactly 256 invalidations ago is taken for valid, and shows what is there.
    var generation: UInt8 = 0
    /// The value of `generation` when the realm was read last.
    private(set) var readGeneration: UInt8 = 0
    /// The iterations over lists and sets that read by position.
    let iterations = Iterations()
    /// The thread that may use the fast path.
    private(set) var fieldsThread: UInt
    private var snapshot: Snapshot?
    var classes: [LiveClass] = []
    /// The classes by reference only.
    ///
    /// Safe: the realm keeps its classes as long as it exists; one thread at a time uses it; no access overlaps another.
    @exclusivity(unchecked) var places: [Unmanaged<LiveClass>] = []
    /// The indices of unknown classes, by name.
    var dynamicPlaces: TextMap<Int> = [:]
    /// The class that was looked up last.
    var lastClass: LiveClass?
    /// The last class that was found in the file, by its type.
    ///
    /// Safe: as for `places`.
    @exclusivity(unchecked) var lastPresent: (type: ObjectBase.Type, live: Unmanaged<LiveClass>)?
    /// Classes by their numbers in the file, which never change.
    private var numbered: [Int: LiveClass] = [:]
    /// The number of the last write transaction of this realm.
    private(set) var writeNumber: UInt32 = 0
    /// The write transactions that were cancelled after they had added objects.
    private var cancelled: Set<UInt32> = []
    /// The low bits of the version that the realm shows or writes.
    private(set) var seen: UInt32 = 0
    /// The version that the realm showed last, once it no longer shows it.
    private var lastShown: Version?
    /// Whether the program has objects that are identified by keys which may be reused.
    var remembersKeys = false
    /// In a migration: removes a class's primary key, so that objects can get other keys; returns whether it may.
    var releaseKey: ((String) throws -> Bool)?
    /// In a migration: the realm of the version before.
    var previous: RealmCore?
    /// The classes that a read-only file does not have: they have no objects.
    private(set) lazy var absentClasses = findAbsentClasses()
    /// The version that a frozen realm shows; nil for others.
    let frozen: FrozenVersion?
    /// Whether the realm can no longer be used: its thread has ended, or the frozen realm was invalidated.
    let isOver = Atomic<Bool>(false)
    let forkGeneration = freehold_shim_fork_generation()
    /// The outcome of the write transaction under way, for handovers of things it created.
    var outcome: WriteOutcome?
    /// The first refusal, and the number of its write transaction, which cannot be committed.
    var refusal: (write: UInt32, error: RealmError)?
    /// The request of the write transaction under way, if the writer thread began it.
    private var turn: WriteTurn?
    /// The realm's asynchronous writes; nil until the first.
    var asynchronous: AsynchronousWriting?
    /// The realm's number in `following`; nil if it is not registered.
    var followed: UInt64?
    /// The scheduler of the realm's place; nil until it is needed.
    var scheduler: Scheduler?
    /// Whether `autorefresh` is on; `hearsOthersByWish`: the value that the program has set, if any.
    var hearsOthers = false
    var hearsOthersByWish: Bool?
    /// The observers; nil if there are none.
    var observers: RealmObservers?
    /// Keeps the realm while it writes; nil until that is needed.
    var hold: WriteHold?
    /// The value of `changes` when the write transaction under way began.
    private(set) var changesBeforeWriting: UInt64 = 0

    /// - Parameter migrating: the write transaction of a migration; opening the file does not return the realm then.
    init(_ shared: SharedDatabase, _ schema: ModelSchema, _ confinement: Confinement, settings: any Sendable,
         migrating: WriteTransaction? = nil, isListed: Bool = true) {
        self.isListed = isListed
        transaction = migrating
        self.shared = shared
        self.schema = schema
        self.confinement = confinement
        self.settings = settings
        frozen = nil
        fieldsThread = Confinement.here
        confinement.prepare()
        classes = schema.classes.enumerated().map { LiveClass($1, number: $0, in: self) }
        places = classes.map { .passUnretained($0) }
        if !isListed { return }
        OpenRealms.shared.add(self)
        if case .thread = confinement { ThreadEnd.watch(self) }
        if let scheduler = confinement.scheduler {
            hearsOthers = true
            follow(by: scheduler)
        }
    }

    /// Creates a frozen realm of the version that another one shows.
    init(_ version: FrozenVersion, of core: RealmCore) {
        isListed = false
        shared = core.shared
        schema = core.schema
        confinement = .frozen
        settings = core.settings
        frozen = version
        // Of no thread: fields of frozen clusters are read by the thread that created them.
        fieldsThread = 0
        seen = UInt32(truncatingIfNeeded: version.version.rawValue)
        absentClasses = core.shared.terms.isReadOnly ? core.absentClasses : []
    }

    deinit {
        if frozen != nil { return shared.forgetFrozen(self) }
        leaveLists()
        unfollow()
        clusters.retire()
        if transaction != nil { endWriting() }
        rollback()
    }

    // MARK: Confinement

    /// Whether the caller may use the realm here; reports misuse if not.
    func enter() -> Bool {
        guard confinement.holds, !isOver.load(ordering: .relaxed), !isForked else { return refuse() }
        if frozen == nil, fieldsThread != Confinement.here {
            fieldsThread = Confinement.here
            clusters.pass(to: fieldsThread)
        }
        return true
    }

    // MARK: Versions

    func held() throws(FreeholdError) -> Snapshot {
        if let snapshot {
            if snapshot.isParked || !snapshot.isHeld { try wake(snapshot) }
            return snapshot
        }
        let held = try shared.database.snapshot()
        snapshot = held
        readGeneration = generation
        seen = UInt32(truncatingIfNeeded: held.version.rawValue)
        try remember(since: lastShown)
        if let observers, !observers.isDelivering { requestTurn() }
        return held
    }

    /// Resumes a parked version; moves to the newest one if it was taken away.
    private func wake(_ snapshot: Snapshot) throws(FreeholdError) {
        do throws(FreeholdError) { try snapshot.resume() } catch {
            guard error.code == .revoked else { throw error }
        }
        if snapshot.isHeld { return }
        let before = snapshot.version
        advance()
        try snapshot.begin()
        try remember(since: before)
        seen = UInt32(truncatingIfNeeded: snapshot.version.rawValue)
        requestTurn()
    }

    /// Parks the version until the realm's next turn: commits may take it away if it keeps too much of the file.
    func rest() {
        guard transaction == nil, let snapshot, !snapshot.isParked, snapshot.isHeld else { return }
        // Cached reads of the version are discarded, and read again once it is certainly held.
        advance()
        try? snapshot.park()
    }

    var snapshotVersion: Version? { snapshot?.version }

    /// The class with a number in the file; nil if the realm does not have it.
    func live(numbered number: Int) throws(FreeholdError) -> LiveClass? {
        if !isFrozen, let known = numbered[number] { return known }
        guard let name = try className(numbered: number), let found = live(named: name) else { return nil }
        // In a frozen realm each thread has classes of its own.
        if isFrozen { return found }
        numbered[number] = found
        return found
    }

    /// Hands the transaction of a migration back to its owner.
    func endMigration() {
        transaction = nil
        releaseKey = nil
        previous = nil
        advance()
    }

    /// Discards all that was found in the previous version.
    func advance() {
        epoch += 1
        clusters.retire()
        for live in classes { live.forget() }
    }

    /// Moves to the newest version; returns whether that is another one.
    func refresh() throws(FreeholdError) -> Bool {
        if transaction != nil || isFrozen || observers?.isDelivering == true { return false }
        guard let snapshot else {
            _ = try held()
            observers?.tellOfCommit()
            observers?.deliver()
            return false
        }
        iterations.detach()
        // Cached reads of the version are invalid once it is released, even if the same version is held again.
        advance()
        let before = snapshot.version
        if snapshot.isParked || !snapshot.isHeld { try wake(snapshot) }
        // As long as the older one is held, the file knows which keys were reused.
        let older = remembersKeys ? try snapshot.another() : nil
        defer { older?.end() }
        _ = try snapshot.refresh()
        let moved = snapshot.version != before
        seen = UInt32(truncatingIfNeeded: snapshot.version.rawValue)
        if moved { try remember(since: older?.version) }
        if let observers {
            observers.tellOfCommit()
            observers.deliver()
        }
        return moved
    }

    /// Moves to the newest version after a commit, unless the realm shows none.
    func moveOn() throws(FreeholdError) { if snapshot != nil || observers != nil { _ = try refresh() } }

    /// Releases the version until the next read.
    func invalidate() {
        // A frozen version stays in place as long as there are frozen things: other threads may be reading it.
        if isFrozen { return isOver.store(true, ordering: .relaxed) }
        if observers?.isDelivering == true { return }
        if transaction != nil { cancelWrite() }
        advance()
        lastShown = snapshot?.version ?? lastShown
        // An iterator may keep it for longer.
        snapshot?.end()
        snapshot = nil
    }

    private func leaveLists() {
        if !isListed { return }
        OpenRealms.shared.remove(self)
        if case .thread = confinement { ThreadEnd.forget(self) }
    }

    /// Ends the realm, if it is its thread that ends.
    func endThread(_ thread: UInt) {
        guard case .thread(thread) = confinement else { return }
        leaveLists()
        asynchronous?.abandon()
        observers?.end()
        observers = nil
        unfollow()
        if transaction != nil { cancelWrite() }
        advance()
        snapshot?.end()
        snapshot = nil
        isOver.store(true, ordering: .relaxed)
    }

    // MARK: Writing

    /// Begins a write transaction, on the newest version.
    func beginWrite() throws {
        if shared.writer.load(ordering: .acquiring) == Confinement.here {
            return Misuse.report("The Realm is already in a write transaction", hint: "Another instance of the same file writes on this thread; commit or cancel that first.")
        }
        begin(try shared.writes.blocking(confinement.identity) { try shared.database.beginWrite() })
    }

    /// Shows a write transaction that has begun.
    ///
    /// - Parameter turn: the request, if the writer thread began the transaction.
    func begin(_ transaction: WriteTransaction, _ turn: WriteTurn? = nil) {
        iterations.detach()
        shared.writer.store(Confinement.here, ordering: .releasing)
        self.transaction = transaction
        self.turn = turn
        readGeneration = generation
        // Safe: no object is held over so many transactions.
        writeNumber &+= 1
        seen = UInt32(truncatingIfNeeded: transaction.version.rawValue)
        advance()
        attempt(()) { try remember(since: snapshot?.version ?? lastShown) }
        lastShown = Version(transaction.version.rawValue - 1)
        snapshot?.end()
        snapshot = nil
        changesBeforeWriting = changes
        observers?.deliver(.writing)
    }

    /// Commits the write transaction and shows the new version.
    ///
    /// - Parameter silent: observers that are not notified of it.
    func commitWrite(_ durability: Durability, silent: [Observer] = []) throws {
        guard let transaction = try acceptedTransaction() else { return }
        let begun = transaction.versionBefore
        // Its rows are invalid from here on, whether or not the commit succeeds.
        self.transaction = nil
        endWriting()
        advance()
        let outcome = outcome
        self.outcome = nil
        var made: Snapshot?
        do throws(FreeholdError) {
            try end { () throws(FreeholdError) in
                lastShown = silent.isEmpty ? try transaction.commit(durability) : try transaction.commit(durability, holding: &made)
            }
        } catch {
            // A commit that is not yet durable is a commit all the same.
            outcome?.end(isCommitted: error.code == .notYetDurable)
            if error.code == .notYetDurable { observers?.committed(silent: silent, made: made, begun: begun) }
            throw RealmError(error)
        }
        outcome?.end(isCommitted: true)
        observers?.committed(silent: silent, made: made, begun: begun)
    }

    func cancelWrite() {
        endWriting()
        rollback()
        outcome?.end(isCommitted: false)
        outcome = nil
        cancelled.insert(writeNumber)
        advance()
        if let observers, !isOver.load(ordering: .relaxed) {
            observers.tellOfCommit()
            requestTurn()
        }
    }

    private func rollback() {
        guard let transaction else { return }
        self.transaction = nil
        end { transaction.rollback() }
    }

    /// Ends the write transaction on the thread that began it.
    private func end(_ body: () throws(FreeholdError) -> Void) throws(FreeholdError) {
        guard let turn else { return try body() }
        self.turn = nil
        var failure: FreeholdError?
        shared.writes.end(turn) {
            do throws(FreeholdError) { try body() } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func end(_ body: () -> Void) {
        guard let turn else { return body() }
        self.turn = nil
        shared.writes.end(turn, body)
    }

    /// Clears the noted writer thread: before the lock is released, because the next writer sets it once it has the lock.
    private func endWriting() {
        shared.writer.store(0, ordering: .releasing)
        hold?.end()
    }

    /// Records for all classes which keys were reused since a version.
    private func remember(since version: Version?) throws(FreeholdError) {
        guard remembersKeys, let version else { return }
        for live in classes { try live.remember(since: version) }
    }

    /// Notes that an object of some class is about to change.
    func noteChange() { changes += 1 }

    /// Whether the write transaction of this number, which added an object, was cancelled.
    @inline(__always) func wasCancelled(_ number: UInt32) -> Bool { number != 0 && !cancelled.isEmpty && cancelled.contains(number) }
}
