import Dispatch
import FreeholdEngine

/// How an observer is registered: here, on a queue, or in an actor.
struct Registration<Observed: ThreadConfined> {
    let observed: Observed
    /// Creates the observer of what was found where it is to be notified; the second argument is the version to begin
    /// at, if it is another one. Nil if there can be no observer, which has been reported.
    let make: (Observed, Snapshot?) -> Observer?
    /// Called if the observed thing no longer exists.
    var gone: () -> Void = {}

    /// Begins here, or later on a queue.
    func begin(on queue: DispatchQueue?) -> NotificationToken {
        let token = NotificationToken()
        guard let core = observed.realm?.core else { return token }
        guard let queue else {
            if core.requireObservable(), let observer = make(observed, nil) { token.begin(observer, in: core) }
            return token
        }
        guard let passage = passage(from: core) else { return token }
        passage.arrive(on: queue, token)
        return token
    }

    /// Begins in an actor.
    func begin(in actor: any Actor, from isolation: isolated (any Actor)?) async -> NotificationToken {
        let token = NotificationToken()
        guard !Task.isCancelled, let core = observed.realm?.core, let passage = passage(from: core) else { return token }
        await passage.arrive(in: actor, token)
        return token
    }

    /// The passage to where the observer is to be notified; it begins at the version that is shown here.
    private func passage(from core: RealmCore) -> Passage? {
        guard core.requireNotFixed(), let handover = observed._handover(.passing) else { return nil }
        let configuration = core.settings as? Realm.Configuration ?? Realm.Configuration(), start = core.attempt(nil) { try core.heldForObservers() }
        return Passage { [make, gone] place, token in
            do {
                let core = try RealmCore.open(configuration, place)
                guard core.enter() else { return }
                try core.catchUp(with: handover.seen)
                guard let observed = handover.found(in: core) as? Observed else { return gone() }
                guard core.requireObservable(), let observer = make(observed, start) else { return }
                token.begin(observer, in: core)
            } catch {
                Misuse.report("\(error)")
            }
        }
    }
}

/// A registration under way to where the observer is to be notified.
///
/// Safe to share: created in one place, used in another, one after the other; what belongs to a realm is found anew
/// there.
final class Passage: @unchecked Sendable {
    private let body: (Confinement, NotificationToken) -> Void

    init(_ body: @escaping (Confinement, NotificationToken) -> Void) { self.body = body }

    func arrive(on queue: DispatchQueue, _ token: NotificationToken) {
        // The token decides how long the registration is kept; the block that waits does not keep the token.
        queue.async { [self, weak token] in
            if let token, !token.isEnded { body(.on(queue), token) }
        }
    }

    func arrive(in actor: isolated any Actor, _ token: NotificationToken) { body(.of(actor), token) }
}

/// Calls a block isolated to an actor from code that is known to run on that actor.
struct ActorCall<Isolated: Actor, Change> {
    private let actor: Isolated
    private let block: @Sendable (isolated Isolated, Change) -> Void

    init(_ actor: Isolated, _ block: @escaping @Sendable (isolated Isolated, Change) -> Void) {
        self.actor = actor
        self.block = block
    }

    /// Safe: the caller is on the actor, as its realm was entered.
    private struct Here: @unchecked Sendable {
        let change: Change
    }

    func callAsFunction(_ change: Change) {
        let here = Here(change: change)
        actor.assumeIsolated { block($0, here.change) }
    }
}
