import FreeholdEngine

/// The observers of a realm.
extension RealmCore {
    /// Registers an observer.
    func add(_ observer: Observer) {
        attempt(()) {
            let observers = observers ?? RealmObservers(self)
            self.observers = observers
            try observers.add(observer)
            followForObservers()
            if let followed { shared.following.set(followed, isObserved: true) }
            requestTurn()
        }
    }

    func forget(_ observer: Observer) {
        guard let observers else { return }
        observers.remove(observer)
        if !observers.isEmpty { return }
        if !observers.isDelivering { self.observers = nil }
        if !hearsOthers { unfollow() }
        if let followed { shared.following.set(followed, isObserved: false) }
    }

    /// Whether changes can be observed here; reports misuse if not.
    ///
    /// - Parameter isCommitsOnly: whether only commits as such are to be observed.
    func requireObservable(isCommitsOnly: Bool = false) -> Bool {
        guard requireNotFixed() else { return false }
        if findScheduler() == nil {
            Misuse.report("Can only add notification blocks from within runloops.",
                          hint: "Open the realm for a queue or an actor; or set autorefresh if the thread is going to run its run loop; or attach it to a HostLoop.")
        } else if !isCommitsOnly, transaction != nil, changes != changesBeforeWriting {
            Misuse.report("Cannot create asynchronous query after making changes in a write transaction.", hint: "Observe before the write, or behind it.")
        } else {
            return true
        }
        return false
    }

    /// The scheduler of the realm's place; nil for a thread without a running run loop.
    private func findScheduler() -> Scheduler? {
        if let known = scheduler ?? confinement.scheduler { return known }
        guard case .thread = confinement else { return nil }
        let loop = ThreadRunLoop.current
        return loop.isRunning ? .runLoop(loop) : nil
    }

    private func followForObservers() {
        if let followed {
            if observers?.hearsOfCommits == true, !hearsOthers { shared.following.set(followed, hears: true) }
            return
        }
        guard let scheduler = findScheduler() else { return }
        // A thread with a run loop follows commits from here on, unless the program has set `autorefresh`.
        if hearsOthersByWish == nil { hearsOthers = true }
        follow(by: scheduler)
    }

    /// Lets an event loop process the realm's pending work.
    func attach(to loop: HostLoop) {
        let isMain = if case .queue(let queue) = confinement { queue.isMain } else { false }
        let isOfThread = if case .thread = confinement { true } else { isMain }
        guard isOfThread else {
            return Misuse.report("Only the realm of a thread can be attached to an event loop.", hint: "One of a queue, or of an actor, has that.")
        }
        unfollow()
        hearsOthers = hearsOthersByWish ?? true
        follow(by: .host(loop))
    }

    /// Lets the realm process its pending work at a later turn.
    func requestTurn() { if let followed { shared.following.call(followed) } }

    /// The version that the realm shows.
    func shownVersion() throws(FreeholdError) -> Version {
        if let transaction { return transaction.versionBefore }
        return try held().version
    }

    /// A snapshot of the version that the realm shows, held for observers.
    func heldForObservers() throws(FreeholdError) -> Snapshot {
        if let transaction { return try transaction.snapshotBefore() }
        return try held().another()
    }

    /// Whether the settled observers are at the version that the realm shows.
    var isAtObservers: Bool {
        guard transaction == nil, let standing = observers?.standingVersion else { return false }
        return standing == snapshotVersion
    }

    /// Whether the realm shows a version, and no write transaction.
    func shows(_ version: Version) -> Bool { transaction == nil && snapshotVersion == version }

    /// Whether the realm can change at all; reports misuse if not.
    func requireNotFixed() -> Bool {
        guard enter() else { return false }
        if isFrozen {
            Misuse.report("Frozen Realms do not change and do not have change notifications.", hint: "Call thaw on it first.")
        } else if shared.terms.isReadOnly {
            Misuse.report("Read-only Realms do not change and do not have change notifications.")
        }
        return !isFrozen && !shared.terms.isReadOnly
    }
}
