import Dispatch
import FreeholdEngine
import Synchronization

/// Notifies the realms of a file, each where it is used, of commits by other threads, queues, actors or processes.
///
/// ```
/// commit ─► notify pipe ─► woken: suspends the pipe, tells who is not told yet ─► scheduler of each: listens again, moves on
/// ```
/// 1. The pipe is polled only while there is a realm that has not been notified: a commit while all have been costs the
///    writer nothing. A realm whose run loop or queue stands still is notified once, and delays no other realm.
/// 2. A realm that moves on resumes polling first: later commits notify it again, so none is missed.
/// 3. Polling begins only after a scheduler has run something: a program whose main thread has no run loop pays
///    nothing.
/// 4. The realm that resumes polling takes pending notifications for all realms, and then notifies the others.
/// 5. A realm removes itself before it is freed, and is retained before it is used.
///
/// Safe to share: all mutable state is guarded.
final class CommitFollowing<Realm: ConfinedRealm>: @unchecked Sendable {
    private let state = Mutex(State())
    private unowned let database: Database

    private struct State {
        var followers: [UInt64: Follower] = [:]
        var last: UInt64 = 0
        var ear: Ear?
        var isEnded = false

        var isHeard: Bool { followers.values.contains { $0.hears } }
        var isObserved: Bool { followers.values.contains { $0.isObserved } }

        /// The realms to notify, which count as notified from now on.
        mutating func tellAll() -> [(UInt64, Scheduler)] {
            var told: [(UInt64, Scheduler)] = []
            for (number, follower) in followers where follower.hears && !follower.isTold {
                followers[number]?.isTold = true
                told.append((number, follower.scheduler))
            }
            return told
        }

        mutating func closeEar() {
            ear?.close()
            ear = nil
        }
    }

    private struct Follower: Sendable {
        /// The realm, which is not kept (5).
        let realm: RegisteredReference<Realm>
        let scheduler: Scheduler
        /// Whether the realm is notified of commits; otherwise it comes only if it is called.
        var hears: Bool
        /// Whether the realm has observers, so that a commit without a notification would be missed.
        var isObserved = false
        /// Whether the realm was notified and has not come since.
        var isTold = true
    }

    init(_ database: Database) { self.database = database }

    /// Registers a realm to be notified through its scheduler. Returns its number.
    func add(_ realm: Realm, _ scheduler: Scheduler, hears: Bool) -> UInt64 {
        let follower = Follower(realm: RegisteredReference(realm), scheduler: scheduler, hears: hears)
        let number = state.withLock { state in
            state.last += 1
            state.followers[state.last] = follower
            return state.last
        }
        scheduler.schedule { [self] in come(number) }
        return number
    }

    func remove(_ number: UInt64) {
        state.withLock { state in
            state.followers[number] = nil
            if !state.isHeard { state.closeEar() }
        }
    }

    /// Sets whether a realm is notified of commits.
    func set(_ number: UInt64, hears: Bool) {
        state.withLock { state in
            state.followers[number]?.hears = hears
            if !state.isHeard { state.closeEar() }
        }
        call(number)
    }

    /// Sets whether a realm has observers.
    func set(_ number: UInt64, isObserved: Bool) {
        state.withLock { state in
            state.followers[number]?.isObserved = isObserved
            state.ear?.rereads = state.isObserved
        }
    }

    /// Lets a realm run `follow` at a later turn, for reasons of its own.
    func call(_ number: UInt64) {
        let scheduler = state.withLock { state -> Scheduler? in
            guard let follower = state.followers[number], !follower.isTold else { return nil }
            state.followers[number]?.isTold = true
            return follower.scheduler
        }
        scheduler?.schedule { [self] in come(number) }
    }

    /// Closes the pipe, as the process no longer has the file open. In a forked child the lock may be held for good.
    func end(isForked: Bool) {
        func end(_ state: inout State) {
            state.isEnded = true
            state.closeEar()
        }
        if isForked { _ = state.withLockIfAvailable { end(&$0) } } else { state.withLock { end(&$0) } }
    }

    /// Called after a commit.
    private func wake() {
        tell(state.withLock { state in
            // Without a commit source, or with nothing to take, this was only the listener polling on its own.
            guard state.ear?.take() != nil else { return [] }
            // Suspended until a realm comes (1).
            state.ear?.suspend()
            return state.tellAll()
        })
    }

    private func tell(_ followers: [(UInt64, Scheduler)]) {
        for (number, scheduler) in followers { scheduler.schedule { [self] in come(number) } }
    }

    /// Runs where the realm is used: the realm moves on to new commits.
    private func come(_ number: UInt64) {
        var others: [(UInt64, Scheduler)] = []
        let found = state.withLock { state -> Kept<Realm>? in
            guard !state.isEnded, let follower = state.followers[number], let realm = follower.realm.kept() else { return nil }
            if state.isHeard { others = listen(&state, for: number) }
            state.followers[number]?.isTold = false
            return realm
        }
        tell(others)
        found?.object.follow()
    }

    /// Resumes polling; returns the other realms to notify of commits meanwhile (4).
    private func listen(_ state: inout State, for number: UInt64) -> [(UInt64, Scheduler)] {
        // A file on a read-only medium, or one with too many listeners, cannot be polled.
        if state.ear == nil {
            state.ear = (try? database.listen(rereading: state.isObserved)).map { Ear($0) { [weak self] in self?.wake() } }
        }
        defer { state.ear?.listen() }
        guard state.ear?.take() != nil else { return [] }
        state.followers[number]?.isTold = true
        return state.tellAll()
    }
}
