import Glibc
import Platform

/// A thread of a simulated process: a real thread that only runs while it has the baton.
///
/// Safe to share unchecked: see `SimulatedSystem`.
final class SimulatedThread: @unchecked Sendable {
    enum State: Equatable {
        case runnable
        /// Until someone wakes the target, or until the clock shows `deadline`.
        case blocked(on: WaitTarget, deadline: UInt64?)
        /// Returned or killed.
        case over
    }

    let process: SimulatedProcess
    let number: Int
    let baton = Baton()
    var state = State.runnable
    /// Set when a wait ended by its bound.
    var hasTimedOut = false
    /// To be ended by itself as soon as it gets the baton.
    var isKilled = false

    init(process: SimulatedProcess, number: Int) {
        self.process = process
        self.number = number
    }

    var isRunnable: Bool { state == .runnable && !process.isStopped }

    var deadline: UInt64? {
        if case .blocked(_, let deadline) = state, !process.isStopped { return deadline }
        return nil
    }

    /// Ends the real thread on the spot. Nothing on its stack is released, as when a process is killed.
    func vanish() -> Never { pthread_exit(nil) }
}

/// What a thread waits for.
enum WaitTarget: Hashable {
    case word(UInt)
    case mutex(UInt)
    case byte(inode: Int, byte: Int)
    case pipe(inode: Int)
    case time
}

/// What a thread does. It goes while the thread still has the baton: what the closure holds may act when released.
///
/// Safe to share unchecked: see `SimulatedSystem`.
final class Work: @unchecked Sendable {
    private var body: (@Sendable () -> Void)?

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func runAndRelease() {
        body?()
        body = nil
    }

    /// The thread was killed before it began: nothing of it may act any more.
    func leak() { _ = Unmanaged.passRetained(self) }
}
