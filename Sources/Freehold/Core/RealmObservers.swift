import FreeholdEngine

/// The observers of one realm.
///
/// ```
/// settled: all stand at one version ──── a step that all share ────► the version shown ─► those whom it touches tell, in the order they came
/// coming:  not begun, or at versions of their own ── begin, steps ──┘
/// ```
/// 1. A notification agrees with what the realm shows at that moment; no change is reported twice or left out.
/// 2. Notifications do not nest: commits made during one are reported at a later turn.
/// 3. The version of the settled observers is held, but parked between notifications: a commit may take it away if it
///    keeps too much of the file. Then all observers begin anew.
/// 4. It is used where the realm is used.
final class RealmObservers {
    /// When notifications are sent.
    enum Occasion {
        /// At a turn of the realm's queue, actor or run loop, or because the program refreshes.
        case turn
        /// Before a write transaction changes anything.
        case writing
    }

    // Safe: the core owns them.
    private unowned(unsafe) let core: RealmCore
    private(set) var isDelivering = false
    /// Whether notifications are being sent before the write transaction under way changes anything.
    private(set) var isBeforeWriting = false
    private var last: UInt64 = 0
    /// How many settled observers were advanced at the last step.
    private(set) var lastAsked = 0
    private var standing: Snapshot?
    private var settled: [UInt64: Observer] = [:]
    private var index = ObserverIndex()
    private var coming: [Comer] = []
    private var realmListeners: [RealmListener] = []
    private var toldVersion: Version?
    /// The observed objects, shared by all observers with the same key paths.
    let observed = SharedObservedObjects()

    private struct Comer {
        let observer: Observer
        /// The version that the observer is at; nil if it has not begun.
        let snapshot: Snapshot?
    }

    init(_ core: RealmCore) { self.core = core }

    /// Whether there are no observers.
    var isEmpty: Bool { settled.isEmpty && coming.isEmpty && realmListeners.isEmpty }
    /// The version that the settled observers are at.
    var standingVersion: Version? { standing?.version }
    /// Whether commits as such are observed.
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

    /// Ends the observers of objects and collections that were invalidated with the realm.
    func endInvalidated() {
        for observer in Array(settled.values) + coming.map(\.observer) where observer.isInvalidated {
            observer.stop()
            remove(observer)
        }
    }

    /// Ends all observers, because the realm ends.
    func end() {
        for observer in settled.values { observer.stop() }
        for comer in coming { comer.observer.stop() }
        for listener in realmListeners { listener.stop() }
        (settled, index, coming, realmListeners, standing) = ([:], ObserverIndex(), [], [], nil)
        observed.forget()
    }

    /// Updates the index after an observer's interest has changed.
    func noteInterest(of observer: Observer) { if settled[observer.number] != nil { index.insert(observer) } }

    /// Releases what only settled or coming observers need, if there are none.
    private func restIfEmpty() {
        if settled.isEmpty { standing = nil }
        if settled.isEmpty, coming.isEmpty { observed.forget() }
    }

    // MARK: Notifying

    /// Notifies all observers of what the realm shows now.
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

    /// Moves all observers to the version shown; returns those with something to report.
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

    /// Resumes a version that may have been parked; returns whether it is still held.
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
        // Observers that no step has touched since are still at an older version.
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

    /// Brings a new observer to the version of the others; returns whether it has something to report.
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

    /// Runs a step of an observer; if it throws, the observer reports the error, and ends.
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

    /// Handles a commit of the realm.
    ///
    /// - Parameters:
    ///   - silent: observers that are not notified of its changes.
    ///   - made: the new version, if there are silent observers, and if the commit was not empty.
    ///   - begun: the version that the write began with.
    func committed(silent: [Observer], made: Snapshot?, begun: Version) {
        if let made, let standing, standing.version == begun { core.attempt(()) { try pass(silent, from: standing, to: made) } }
        if !settled.isEmpty || !coming.isEmpty { core.requestTurn() }
        tellOfCommit(always: true, but: silent)
    }

    /// Moves silent observers to a version without notifying them; they wait there for the others.
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

    /// Notifies observers of commits that the realm shows another version, or has committed itself.
    ///
    /// - Parameter silent: observers that are not notified of the commit.
    func tellOfCommit(always: Bool = false, but silent: [Observer] = []) {
        guard !realmListeners.isEmpty else { return }
        let shown = core.attempt(nil as Version?) { try core.shownVersion() }
        if !always, shown == toldVersion { return }
        toldVersion = shown
        tell(.didChange, but: silent)
    }

    /// Notifies observers of commits that there is a newer version, which the realm does not move to automatically.
    func tellOfNewer(_ version: Version) {
        if realmListeners.isEmpty || version == newerVersion { return }
        newerVersion = version
        tell(.refreshRequired)
    }

    /// The newest version for which `refreshRequired` was sent.
    private var newerVersion: Version?

    private func tell(_ event: RealmEvent, but silent: [Observer] = []) {
        for listener in realmListeners where !listener.isStopped && !silent.contains(where: { $0 === listener }) { listener.tell(event) }
    }
}

/// A change of a realm's version.
enum RealmEvent { case didChange, refreshRequired }

/// An observer of every commit.
final class RealmListener: Observer {
    private let block: (RealmEvent) -> Void
    init(_ block: @escaping (RealmEvent) -> Void) { self.block = block }
    func tell(_ event: RealmEvent) { block(event) }
}
