import FreeholdEngine

/// The observers of one realm: an `ObserverHub` that follows what the realm shows, and observers of commits as such.
///
/// 1. A notification agrees with what the realm shows at that moment; no change is reported twice or left out.
/// 2. Notifications do not nest: commits made during one are reported at a later turn.
/// 3. The version of the settled observers is parked between notifications.
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
    private let hub = ObserverHub()
    private(set) var isDelivering = false
    /// Whether notifications are being sent before the write transaction under way changes anything.
    private(set) var isBeforeWriting = false
    private var realmListeners: [RealmListener] = []
    private var toldVersion: Version?
    /// The observed objects, shared by all observers with the same key paths.
    let observed = SharedObservedObjects()

    init(_ core: RealmCore) { self.core = core }

    /// Whether there are no observers.
    var isEmpty: Bool { hub.isEmpty && realmListeners.isEmpty }
    /// The version that the settled observers are at.
    var standingVersion: Version? { hub.standing?.version }
    /// Whether commits as such are observed.
    var hearsOfCommits: Bool { !realmListeners.isEmpty }
    /// How many settled observers were advanced at the last step.
    var lastAsked: Int { hub.lastAdvanced }

    func add(_ observer: Observer) throws {
        if let listener = observer as? RealmListener {
            if realmListeners.isEmpty { toldVersion = try core.shownVersion() }
            return realmListeners.append(listener)
        }
        guard observer.beginsAtOnce else { return hub.add(observer) }
        let snapshot = try observer.takeStart() ?? core.heldForObservers()
        if try observer.begin(at: snapshot) { core.requestTurn() }
        hub.add(observer, at: snapshot)
        try? snapshot.park()
    }

    func remove(_ observer: Observer) {
        hub.remove(observer)
        realmListeners = realmListeners.filter { $0 !== observer }
        if !isDelivering { restIfEmpty() }
    }

    /// Ends the observers of objects and collections that were invalidated with the realm.
    func endInvalidated() {
        hub.removeInvalidated()
        if !isDelivering { restIfEmpty() }
    }

    /// Ends all observers, because the realm ends.
    func end() {
        hub.end()
        for listener in realmListeners { listener.stop() }
        realmListeners = []
        observed.forget()
    }

    /// Updates the index after an observer's interest has changed.
    func noteInterest(of observer: Observer) { hub.noteInterest(of: observer) }

    /// Releases what only settled or coming observers need, if there are none.
    private func restIfEmpty() {
        hub.releaseUnused()
        if hub.isEmpty { observed.forget() }
    }

    // MARK: Notifying

    /// Notifies all observers of what the realm shows now.
    func deliver(_ occasion: Occasion = .turn) {
        if isDelivering || hub.isEmpty { return }
        isDelivering = true
        isBeforeWriting = occasion == .writing
        defer {
            (isDelivering, isBeforeWriting) = (false, false)
            restIfEmpty()
            try? hub.standing?.park()
        }
        for observer in core.attempt([], { try moveOn() }) where !observer.isStopped { observer.tell() }
    }

    /// Moves all observers to the version shown; returns those with something to report.
    private func moveOn() throws -> [Observer] {
        let shown = try core.shownVersion(), standing = hub.standing?.version == shown ? hub.standing : nil
        if standing != nil, !hub.hasComers { return [] }
        let now = if let standing, try standing.resumeIfKept() { standing } else { try core.heldForObservers() }
        let move = try hub.move(to: now)
        try? move.before?.park()
        return move.due
    }

    // MARK: Commits

    /// Handles a commit of the realm.
    ///
    /// - Parameters:
    ///   - silent: observers that are not notified of its changes.
    ///   - made: the new version, if there are silent observers, and if the commit was not empty.
    ///   - begun: the version that the write began with.
    func committed(silent: [Observer], made: Snapshot?, begun: Version) {
        if let made, hub.standing?.version == begun {
            core.attempt(()) { try hub.pass(silent, to: made) }
            if !isDelivering { try? hub.standing?.park() }
        }
        if !hub.isEmpty { core.requestTurn() }
        tellOfCommit(always: true, but: silent)
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
