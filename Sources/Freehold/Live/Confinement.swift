import CShims
import Dispatch
import Foundation
import Synchronization

/// Where a realm and its objects may be used.
enum Confinement {
    /// On one thread, named by its pointer.
    case thread(UInt)
    /// On a queue. The main queue stands for the main thread too, and for the main actor: they are one.
    case queue(NumberedQueue)
    /// Within an actor; the compiler sees to that too.
    case actor(any Actor)
    /// Anywhere: nothing changes.
    case frozen

    /// The calling thread.
    static var here: UInt { freehold_shim_thread_pointer() }

    /// Where a realm belongs that is opened without saying where: to the calling thread.
    static var current: Confinement { MainThread.isHere ? main : .thread(here) }
    static let main = on(.main)

    static func on(_ queue: DispatchQueue) -> Confinement { .queue(NumberedQueue(queue)) }
    static func of(_ actor: any Actor) -> Confinement { actor is MainActor ? main : .actor(actor) }

    /// Has the end of the place noticed.
    func prepare() { if case .thread = self { ThreadEnd.prepare() } }

    /// Whether the caller is where it should be.
    var holds: Bool {
        switch self {
        case .thread(let thread): thread == Self.here
        case .queue(let queue): queue.isMain ? MainThread.isHere : queue.isHere
        case .actor(let actor): ExecutorQuestion.isExecuting(actor)
        case .frozen: true
        }
    }

    /// What runs work there; nil for a thread, which is asked for its run loop by itself, and for what is frozen.
    var scheduler: Scheduler? {
        switch self {
        case .queue(let queue): .queue(queue.queue)
        case .actor(let actor): .actor(actor)
        case .thread, .frozen: nil
        }
    }

    /// What tells it from others of the same file.
    var identity: Identity {
        switch self {
        case .thread(let thread): .thread(thread)
        case .queue(let queue): .queue(queue.number)
        case .actor(let actor): .actor(ObjectIdentifier(actor))
        case .frozen: .none
        }
    }

    enum Identity: Hashable {
        case thread(UInt)
        case queue(UInt64)
        case actor(ObjectIdentifier)
        case none
    }

    var complaint: String {
        switch self {
        case .queue(let queue) where !queue.isMain: "Realm accessed from incorrect dispatch queue."
        case .actor: "Realm accessed from incorrect actor."
        case .queue, .thread, .frozen: "Realm accessed from incorrect thread."
        }
    }
}

/// A queue with a number of its own, by which it is known wherever work runs on it. The Swift object that stands for it is not: the main
/// queue has a new one each time it is asked for.
struct NumberedQueue: Sendable {
    let queue: DispatchQueue
    let number: UInt64

    private static let key = DispatchSpecificKey<UInt64>()
    private static let last = Atomic<UInt64>(mainNumber)
    private static let numbering = PerProcess {}
    private static let mainNumber: UInt64 = 1

    private static let nameMain: Void = DispatchQueue.main.setSpecific(key: key, value: mainNumber)

    init(_ queue: DispatchQueue) {
        self.queue = queue
        Self.nameMain
        number = Self.numbering.withLock { _ in
            if let known = queue.getSpecific(key: Self.key) { return known }
            let next = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
            queue.setSpecific(key: Self.key, value: next)
            return next
        }
    }

    var isMain: Bool { number == Self.mainNumber }
    /// Whether the caller does the queue's work.
    var isHere: Bool { DispatchQueue.getSpecific(key: Self.key) == number }
}

/// The thread that the program began with.
private enum MainThread {
    /// Its pointer, once it was met.
    private static let pointer = Atomic<UInt>(0)
    private static let queue = NumberedQueue(.main)

    /// Whether the caller is on it, or does what was left to the main queue: without a run loop other threads do that.
    static var isHere: Bool {
        if pointer.load(ordering: .relaxed) == Confinement.here { return true }
        if Thread.isMainThread {
            pointer.store(Confinement.here, ordering: .relaxed)
            return true
        }
        return queue.isHere
    }
}

/// Whether an actor is running what asks, which Swift says to `assumeIsolated` only, and there by ending the program.
private enum ExecutorQuestion {
    private typealias Answer = @convention(c) (UInt, UInt, UInt64) -> Bool

    /// Safe: the run time has the function under this name, taking an executor's two words and flags; without flags it only answers. Three
    /// words and a truth value are passed alike by C and Swift.
    private static let ask = dlsym(nil, "swift_task_isCurrentExecutorWithFlags").map { unsafeBitCast($0, to: Answer.self) }

    /// True also where the run time cannot be asked: the compiler sees to it.
    ///
    /// Safe: an executor is two words.
    static func isExecuting(_ actor: any Actor) -> Bool {
        guard let ask else { return true }
        let (identity, kind) = unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
        return ask(identity, kind, 0)
    }
}
