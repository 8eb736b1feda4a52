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
    /// The version that a frozen realm shows; nil for others.
    let frozen: FrozenVersion?
    // Safe (all exclusivity below): one thread at a time uses the realm, and no access to a part calls anything that uses it.
    @exclusivity(unchecked) var version: RealmVersion
    @exclusivity(unchecked) var writing: RealmWriting
    @exclusivity(unchecked) var known = RealmClasses()
    @exclusivity(unchecked) var listening = RealmListening()
    @exclusivity(unchecked) var migration = RealmMigration()
    /// The fields by which objects of the realm are read.
    let clusters = LiveClusters()
    /// The iterations over lists and sets that read by position.
    let iterations = Iterations()
    /// Whether opening the file again returns this realm.
    private let isListed: Bool
    /// Whether the realm can no longer be used: its thread has ended, or the frozen realm was invalidated.
    let isOver = Atomic<Bool>(false)
    let forkGeneration = freehold_shim_fork_generation()

    /// - Parameter migrating: the write transaction of a migration; opening the file does not return the realm then.
    init(_ shared: SharedDatabase, _ schema: ModelSchema, _ confinement: Confinement, settings: any Sendable,
         migrating: WriteTransaction? = nil, isListed: Bool = true) {
        self.isListed = isListed
        writing = RealmWriting(migrating)
        self.shared = shared
        self.schema = schema
        self.confinement = confinement
        self.settings = settings
        frozen = nil
        version = RealmVersion(fieldsThread: Confinement.here)
        confinement.prepare()
        for (number, model) in schema.classes.enumerated() { known.add(LiveClass(model, number: number, in: self)) }
        if !isListed { return }
        OpenRealms.shared.add(self)
        if case .thread(let thread) = confinement { ThreadEnd.watch(self, thread: thread) }
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
        writing = RealmWriting(nil)
        self.version = RealmVersion(fieldsThread: 0)
        self.version.note(version.version)
        known.absent = core.shared.terms.isReadOnly ? core.absentClasses : []
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
            version.fieldsThread = Confinement.here
            clusters.pass(to: fieldsThread)
        }
        return true
    }

    // MARK: Versions

    func held() throws(FreeholdError) -> Snapshot {
        if let snapshot = version.snapshot {
            if snapshot.isParked || !snapshot.isHeld { try wake(snapshot) }
            return snapshot
        }
        let held = try shared.database.snapshot()
        version.snapshot = held
        version.note(held.version)
        try remember(since: version.lastShown)
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
        version.seen = UInt32(truncatingIfNeeded: snapshot.version.rawValue)
        requestTurn()
    }

    /// Parks the version until the realm's next turn: commits may take it away if it keeps too much of the file.
    func rest() {
        guard transaction == nil, let snapshot = version.snapshot, !snapshot.isParked, snapshot.isHeld else { return }
        // Cached reads of the version are discarded, and read again once it is certainly held.
        advance()
        try? snapshot.park()
    }

    /// The class with a number in the file; nil if the realm does not have it.
    func live(numbered number: Int) throws(FreeholdError) -> LiveClass? {
        if !isFrozen, let found = known.numbered[number] { return found }
        guard let name = try className(numbered: number), let found = live(named: name) else { return nil }
        // In a frozen realm each thread has classes of its own.
        if isFrozen { return found }
        known.numbered[number] = found
        return found
    }

    /// Hands the transaction of a migration back to its owner.
    func endMigration() {
        writing.transaction = nil
        migration = RealmMigration()
        advance()
    }

    /// Discards all that was found in the previous version.
    func advance() {
        version.epoch += 1
        clusters.retire()
        known.forget()
    }

    /// Moves to the newest version; returns whether that is another one.
    func refresh() throws(FreeholdError) -> Bool {
        if transaction != nil || isFrozen || observers?.isDelivering == true { return false }
        guard let snapshot = version.snapshot else {
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
        let older = known.remembersKeys ? try snapshot.another() : nil
        defer { older?.end() }
        _ = try snapshot.refresh()
        let moved = snapshot.version != before
        version.seen = UInt32(truncatingIfNeeded: snapshot.version.rawValue)
        if moved { try remember(since: older?.version) }
        if let observers {
            observers.tellOfCommit()
            observers.deliver()
        }
        return moved
    }

    /// Moves to the newest version after a commit, unless the realm shows none.
    func moveOn() throws(FreeholdError) { if version.snapshot != nil || observers != nil { _ = try refresh() } }

    /// Releases the version until the next read.
    func invalidate() {
        // A frozen version stays in place as long as there are frozen things: other threads may be reading it.
        if isFrozen { return isOver.store(true, ordering: .relaxed) }
        if observers?.isDelivering == true { return }
        if transaction != nil { cancelWrite() }
        advance()
        version.release()
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
        version.release()
        isOver.store(true, ordering: .relaxed)
    }

    // MARK: Writing

    /// Begins a write transaction, on the newest version.
    func beginWrite() throws {
        if shared.writer.load(ordering: .acquiring) == Confinement.here {
            return Misuse.report("The Realm is already in a write transaction", hint: "Another instance of the same file writes on this thread; commit or cancel that first.")
        }
        begin(try shared.writes.blocking(confinement.identity.writerPlace) { try shared.database.beginWrite() })
    }

    /// Shows a write transaction that has begun.
    ///
    /// - Parameter request: the request, if the writer thread began the transaction.
    func begin(_ transaction: WriteTransaction, _ request: AsyncWriteRequest? = nil) {
        iterations.detach()
        shared.writer.store(Confinement.here, ordering: .releasing)
        writing.begin(transaction, request, changes: changes)
        version.note(transaction.version)
        advance()
        attempt(()) { try remember(since: snapshotVersion ?? version.lastShown) }
        version.release()
        version.lastShown = Version(transaction.version.rawValue - 1)
        observers?.deliver(.writing)
    }

    /// Commits the write transaction and shows the new version.
    ///
    /// - Parameter silent: observers that are not notified of it.
    func commitWrite(_ durability: Durability, silent: [Observer] = []) throws {
        guard let transaction = try acceptedTransaction() else { return }
        let begun = transaction.versionBefore
        // Its rows are invalid from here on, whether or not the commit succeeds.
        writing.transaction = nil
        endWriting()
        advance()
        let outcome = outcome
        writing.outcome = nil
        var made: Snapshot?
        do throws(FreeholdError) {
            try end { () throws(FreeholdError) in
                version.lastShown = silent.isEmpty ? try transaction.commit(durability) : try transaction.commit(durability, holding: &made)
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
        writing.endOutcome(isCommitted: false)
        writing.noteCancelled()
        advance()
        if let observers, !isOver.load(ordering: .relaxed) {
            observers.tellOfCommit()
            requestTurn()
        }
    }

    private func rollback() {
        guard let transaction else { return }
        writing.transaction = nil
        end { transaction.rollback() }
    }

    /// Ends the write transaction on the thread that began it.
    private func end<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        guard let request = writing.takeRequest() else { return try body() }
        try shared.writes.end(request, body)
    }

    /// Clears the noted writer thread: before the lock is released, because the next writer sets it once it has the lock.
    private func endWriting() {
        shared.writer.store(0, ordering: .releasing)
        hold?.end()
    }

    /// Records for all classes which keys were reused since a version.
    private func remember(since version: Version?) throws(FreeholdError) {
        guard known.remembersKeys, let version else { return }
        for live in classes { try live.remember(since: version) }
    }

    /// Notes that an object of some class is about to change.
    func noteChange() { version.changes += 1 }

    /// Whether the write transaction of this number, which added an object, was cancelled.
    @inline(__always) func wasCancelled(_ number: UInt32) -> Bool { writing.wasCancelled(number) }
}
