import Dispatch
import FreeholdEngine

/// How somebody comes to be told: here, on a queue, or in an actor.
struct Registration<Observed: ThreadConfined> {
    let observed: Observed
    /// Makes who is told, of what was found where they are to be told; with the version to begin at, if that is another one. Nil if nothing
    /// can be, which has been told.
    let make: (Observed, Snapshot?) -> Observer?
    /// What is to be done if it was not there any more.
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

    /// The way to where somebody is to be told, beginning at the version that is shown here.
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

/// On the way to where somebody is to be told.
///
/// Safe to share: made in one place, used in another, one after the other; what belongs to a realm is found anew there.
final class Passage: @unchecked Sendable {
    private let body: (Confinement, NotificationToken) -> Void

    init(_ body: @escaping (Confinement, NotificationToken) -> Void) { self.body = body }

    func arrive(on queue: DispatchQueue, _ token: NotificationToken) {
        // What is kept until then is the token's affair, not that of what waits.
        queue.async { [self, weak token] in
            if let token, !token.isEnded { body(.on(queue), token) }
        }
    }

    func arrive(in actor: isolated any Actor, _ token: NotificationToken) { body(.of(actor), token) }
}

/// Calls what is isolated to an actor from where the actor is known to be.
struct ActorCall<Isolated: Actor, Change> {
    private let actor: Isolated
    private let block: @Sendable (isolated Isolated, Change) -> Void

    init(_ actor: Isolated, _ block: @escaping @Sendable (isolated Isolated, Change) -> Void) {
        self.actor = actor
        self.block = block
    }

    /// Safe: who calls is on the actor, as its realm was entered.
    private struct Here: @unchecked Sendable {
        let change: Change
    }

    func callAsFunction(_ change: Change) {
        let here = Here(change: change)
        actor.assumeIsolated { block($0, here.change) }
    }
}
