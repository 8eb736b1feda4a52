import FreeholdEngine
import Synchronization

/// Stands for somebody who hears of changes: they do as long as the token is kept, and not invalidated.
///
/// ```swift
/// let token = dogs.observe { change in show(change) }
/// token.invalidate()
/// ```
/// It keeps the realm open, too.
public final class NotificationToken: Sendable {
    private let state = Mutex(State.waiting)

    private enum State: Sendable {
        /// Whoever is to hear is not there yet.
        case waiting
        case listening(Listening)
        case ended
    }

    /// Safe to share: used where the realm is used, but for the flag that says that it is over.
    private struct Listening: @unchecked Sendable {
        let core: RealmCore
        let observer: Observer
    }

    init() {}

    deinit { invalidate() }

    /// Ends it: nothing is told any more once this returns, if it is called where the realm is used; from elsewhere what is being told at the
    /// moment goes on. Called again it does nothing.
    public func invalidate() {
        let listening = state.withLock { state -> Listening? in
            defer { state = .ended }
            if case .listening(let listening) = state { return listening }
            return nil
        }
        if let listening { Self.end(listening) }
    }

    /// Whether it is over.
    var isEnded: Bool { state.withLock { if case .ended = $0 { true } else { false } } }

    /// Whether somebody hears.
    var isListening: Bool { state.withLock { if case .listening = $0 { true } else { false } } }

    /// Begins, unless it is over already.
    func begin(_ observer: Observer, in core: RealmCore) {
        let listening = Listening(core: core, observer: observer)
        let isWanted = state.withLock { state in
            if case .ended = state { return false }
            state = .listening(listening)
            return true
        }
        if isWanted { core.add(observer) }
    }

    /// Who hears, if it is one of this realm.
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
        // What it looks at is let go of where it is used.
        core.scheduler?.schedule { if listening.core.enter() { listening.core.forget(listening.observer) } }
    }
}
