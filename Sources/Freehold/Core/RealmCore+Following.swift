import FreeholdEngine

extension RealmCore {
    /// Whether the realm picks up commits of others automatically, if it has a run loop, queue or actor.
    var isFollowing: Bool {
        get { followed != nil && hearsOthers }
        set {
            hearsOthersByWish = newValue
            if newValue == isFollowing { return }
            hearsOthers = newValue
            if let followed {
                if newValue || observers != nil { return shared.following.set(followed, hears: newValue || observers?.hearsOfCommits == true) }
                unfollow()
            } else if newValue {
                follow(by: scheduler ?? confinement.scheduler ?? .runLoop(.current))
            }
        }
    }

    func follow(by scheduler: Scheduler) {
        // A read-only file may have no lock file, and then nothing sends notifications.
        guard !isFrozen, !shared.terms.isReadOnly else { return }
        self.scheduler = scheduler
        followed = shared.following.add(self, scheduler, hears: hearsOthers || observers?.hearsOfCommits == true)
    }

    func unfollow() {
        if let followed { shared.following.remove(followed) }
        followed = nil
    }

    /// Moves on to what others have committed, and notifies observers; called by the realm's scheduler.
    func follow() {
        guard transaction == nil, enter() else { return }
        attempt(()) {
            if hearsOthers { try moveOn() } else { try lookForNewer() }
            observers?.deliver()
            if observers != nil { rest() }
        }
    }

    private func lookForNewer() throws(FreeholdError) {
        guard let observers, observers.hearsOfCommits else { return }
        let newest = try shared.database.snapshot().version
        if newest > (try shownVersion()) { observers.tellOfNewer(newest) }
    }
}
