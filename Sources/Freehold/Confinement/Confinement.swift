import CShims
import Dispatch
import Foundation
import FreeholdEngine
import Synchronization

/// Where a realm and its objects may be used.
enum Confinement {
    /// On one thread, identified by its pointer.
    case thread(UInt)
    /// On a queue. The main queue stands for the main thread and the main actor too: they are one.
    case queue(NumberedQueue)
    /// Within an actor; the compiler checks this too.
    case actor(any Actor)
    /// Anywhere, as nothing changes.
    case frozen

    /// The calling thread.
    static var here: UInt { freehold_shim_thread_pointer() }

    /// The confinement of a realm that is opened without one: the calling thread.
    static var current: Confinement { MainThread.isHere ? main : .thread(here) }
    static let main = on(.main)

    static func on(_ queue: DispatchQueue) -> Confinement { .queue(NumberedQueue(queue)) }
    static func of(_ actor: any Actor) -> Confinement { actor is MainActor ? main : .actor(actor) }

    /// Arranges that the end of the thread is noticed.
    func prepare() { if case .thread = self { ThreadEnd.prepare() } }

    /// Whether the caller is in the right place.
    var holds: Bool {
        switch self {
        case .thread(let thread): thread == Self.here
        case .queue(let queue): queue.isMain ? MainThread.isHere : queue.isHere
        case .actor(let actor): ExecutorQuestion.isExecuting(actor)
        case .frozen: true
        }
    }

    /// The scheduler of the place; nil for a thread, whose run loop is looked up separately, and for frozen realms.
    var scheduler: Scheduler? {
        switch self {
        case .queue(let queue): .queue(queue.queue)
        case .actor(let actor): .actor(actor)
        case .thread, .frozen: nil
        }
    }

    /// Identifies the place among others that use the file.
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

        /// The place for the engine's queue of write requests.
        var writerPlace: WriterPlace {
            switch self {
            case .none: WriterPlace(kind: 0, number: 0)
            case .thread(let thread): WriterPlace(kind: 1, number: UInt64(thread))
            case .queue(let number): WriterPlace(kind: 2, number: number)
            case .actor(let actor): WriterPlace(kind: 3, number: UInt64(UInt(bitPattern: actor)))
            }
        }
    }

    var complaint: String {
        switch self {
        case .queue(let queue) where !queue.isMain: "Realm accessed from incorrect dispatch queue."
        case .actor: "Realm accessed from incorrect actor."
        case .queue, .thread, .frozen: "Realm accessed from incorrect thread."
        }
    }
}

/// A queue with a number, which identifies it wherever its work runs. The Swift object of a queue does not: the main
/// queue has a new one each time it is read.
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
    /// Whether the caller runs on the queue.
    var isHere: Bool { DispatchQueue.getSpecific(key: Self.key) == number }
}

/// The program's first thread.
private enum MainThread {
    /// Its pointer, once it was seen.
    private static let pointer = Atomic<UInt>(0)
    private static let queue = NumberedQueue(.main)

    /// Whether the caller runs on it, or runs work of the main queue: without a run loop other threads do that.
    static var isHere: Bool {
        if pointer.load(ordering: .relaxed) == Confinement.here { return true }
        if Thread.isMainThread {
            pointer.store(Confinement.here, ordering: .relaxed)
            return true
        }
        return queue.isHere
    }
}

/// Checks whether the caller runs on an actor. Swift offers only `assumeIsolated` for this, which ends the program if
/// not.
private enum ExecutorQuestion {
    private typealias Answer = @convention(c) (UInt, UInt, UInt64) -> Bool

    /// Safe: the run time has the function under this name, taking an executor's two words and flags; without flags it
    /// only answers. C and Swift pass three words and a Boolean alike.
    private static let ask = dlsym(nil, "swift_task_isCurrentExecutorWithFlags").map { unsafeBitCast($0, to: Answer.self) }

    /// True also if the run time cannot be asked: then the compiler's check has to do.
    ///
    /// Safe: an executor is two words.
    static func isExecuting(_ actor: any Actor) -> Bool {
        guard let ask else { return true }
        let (identity, kind) = unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
        return ask(identity, kind, 0)
    }
}
