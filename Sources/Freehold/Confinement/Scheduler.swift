import Dispatch
import Foundation

/// Runs work where a realm is used, at a later turn. A realm sends all notifications through it that no call waits for.
///
/// Work is never run if the thread's run loop, the queue or the actor does not come to it.
enum Scheduler: Sendable {
    case queue(DispatchQueue)
    case runLoop(ThreadRunLoop)
    case actor(any Actor)
    case host(HostLoop)

    /// Runs `work` in the place. Queues and run loops keep the order of calls, actors need not.
    func schedule(_ work: @escaping @Sendable () -> Void) {
        switch self {
        case .queue(let queue): queue.async(execute: work)
        case .runLoop(let loop): loop.schedule(work)
        case .host(let host): host.schedule(work)
        case .actor(let actor): Task.detached { await Self.run(work, on: actor) }
        }
    }

    private static func run(_ work: @Sendable () -> Void, on actor: isolated any Actor) { work() }
}

/// The run loop of a thread other than the main one.
///
/// Safe to share: other threads only add timers, which the run loop allows; it outlives its thread.
struct ThreadRunLoop: @unchecked Sendable {
    private let loop: RunLoop

    /// The calling thread's run loop, created if there is none: that takes three descriptors, so it is read only if
    /// needed.
    static var current: ThreadRunLoop { ThreadRunLoop(loop: .current) }

    /// Whether the loop runs, so that scheduled work is run.
    var isRunning: Bool { loop.currentMode != nil }

    /// A timer wakes a run loop that waits; `perform` alone does not, on Linux.
    func schedule(_ work: @escaping @Sendable () -> Void) {
        loop.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in work() }, forMode: .common)
    }
}
