import FreeholdEngine

extension RealmCore {
    /// Whether commits of others show by themselves, where there is a run loop, queue or actor.
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
        // A file that is only read may have no lock file, and so nobody who tells.
        guard !isFrozen, !shared.terms.isReadOnly else { return }
        self.scheduler = scheduler
        followed = shared.following.add(self, scheduler, hears: hearsOthers || observers?.hearsOfCommits == true)
    }

    func unfollow() {
        if let followed { shared.following.remove(followed) }
        followed = nil
    }

    /// Shows what others have committed, and tells who wants to hear: called by the realm's scheduler.
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
