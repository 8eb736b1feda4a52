import FreeholdEngine

extension RealmCore {
    /// Whether commits of others show by themselves, where there is a run loop, queue or actor.
    var isFollowing: Bool {
        get { followed != nil }
        set {
            if newValue == isFollowing { return }
            if newValue { follow(by: confinement.scheduler ?? .runLoop(.current)) } else { unfollow() }
        }
    }

    func follow(by scheduler: Scheduler) {
        // A file that is only read may have no lock file, and so nobody who tells.
        if !isFrozen, !shared.terms.isReadOnly { followed = shared.following.add(self, scheduler) }
    }

    func unfollow() {
        if let followed { shared.following.remove(followed) }
        followed = nil
    }

    /// Shows what others have committed: called by the realm's scheduler.
    func follow() {
        guard transaction == nil, enter() else { return }
        attempt(()) { try moveOn() }
    }
}
