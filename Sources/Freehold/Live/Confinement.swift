import CShims
import Dispatch

/// Where a realm and its objects may be used.
enum Confinement {
    /// On one thread, named by its pointer.
    case thread(UInt)
    case queue(DispatchQueue)
    /// Within an actor; the compiler sees to that.
    case actor(any Actor)
    /// Anywhere: nothing changes.
    case frozen

    /// The calling thread.
    static var here: UInt { freehold_shim_thread_pointer() }

    private static let key = DispatchSpecificKey<ObjectIdentifier>()

    /// Makes the queue known, so that it can be told whether work runs on it.
    func prepare() {
        if case .thread = self { ThreadEnd.prepare() }
        if case .queue(let queue) = self { queue.setSpecific(key: Self.key, value: ObjectIdentifier(queue)) }
    }

    /// Whether the caller is where it should be.
    var holds: Bool {
        switch self {
        case .thread(let thread): thread == Self.here
        case .queue(let queue): DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(queue)
        case .actor, .frozen: true
        }
    }

    /// What tells it from others of the same file.
    var identity: Identity {
        switch self {
        case .thread(let thread): .thread(thread)
        case .queue(let queue): .object(ObjectIdentifier(queue))
        case .actor(let actor): .object(ObjectIdentifier(actor))
        case .frozen: .none
        }
    }

    enum Identity: Hashable {
        case thread(UInt)
        case object(ObjectIdentifier)
        case none
    }

    var complaint: String {
        if case .queue = self { return "Realm accessed from incorrect dispatch queue." }
        return "Realm accessed from incorrect thread."
    }
}
