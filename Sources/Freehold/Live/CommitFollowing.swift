import CShims
import Dispatch
import FreeholdEngine
import Synchronization

/// Tells the realms of a file, each where it is used, that somebody has committed: another thread, queue or actor, or another process.
///
/// ```
/// commit ─► notify pipe ─► woken: suspends the pipe, tells who is not told yet ─► scheduler of each: listens again, moves on
/// ```
/// 1. The pipe is heard only while a realm is not told yet: whatever is committed while all are costs the one who commits nothing. A
///    realm whose run loop or queue stands still is told once, and stops nobody else from being told.
/// 2. Who moves on listens first: what is committed after that is told again, so nothing is missed.
/// 3. Nothing is listened to before a scheduler has run something: a program whose main thread has no run loop pays nothing.
/// 4. Who listens takes note for all of what the pipe has told: were it not told yet, the others are told now.
/// 5. A realm takes itself out before it is gone, and is retained before it is used.
///
/// Safe to share: all that changes is guarded.
final class CommitFollowing: @unchecked Sendable {
    private let state = Mutex(State())
    private unowned let database: Database

    private struct State {
        var followers: [UInt64: Follower] = [:]
        var last: UInt64 = 0
        var ear: Ear?
        var isEnded = false

        var isHeard: Bool { followers.values.contains { $0.hears } }
        var isObserved: Bool { followers.values.contains { $0.isObserved } }

        /// Who is to be told, and counts as told from now on.
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

    /// Safe to share: see (5).
    private struct Follower: @unchecked Sendable {
        let core: Unmanaged<RealmCore>
        let scheduler: Scheduler
        /// Whether it is told of commits; else it comes only if it is called.
        var hears: Bool
        /// Whether somebody observes through it, so that a commit nobody told of would be missed.
        var isObserved = false
        /// Whether it has not come since it was told.
        var isTold = true
    }

    init(_ database: Database) { self.database = database }

    /// Has a realm told from now on, through its scheduler. Returns the number under which it is.
    func add(_ core: RealmCore, _ scheduler: Scheduler, hears: Bool) -> UInt64 {
        let follower = Follower(core: .passUnretained(core), scheduler: scheduler, hears: hears)
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

    /// Has a realm told of commits, or not any more.
    func set(_ number: UInt64, hears: Bool) {
        state.withLock { state in
            state.followers[number]?.hears = hears
            if !state.isHeard { state.closeEar() }
        }
        call(number)
    }

    /// Notes whether somebody observes through a realm.
    func set(_ number: UInt64, isObserved: Bool) {
        state.withLock { state in
            state.followers[number]?.isObserved = isObserved
            state.ear?.rereads = state.isObserved
        }
    }

    /// Has a realm come to itself at a later turn, for reasons of its own.
    func call(_ number: UInt64) {
        let scheduler = state.withLock { state -> Scheduler? in
            guard let follower = state.followers[number], !follower.isTold else { return nil }
            state.followers[number]?.isTold = true
            return follower.scheduler
        }
        scheduler?.schedule { [self] in come(number) }
    }

    /// Closes the pipe: nobody has the file open any more. In a forked child the lock may be held for good.
    func end(isForked: Bool) {
        func end(_ state: inout State) {
            state.isEnded = true
            state.closeEar()
        }
        if isForked { _ = state.withLockIfAvailable { end(&$0) } } else { state.withLock { end(&$0) } }
    }

    /// Somebody has committed.
    private func wake() {
        tell(state.withLock { state in
            // Without an ear, or with nothing to take, it has looked by itself only.
            guard state.ear?.take() != nil else { return [] }
            // Suspended until somebody comes (1).
            state.ear?.suspend()
            return state.tellAll()
        })
    }

    private func tell(_ followers: [(UInt64, Scheduler)]) {
        for (number, scheduler) in followers { scheduler.schedule { [self] in come(number) } }
    }

    /// A realm comes, where it is used, to see what is new.
    private func come(_ number: UInt64) {
        var others: [(UInt64, Scheduler)] = []
        let found = state.withLock { state -> Unmanaged<RealmCore>? in
            // Safe: see (5).
            guard !state.isEnded, let follower = state.followers[number], swift_tryRetain(follower.core.toOpaque()) != nil else { return nil }
            if state.isHeard { others = listen(&state, for: number) }
            state.followers[number]?.isTold = false
            return follower.core
        }
        tell(others)
        found?.takeRetainedValue().follow()
    }

    /// Listens again; who else is to be told of what has come meanwhile (4).
    private func listen(_ state: inout State, for number: UInt64) -> [(UInt64, Scheduler)] {
        // A file on a read-only medium, or one with too many listeners, is not heard.
        if state.ear == nil {
            state.ear = (try? database.listen(rereading: state.isObserved)).map { Ear($0) { [weak self] in self?.wake() } }
        }
        defer { state.ear?.listen() }
        guard state.ear?.take() != nil else { return [] }
        state.followers[number]?.isTold = true
        return state.tellAll()
    }
}
