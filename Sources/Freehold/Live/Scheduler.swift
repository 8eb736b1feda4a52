import Dispatch
import Foundation

/// Runs work where a realm is used, at a later turn: what a realm tells by itself is told through it.
///
/// Work that a thread's run loop, a queue or an actor never comes to is never run.
enum Scheduler: Sendable {
    case queue(DispatchQueue)
    case runLoop(ThreadRunLoop)
    case actor(any Actor)
    case host(HostLoop)

    /// Runs `work` there. Queues and run loops keep the order of calls, actors need not.
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

    /// The calling thread's, made if there is none: that takes three descriptors, so threads without one are not asked unless need be.
    static var current: ThreadRunLoop { ThreadRunLoop(loop: .current) }

    /// Whether the loop runs, so that it comes to what is scheduled.
    var isRunning: Bool { loop.currentMode != nil }

    /// A timer wakes a run loop that waits; `perform` alone does not, on Linux.
    func schedule(_ work: @escaping @Sendable () -> Void) {
        loop.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in work() }, forMode: .common)
    }
}
