import CShims
import FreeholdEngine
import Synchronization

/// An open realm: one file as one thread, queue or actor sees it, at one version at a time.
public final class RealmCore {
    let shared: SharedDatabase
    let schema: ModelSchema
    let confinement: Confinement
    /// What the realm was opened with.
    let settings: any Sendable
    let clusters = LiveClusters()
    /// Whether opening the file again finds it.
    private let isListed: Bool
    /// Counts up whenever rows found before are good no more.
    private(set) var epoch: UInt64 = 1
    /// Counts up whenever an object is about to change.
    private(set) var changes: UInt64 = 0
    private(set) var transaction: WriteTransaction?
    /// Counts how often the realm was invalidated, its lowest bits: objects and collections found before are invalid. One from exactly 256
    /// invalidations ago is taken for a valid one, and shows what is there.
    var generation: UInt8 = 0
    /// `generation` when the realm was read last.
    private(set) var readGeneration: UInt8 = 0
    /// The iterations over lists and sets that read by position.
    let iterations = Iterations()
    /// The thread that reads the short way.
    private(set) var fieldsThread: UInt
    private var snapshot: Snapshot?
    var classes: [LiveClass] = []
    /// The same, by reference only.
    ///
    /// Safe: the realm keeps its classes as long as it is there; it is used on one thread at a time, and no access is held over another.
    @exclusivity(unchecked) var places: [Unmanaged<LiveClass>] = []
    /// Classes of the file that are looked at without a class of the program, by name.
    var dynamicPlaces: TextMap<Int> = [:]
    /// The class asked for last.
    var lastClass: LiveClass?
    /// The same if the file has it, by its type.
    ///
    /// Safe: as above.
    @exclusivity(unchecked) var lastPresent: (type: ObjectBase.Type, live: Unmanaged<LiveClass>)?
    /// Classes by the numbers that the file gives them, which never change.
    private var numbered: [Int: LiveClass] = [:]
    /// What adding an object does where there is one with its key.
    var policy = UpdatePolicy.error
    /// What the values named that objects are being made of.
    var given: GivenValues?
    /// Counts write transactions of this realm.
    private(set) var writeNumber: UInt32 = 0
    /// Those that were cancelled after they had added objects.
    private var cancelled: Set<UInt32> = []
    /// The version that the realm shows or makes, its lowest bits.
    private(set) var seen: UInt32 = 0
    /// The version that the realm showed last, once it shows it no more.
    private var lastShown: Version?
    /// Whether objects were handed out that are known by keys which may come to be others'.
    var remembersKeys = false
    /// In a migration: takes the primary key off a class, so that objects can be given others; true if that is allowed.
    var releaseKey: ((String) throws -> Bool)?
    /// In a migration: the realm of the version before it.
    var previous: RealmCore?
    /// How many objects are being added, each led to by the one before.
    var depth = 0
    /// How many collections are being stored, each within the one before.
    var nested = 0
    /// The classes that a file which is only read does not have: they have no objects.
    private(set) lazy var absentClasses = findAbsentClasses()
    /// The version that a frozen realm shows; nil for others.
    let frozen: FrozenVersion?
    /// Whether the realm's thread has ended, or the frozen realm was let go of: it is of no use any more.
    let isOver = Atomic<Bool>(false)
    let forkGeneration = freehold_shim_fork_generation()
    /// What references to objects of the write transaction under way ask whether it was committed.
    var outcome: WriteOutcome?
    /// What the data refused in the write transaction of that number: it cannot be committed.
    var refusal: (write: UInt32, error: RealmError)?
    /// The turn of the write transaction under way, if it was begun by the keeper.
    private var turn: WriteTurn?
    /// What was asked to be written without waiting; once there was any.
    var asynchronous: AsynchronousWriting?
    /// Under which number the realm comes to itself; nil if it does not.
    var followed: UInt64?
    /// What runs work where the realm is, once it was needed.
    var scheduler: Scheduler?
    /// Whether commits of others show by themselves, and whether the program has said so.
    var hearsOthers = false
    var hearsOthersByWish: Bool?
    /// Who hears of changes, while there is anybody.
    var observers: RealmObservers?
    /// What keeps the realm while it writes; once it had to be kept.
    var hold: WriteHold?
    /// What `changes` was when the write transaction under way began.
    private(set) var changesBeforeWriting: UInt64 = 0

