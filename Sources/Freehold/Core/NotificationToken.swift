import FreeholdEngine
import Synchronization

/// Keeps an observer registered: until the token is freed or invalidated.
///
/// ```swift
/// let token = dogs.observe { change in show(change) }
/// token.invalidate()
/// ```
/// The token also keeps the realm open.
public final class NotificationToken: Sendable {
    private let state = Mutex(State.waiting)

    private enum State: Sendable {
        /// The observer is not registered yet.
        case waiting
        case listening(Listening)
        case ended
    }

    /// Safe to share: used where the realm is used, except for the flag that says that it has ended.
    private struct Listening: @unchecked Sendable {
        let core: RealmCore
        let observer: Observer
    }

    init() {}

    deinit { invalidate() }

    /// Ends the observation. Called where the realm is used, no notification follows its return; called elsewhere, a
    /// notification under way still completes. Calling it again has no effect.
    public func invalidate() {
        let listening = state.withLock { state -> Listening? in
            defer { state = .ended }
            if case .listening(let listening) = state { return listening }
            return nil
        }
        if let listening { Self.end(listening) }
    }

    /// Whether the observation has ended.
    var isEnded: Bool { state.withLock { if case .ended = $0 { true } else { false } } }

    /// Whether the observer is registered.
    var isListening: Bool { state.withLock { if case .listening = $0 { true } else { false } } }

    /// Registers the observer, unless the token has ended already.
    func begin(_ observer: Observer, in core: RealmCore) {
        let listening = Listening(core: core, observer: observer)
        let isWanted = state.withLock { state in
            if case .ended = state { return false }
            state = .listening(listening)
            return true
        }
        if isWanted { core.add(observer) }
    }

    /// The observer, if it belongs to this realm.
    func observer(in core: RealmCore) -> Observer? {
        let listening = state.withLock { state -> Listening? in
            if case .listening(let listening) = state { return listening }
            return nil
        }
        return listening?.core === core ? listening?.observer : nil
    }

    private static func end(_ listening: Listening) {
        let core = listening.core
        listening.observer.stop()
        if core.isForked || core.isOver.load(ordering: .relaxed) { return }
        if core.confinement.holds { return core.forget(listening.observer) }
        // What it observes is released where the realm is used.
        core.scheduler?.schedule { if listening.core.enter() { listening.core.forget(listening.observer) } }
    }
}
