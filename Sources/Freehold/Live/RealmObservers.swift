import FreeholdEngine

/// Everybody who hears of changes of one realm.
///
/// ```
/// settled: all stand at one version ──── a step that all share ────► the version shown ─► those whom it touches tell, in the order they came
/// coming:  not begun, or at versions of their own ── begin, steps ──┘
/// ```
/// 1. What is told agrees with what the realm shows at that moment, and nothing is told twice or left out.
/// 2. Nobody is told while somebody is being told: what is committed meanwhile is told at a later turn.
/// 3. The version that the settled stand at is held, but parked while nobody is told: a commit may take it away if it keeps too much of the
///    file. Then all begin anew.
/// 4. It is used where the realm is.
final class RealmObservers {
    /// When somebody is told.
    enum Occasion {
        /// At a turn of the realm's queue, actor or run loop, or because the program refreshes.
        case turn
        /// Before a write transaction does anything.
        case writing
    }

    // Safe: the core owns them.
    private unowned(unsafe) let core: RealmCore
    private(set) var isDelivering = false
    /// Whether they are told before the write transaction under way does anything.
    private(set) var isBeforeWriting = false
    private var last: UInt64 = 0
    /// How many of the settled were asked at the last step.
    private(set) var lastAsked = 0
    private var standing: Snapshot?
    private var settled: [UInt64: Observer] = [:]
    private var index = ObserverIndex()
    private var coming: [Comer] = []
    private var realmListeners: [RealmListener] = []
    private var toldVersion: Version?
    /// What objects are looked at, the same for all who look alike.
    let observed = SharedObservedObjects()

    private struct Comer {
        let observer: Observer
        /// The version that it stands at; nil if it has not begun.
        let snapshot: Snapshot?
    }

    init(_ core: RealmCore) { self.core = core }

    /// Whether nobody is there.
    var isEmpty: Bool { settled.isEmpty && coming.isEmpty && realmListeners.isEmpty }
    /// The version that the settled stand at.
    var standingVersion: Version? { standing?.version }
    /// Whether somebody hears of commits as such.
    var hearsOfCommits: Bool { !realmListeners.isEmpty }

    func add(_ observer: Observer) throws {
        last += 1
        observer.number = last
        if let listener = observer as? RealmListener {
            if realmListeners.isEmpty { toldVersion = try core.shownVersion() }
            return realmListeners.append(listener)
        }
        guard observer.beginsAtOnce else { return coming.append(Comer(observer: observer, snapshot: nil)) }
        let snapshot = try observer.takeStart() ?? core.heldForObservers()
        if try observer.begin(at: snapshot) { core.requestTurn() }
        coming.append(Comer(observer: observer, snapshot: snapshot))
        try? snapshot.park()
    }

    func remove(_ observer: Observer) {
        observer.end()
        settled[observer.number] = nil
        index.remove(observer.number)
        coming = coming.filter { $0.observer !== observer }
        realmListeners = realmListeners.filter { $0 !== observer }
        if !isDelivering { restIfEmpty() }
    }

    /// Ends those who observe an object or a collection that the realm has made invalid.
    func endInvalidated() {
        for observer in Array(settled.values) + coming.map(\.observer) where observer.isInvalidated {
            observer.stop()
            remove(observer)
        }
    }

    /// Ends all: the realm shows nothing any more.
    func end() {
        for observer in settled.values { observer.stop() }
        for comer in coming { comer.observer.stop() }
        for listener in realmListeners { listener.stop() }
        (settled, index, coming, realmListeners, standing) = ([:], ObserverIndex(), [], [], nil)
        observed.forget()
    }

    /// What interests somebody has changed.
    func noteInterest(of observer: Observer) { if settled[observer.number] != nil { index.insert(observer) } }

    /// Holds nothing any more that only those need who stand somewhere.
    private func restIfEmpty() {
        if settled.isEmpty { standing = nil }
        if settled.isEmpty, coming.isEmpty { observed.forget() }
    }

    // MARK: Telling

    /// Tells everybody of what the realm shows now.
    func deliver(_ occasion: Occasion = .turn) {
        if isDelivering || settled.isEmpty && coming.isEmpty { return }
        isDelivering = true
        isBeforeWriting = occasion == .writing
        defer {
            (isDelivering, isBeforeWriting) = (false, false)
            restIfEmpty()
            try? standing?.park()
        }
        let due = core.attempt([]) { try collect() }
        for observer in due.sorted(by: { $0.number < $1.number }) where !observer.isStopped { observer.tell() }
    }

    /// Moves everybody to the version shown; who has something to tell then.
    private func collect() throws -> [Observer] {
        let shown = try core.shownVersion()
        if standing?.version == shown, coming.isEmpty { return [] }
        let now = try standingHeld(at: shown) ?? core.heldForObservers()
        var due: [Observer] = []
        if let old = standing, old.version != shown, !settled.isEmpty { due = try advanceSettled(from: old, to: now) }
        standing = now
        let waiting = coming
        coming = []
        var steps: [(from: Snapshot, step: VersionStep?)] = []
        for comer in waiting {
            if comer.observer.isStopped { continue }
            if try settle(comer, at: now, &steps) { due.append(comer.observer) }
        }
        for (from, _) in steps { try? from.park() }
        return due
    }