    /// - Parameter migrating: the write transaction of a migration; the realm is not found by others then.
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
        if let scheduler = confinement.scheduler {
            hearsOthers = true
            follow(by: scheduler)
        }
    }

    /// A frozen realm, of what another one shows.
    init(_ version: FrozenVersion, of core: RealmCore) {
        isListed = false
        shared = core.shared
        schema = core.schema
        confinement = .frozen
        settings = core.settings
        frozen = version
        // No thread's: fields of frozen clusters are read by whoever made them.
        fieldsThread = 0
        seen = UInt32(truncatingIfNeeded: version.version.rawValue)
        absentClasses = core.shared.terms.isReadOnly ? core.absentClasses : []
    }

    deinit {
        if frozen != nil { return shared.forgetFrozen(self) }
        if isListed { OpenRealms.shared.remove(self) }
        unfollow()
        clusters.retire()
        if transaction != nil { endWriting() }
        rollback()
    }

    // MARK: Where it is used

    /// Whether the caller may use the realm here; tells if not.
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

    /// Goes on with a version that was parked; with the newest one if it was taken away.
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

    /// Lets commits take the version away while the realm waits for its next turn, if it keeps too much of the file.
    func rest() {
        guard transaction == nil, let snapshot, !snapshot.isParked, snapshot.isHeld else { return }
        // What was read of it is read again once it is held for certain.
        advance()
        try? snapshot.park()
    }

    var snapshotVersion: Version? { snapshot?.version }

    /// The class that the file gives a number to; nil if the realm does not have it.
    func live(numbered number: Int) throws(FreeholdError) -> LiveClass? {
        if !isFrozen, let known = numbered[number] { return known }
        guard let name = try className(numbered: number), let found = live(named: name) else { return nil }
        // Each thread has classes of its own of a frozen realm.
        if isFrozen { return found }
        numbered[number] = found
        return found
    }

    /// Notes that the transaction has changed classes.
    func schemaChanged() {
        willChangeAll()
        advance()
    }

    /// Leaves the transaction of a migration to who began it.
    func endMigration() {
        transaction = nil
        releaseKey = nil
        previous = nil
        advance()
    }

    /// Forgets all that was found in the version before.
    private func advance() {
        epoch += 1
        clusters.retire()
        for live in classes { live.forget() }
    }

    /// Moves to the newest version; true if that is another one.
    func refresh() throws(FreeholdError) -> Bool {
        if transaction != nil || isFrozen || observers?.isDelivering == true { return false }
        guard let snapshot else {
            _ = try held()
            observers?.tellOfCommit()
            observers?.deliver()
            return false
        }
        iterations.detach()
        // What was read of it is read no more once it is let go, also if the same is held again.
        advance()
        let before = snapshot.version
        if snapshot.isParked || !snapshot.isHeld { try wake(snapshot) }
        // As long as the older one is held, the file knows which keys were given anew.
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

    /// Moves to the newest version because somebody has committed, unless the realm shows none.
    func moveOn() throws(FreeholdError) { if snapshot != nil || observers != nil { _ = try refresh() } }

    /// Lets the version go until something is asked for.
    func invalidate() {
        // What frozen things read stays where it is while they are there: other threads may be reading it.
        if isFrozen { return isOver.store(true, ordering: .relaxed) }
        if observers?.isDelivering == true { return }
        if transaction != nil { cancelWrite() }
        advance()
        lastShown = snapshot?.version ?? lastShown
        // An iterator may keep it for longer.
        snapshot?.end()
        snapshot = nil
    }

    /// Shows nothing any more: the thread that the realm belongs to ends.
    func endThread() {
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
    /// - Parameter turn: whose it is, if the keeper began it.
    func begin(_ transaction: WriteTransaction, _ turn: WriteTurn? = nil) {
        iterations.detach()
        shared.writer.store(Confinement.here, ordering: .releasing)
        self.transaction = transaction
        self.turn = turn
        readGeneration = generation
        // Safe: an object of so many transactions ago is held by nobody.
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

    /// Ends the write transaction and shows what it made.
    ///
    /// - Parameter silent: who is told nothing of it.
    func commitWrite(_ durability: Durability, silent: [Observer] = []) throws {
        guard let transaction = try acceptedTransaction() else { return }
        let begun = transaction.versionBefore
        // Rows of it are good no more from here on, whatever comes of it.
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
            // One that is not yet durable is committed all the same.
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

    /// Notes that this thread writes no more: before the lock is given back, as the next writer notes itself after it has it.
    private func endWriting() {
        shared.writer.store(0, ordering: .releasing)
        hold?.end()
    }

    /// Notes for all classes which keys have been given anew since a version.
    private func remember(since version: Version?) throws(FreeholdError) {
        guard remembersKeys, let version else { return }
        for live in classes { try live.remember(since: version) }
    }

    /// Notes that objects of any class are about to change.
    func willChangeAll() {
        for live in classes {
            live.willBeChanged()
            live.forgetNumber()
        }
    }

    /// Notes that objects of some class are about to change.
    func noteChange() { changes += 1 }

    /// Whether the write transaction of this number, which added an object, was cancelled.
    @inline(__always) func wasCancelled(_ number: UInt32) -> Bool { number != 0 && !cancelled.isEmpty && cancelled.contains(number) }
}
