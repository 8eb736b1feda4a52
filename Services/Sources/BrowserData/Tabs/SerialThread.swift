import Dispatch
import Foundation
import Synchronization

/// A thread that does one thing after the other; it ends when it has had nothing to do for a while, and begins anew.
///
/// Not a queue of Dispatch: all of those share a few threads with the server's own work, and as many long queries as the machine has
/// processors would keep it from answering anybody.
final class SerialThread: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        var work: [Work] = []
        var later: [(due: DispatchTime, work: Work)] = []
        var isRunning = false
    }

    private let name: String
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private static let idleSeconds = 10

    init(_ name: String) { self.name = name }

    func async(_ work: @escaping Work) { add { $0.work.append(work) } }

    /// Does something after a time.
    func after(milliseconds: Int, _ work: @escaping Work) {
        let due = DispatchTime.now() + .milliseconds(milliseconds)
        add { $0.later.append((due, work)) }
    }

    private func add(_ change: (inout State) -> Void) {
        let begins = state.withLock { state in
            change(&state)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if !begins {
            wake.signal()
            return
        }
        let thread = Thread { [self] in run() }
        thread.name = name
        thread.start()
    }

    private enum Next {
        case work(Work)
        case wait(until: DispatchTime)
    }

    private func run() {
        var idleEnd = DispatchTime.now() + .seconds(Self.idleSeconds)
        while true {
            switch next() {
            case .work(let work):
                work()
                idleEnd = .now() + .seconds(Self.idleSeconds)
            case .wait(let due):
                if wake.wait(timeout: min(due, idleEnd)) == .timedOut, idleEnd <= .now(), hasEnded() { return }
            }
        }
    }

    private func next() -> Next {
        state.withLock { state in
            if !state.work.isEmpty { return .work(state.work.removeFirst()) }
            let first = state.later.indices.min { state.later[$0].due < state.later[$1].due }
            guard let first else { return .wait(until: .distantFuture) }
            let due = state.later[first].due
            return due <= .now() ? .work(state.later.remove(at: first).work) : .wait(until: due)
        }
    }

    /// Whether there is nothing left to do; then the next work begins a new thread.
    private func hasEnded() -> Bool {
        state.withLock { state in
            guard state.work.isEmpty, state.later.isEmpty else { return false }
            state.isRunning = false
            return true
        }
    }
}
