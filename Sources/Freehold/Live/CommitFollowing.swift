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
/// 4. A realm takes itself out before it is gone, and is retained before it is used.
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

        mutating func closeEar() {
            ear?.close()
            ear = nil
        }
    }

    /// Safe to share: see (4).
    private struct Follower: @unchecked Sendable {
        let core: Unmanaged<RealmCore>
        let scheduler: Scheduler
        /// Whether it has not come since it was told.
        var isTold = true
    }

    init(_ database: Database) { self.database = database }

    /// Has a realm told from now on, through its scheduler. Returns the number under which it is.
    func add(_ core: RealmCore, _ scheduler: Scheduler) -> UInt64 {
        let follower = Follower(core: .passUnretained(core), scheduler: scheduler)
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
            if state.followers.isEmpty { state.closeEar() }
        }
    }

    /// Closes the pipe: nobody has the file open any more.
    func end() {
        state.withLock { state in
            state.isEnded = true
            state.closeEar()
        }
    }

    /// Somebody has committed.
    private func wake() {
        let told = state.withLock { state in
            // Suspended until somebody comes (1).
            state.ear?.suspend()
            var told: [(UInt64, Scheduler)] = []
            for (number, follower) in state.followers where !follower.isTold {
                state.followers[number]?.isTold = true
                told.append((number, follower.scheduler))
            }
            return told
        }
        for (number, scheduler) in told { scheduler.schedule { [self] in come(number) } }
    }

    /// A realm comes, where it is used, to see what is new.
    private func come(_ number: UInt64) {
        let found = state.withLock { state -> Unmanaged<RealmCore>? in
            // Safe: see (4).
            guard !state.isEnded, let follower = state.followers[number], swift_tryRetain(follower.core.toOpaque()) != nil else { return nil }
            state.followers[number]?.isTold = false
            // A file on a read-only medium, or one with too many listeners, is not heard.
            if state.ear == nil { state.ear = (try? database.listen()).map { Ear($0) { [weak self] in self?.wake() } } }
            state.ear?.listen()
            return follower.core
        }
        found?.takeRetainedValue().follow()
    }
}
