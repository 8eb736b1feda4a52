/// Observers that are kept together from version to version, at a cost that follows what a commit touches.
///
/// ```
/// settled: all stand at one version ──── a step that all share ────► the next version ─► those it touches are due, in the order they came
/// coming:  not begun, or at versions of their own ── begin, steps ──┘
/// ```
/// 1. Settled observers are at the version of `standing`: an observer that no step has touched since it was advanced
///    last has missed nothing. No change is reported twice or left out.
/// 2. A step advances only the observers whose `interest` it touches; after a change of classes it advances all of them.
/// 3. The caller parks `standing` between moves, so a commit may take it away if it keeps too much of the file. Then all
///    settled observers restart.
/// 4. An observer whose `begin`, `advance` or `restart` throws has failed: it stops and is removed. If its `fail` throws,
///    that ends the hub, because some observers have moved on then and others have not.
/// 5. Moves do not nest: nothing that an observer does within a step moves the hub. Observers may be added and removed
///    while others are told.
/// 6. It is used on one thread at a time.
public final class ObserverHub {
    /// The version that the settled observers are at; nil before the first move.
    public private(set) var standing: Snapshot?
    /// How many settled observers the last step advanced.
    public private(set) var lastAdvanced = 0
    /// The error that has ended the hub (4); every later move throws it again.
    public private(set) var failure: (any Error)?
    private var last: UInt64 = 0
    private var settled: [UInt64: Observer] = [:]
    private var index = ObserverIndex()
    private var coming: [Comer] = []

    private struct Comer {
        let observer: Observer
        /// The version that the observer is at; nil if it has not begun.
        let snapshot: Snapshot?
    }

    /// What a move to another version found.
    public struct Move {
        /// The observers that have something to report, in the order of registration.
        public fileprivate(set) var due: [Observer] = []
        /// The version moved from, still held; nil if there was none, or if it was taken away.
        public fileprivate(set) var before: Snapshot?
    }

    /// - Parameter standing: the version to begin at; nil for that of the first move.
    public init(at standing: Snapshot? = nil) { self.standing = standing }

    /// Whether there are no observers.
    public var isEmpty: Bool { settled.isEmpty && coming.isEmpty }
    /// Whether observers wait for the next move to join the others.
    public var hasComers: Bool { !coming.isEmpty }
    /// A settled observer by its number.
    public func settledObserver(numbered number: UInt64) -> Observer? { settled[number] }
    /// All observers, in no order.
    private var observers: [Observer] { Array(settled.values) + coming.map(\.observer) }

    // MARK: Joining and leaving

    /// Adds an observer that joins the others with the next move.
    ///
    /// - Parameter snapshot: the version that it has begun at; nil if it has not begun.
    public func add(_ observer: Observer, at snapshot: Snapshot? = nil) {
        number(observer)
        coming.append(Comer(observer: observer, snapshot: snapshot))
    }

    /// Adds an observer that has begun at the version of `standing`.
    public func settle(_ observer: Observer) {
        number(observer)
        join(observer)
    }

    private func number(_ observer: Observer) {
        last += 1
        observer.number = last
    }

    private func join(_ observer: Observer) {
        settled[observer.number] = observer
        index.insert(observer)
    }

    /// Removes an observer; one that is not here is left alone.
    public func remove(_ observer: Observer) {
        observer.end()
        if settled[observer.number] === observer { leave(observer) }
        coming = coming.filter { $0.observer !== observer }
    }

    private func leave(_ observer: Observer) {
        settled[observer.number] = nil
        index.remove(observer.number)
    }

    /// Stops and removes the observers of what was invalidated.
    public func removeInvalidated() {
        for observer in observers where observer.isInvalidated {
            observer.stop()
            remove(observer)
        }
    }

    /// Stops all observers and forgets them, and releases the version.
    public func end() {
        for observer in observers { observer.stop() }
        (settled, index, coming, standing) = ([:], ObserverIndex(), [], nil)
    }

    /// Releases the version if no observer is settled.
    public func releaseUnused() { if settled.isEmpty { standing = nil } }

    /// Updates the index after an observer's interest has changed.
    public func noteInterest(of observer: Observer) { if settled[observer.number] === observer { index.insert(observer) } }

    // MARK: Moving

