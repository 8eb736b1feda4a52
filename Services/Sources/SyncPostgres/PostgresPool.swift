import Foundation
import SyncBackends
import Synchronization

/// Threads with a connection each, which do one piece of work after another. Not the threads of Swift's tasks: these wait for the database.
final class PostgresPool: Sendable {
    typealias Work = @Sendable (PostgresWorker) -> Void

    private struct State {
        var work: [(work: Work, isOld: Bool)] = []
        var first = 0
        var hasEnded = false
        var waiting: Int { work.count - first }
        /// Of these, how many belong to new requests.
        var new = 0
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let ends = DispatchGroup()
    private let mostWaiting: Int
    private let threads: Int

    init(threads: Int, mostWaiting: Int, name: String, makeWorker: @escaping @Sendable () -> PostgresWorker) {
        (self.threads, self.mostWaiting) = (threads, mostWaiting)
        for _ in 0..<threads {
            ends.enter()
            let thread = Thread { [self] in
                let worker = makeWorker()
                while let work = next() { work(worker) }
                ends.leave()
            }
            thread.name = name
            thread.start()
        }
    }

    /// Whether the work was taken; it is not if too many new requests wait, or after the end.
    ///
    /// - Parameter isOld: whether it belongs to a request that was taken before: then only the end refuses it.
    func add(isOld: Bool = false, _ work: @escaping Work) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.hasEnded, isOld || state.new < mostWaiting else { return false }
            state.work.append((work, isOld))
            if !isOld { state.new += 1 }
            return true
        }
        if isTaken { wake.signal() }
        return isTaken
    }

    /// What was taken is done, and nothing more. Waits for it.
    func end() {
        state.withLock { $0.hasEnded = true }
        for _ in 0..<threads { wake.signal() }
        ends.wait()
    }

    /// Waits for work; nil at the end.
    private func next() -> Work? {
        while true {
            wake.wait()
            let (work, hasEnded) = state.withLock { state -> (Work?, Bool) in
                guard state.waiting > 0 else { return (nil, state.hasEnded) }
                let (work, isOld) = state.work[state.first]
                state.first += 1
                if !isOld { state.new -= 1 }
                if state.first > 64, state.first * 2 > state.work.count {
                    state.work.removeFirst(state.first)
                    state.first = 0
                }
                return (work, false)
            }
            if let work { return work }
            if hasEnded { return nil }
        }
    }
}