    private func standingHeld(at version: Version) throws -> Snapshot? {
        guard let standing, standing.version == version else { return nil }
        return try Self.isThere(standing) ? standing : nil
    }

    /// Whether a version that may have been parked is held still.
    static func isThere(_ snapshot: Snapshot) throws(FreeholdError) -> Bool {
        do throws(FreeholdError) { try snapshot.resume() } catch {
            if error.code == .revoked { return false }
            throw error
        }
        return snapshot.isHeld
    }

    private func advanceSettled(from old: Snapshot, to now: Snapshot) throws -> [Observer] {
        guard try Self.isThere(old) else {
            return settled.values.filter { observer in
                defer { noteInterest(of: observer) }
                return attempt(observer) { try observer.restart(at: now) }
            }
        }
        defer { try? old.park() }
        let step = try VersionStep(from: old, to: now)
        // Whom nothing has touched since then stand there still.
        step.untouchedSince = Version(0)
        let touched = try index.touched(by: step)
        let asked = touched.map { $0.compactMap { settled[$0] } } ?? Array(settled.values)
        lastAsked = asked.count
        return asked.filter { observer in
            let isDue = attempt(observer) { try observer.advance(step) }
            if touched == nil { noteInterest(of: observer) }
            return isDue
        }
    }

    /// Brings one who came to the version that the others stand at; true if there is something to tell.
    private func settle(_ comer: Comer, at now: Snapshot, _ steps: inout [(from: Snapshot, step: VersionStep?)]) throws -> Bool {
        let observer = comer.observer
        var isDue = false
        if let snapshot = comer.snapshot {
            if snapshot !== now, snapshot.version != now.version {
                let step: VersionStep?
                if let known = steps.first(where: { $0.from === snapshot }) { step = known.step } else {
                    step = try Self.isThere(snapshot) ? try VersionStep(from: snapshot, to: now) : nil
                    step?.untouchedSince = Version(0)
                    steps.append((snapshot, step))
                }
                isDue = attempt(observer) { try step.map { try observer.advance($0) } ?? observer.restart(at: now) }
            }
        } else {
            isDue = attempt(observer) { try observer.begin(at: now) }
        }
        if observer.isStopped { return false }
        settled[observer.number] = observer
        index.insert(observer)
        return isDue || observer.isWaitingToTell
    }

    /// What follows something that is no more says so, and is told no more.
    private func attempt(_ observer: Observer, _ body: () throws -> Bool) -> Bool {
        if observer.isStopped { return false }
        do { return try body() } catch {
            observer.fail(error)
            observer.stop()
            remove(observer)
            return false
        }
    }

    // MARK: Commits

    /// The realm has committed.
    ///
    /// - Parameters:
    ///   - silent: who is told nothing of what it did.
    ///   - made: the version made, if there are such, and if it was not empty.
    ///   - begun: the version that the write began with.
    func committed(silent: [Observer], made: Snapshot?, begun: Version) {
        if let made, let standing, standing.version == begun { core.attempt(()) { try pass(silent, from: standing, to: made) } }
        if !settled.isEmpty || !coming.isEmpty { core.requestTurn() }
        tellOfCommit(always: true, but: silent)
    }

    /// Moves some to a version without telling them; they wait there for the others.
    private func pass(_ silent: [Observer], from old: Snapshot, to made: Snapshot) throws {
        let passed = silent.filter { settled[$0.number] != nil }
        guard !passed.isEmpty, try Self.isThere(old) else { return }
        let step = try VersionStep(from: old, to: made)
        step.untouchedSince = Version(0)
        for observer in passed {
            _ = attempt(observer) { try observer.advance(step) }
            observer.forget()
            if observer.isStopped { continue }
            settled[observer.number] = nil
            index.remove(observer.number)
            coming.append(Comer(observer: observer, snapshot: made))
        }
        try? made.park()
        if !isDelivering { try? old.park() }
    }

    /// Tells those who hear of commits that the realm shows another version, or of a commit of its own.
    ///
    /// - Parameter silent: those that the commit leaves out.
    func tellOfCommit(always: Bool = false, but silent: [Observer] = []) {
        guard !realmListeners.isEmpty else { return }
        let shown = core.attempt(nil as Version?) { try core.shownVersion() }
        if !always, shown == toldVersion { return }
        toldVersion = shown
        tell(.didChange, but: silent)
    }

    /// Tells them that there is a newer version, which the realm does not show by itself.
    func tellOfNewer(_ version: Version) {
        if realmListeners.isEmpty || version == newerVersion { return }
        newerVersion = version
        tell(.refreshRequired)
    }

    /// The newest version of which they were told that it is not shown.
    private var newerVersion: Version?

    private func tell(_ event: RealmEvent, but silent: [Observer] = []) {
        for listener in realmListeners where !listener.isStopped && !silent.contains(where: { $0 === listener }) { listener.tell(event) }
    }
}

/// What becomes of a realm's version.
enum RealmEvent { case didChange, refreshRequired }

/// Somebody who hears of every commit.
final class RealmListener: Observer {
    private let block: (RealmEvent) -> Void
    init(_ block: @escaping (RealmEvent) -> Void) { self.block = block }
    func tell(_ event: RealmEvent) { block(event) }
}