    /// Moves all observers to a version.
    ///
    /// Both versions are held then; the caller parks or ends the older one.
    ///
    /// - Throws: the errors of `VersionStep`, with nothing moved, and what `Observer.fail` throws.
    public func move(to now: Snapshot) throws -> Move {
        if let failure { throw failure }
        var move = Move()
        if let old = standing, old !== now, old.version != now.version {
            if try old.resumeIfKept() { move.before = old }
            move.due = try moveSettled(from: move.before, to: now)
        }
        standing = now
        let comers = coming
        coming = []
        var steps: [(from: Snapshot, step: VersionStep?)] = []
        for comer in comers where !comer.observer.isStopped { if try settle(comer, at: now, &steps) { move.due.append(comer.observer) } }
        for (from, _) in steps { try? from.park() }
        move.due.sort { $0.number < $1.number }
        return move
    }

    private func moveSettled(from old: Snapshot?, to now: Snapshot) throws -> [Observer] {
        guard let old else { return try restart(at: now) }
        if settled.isEmpty { return [] }
        let step = try VersionStep(from: old, to: now)
        // Observers that no step has touched since are still at an older version (1).
        step.untouchedSince = Version(0)
        let touched = try index.touched(by: step)
        let advanced = touched.map { $0.compactMap { settled[$0] } } ?? Array(settled.values)
        lastAdvanced = advanced.count
        return try advanced.filter { observer in
            let isDue = try attempt(observer) { try observer.advance(step) }
            if touched == nil { noteInterest(of: observer) }
            return isDue
        }
    }

    private func restart(at now: Snapshot) throws -> [Observer] {
        lastAdvanced = settled.count
        return try settled.values.filter { observer in
            let isDue = try attempt(observer) { try observer.restart(at: now) }
            noteInterest(of: observer)
            return isDue
        }
    }

    /// Brings a new observer to the version of the others; returns whether it has something to report.
    private func settle(_ comer: Comer, at now: Snapshot, _ steps: inout [(from: Snapshot, step: VersionStep?)]) throws -> Bool {
        let observer = comer.observer
        var isDue = false
        if let snapshot = comer.snapshot {
            if snapshot !== now, snapshot.version != now.version {
                let step = try step(from: snapshot, to: now, &steps)
                isDue = try attempt(observer) { try step.map { try observer.advance($0) } ?? observer.restart(at: now) }
            }
        } else {
            isDue = try attempt(observer) { try observer.begin(at: now) }
        }
        if observer.isStopped { return isDue }
        join(observer)
        return isDue || observer.isWaitingToTell
    }

    /// A step that comers from one version share; nil if that version was taken away.
    private func step(from old: Snapshot, to now: Snapshot, _ known: inout [(from: Snapshot, step: VersionStep?)]) throws -> VersionStep? {
        if let known = known.first(where: { $0.from === old }) { return known.step }
        let step = try old.resumeIfKept() ? try VersionStep(from: old, to: now) : nil
        step?.untouchedSince = Version(0)
        known.append((old, step))
        return step
    }

    /// Moves some settled observers ahead of the others, and drops what they would report; they wait there for the
    /// others.
    ///
    /// - Parameter made: a version after that of `standing`.
    public func pass(_ observers: [Observer], to made: Snapshot) throws {
        let passed = observers.filter { settled[$0.number] === $0 }
        guard !passed.isEmpty, let old = standing, try old.resumeIfKept() else { return }
        let step = try VersionStep(from: old, to: made)
        step.untouchedSince = Version(0)
        for observer in passed {
            _ = try attempt(observer) { try observer.advance(step) }
            observer.forget()
            if observer.isStopped { continue }
            leave(observer)
            coming.append(Comer(observer: observer, snapshot: made))
        }
        try? made.park()
    }

    /// Runs a step of an observer; if it throws, the observer has failed (4).
    private func attempt(_ observer: Observer, _ body: () throws -> Bool) throws -> Bool {
        if observer.isStopped { return false }
        do { return try body() } catch {
            defer {
                observer.stop()
                remove(observer)
            }
            do { return try observer.fail(error) } catch {
                failure = error
                throw error
            }
        }
    }
}

extension Snapshot {
    /// Holds a version firmly that may have been parked; returns whether it is still held.
    public func resumeIfKept() throws(FreeholdError) -> Bool {
        do throws(FreeholdError) { try resume() } catch {
            if error.code == .revoked { return false }
            throw error
        }
        return isHeld
    }
}
