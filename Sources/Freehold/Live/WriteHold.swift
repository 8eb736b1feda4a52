/// What keeps a realm while a write transaction is open that was begun by `beginWrite()`, so that `try Realm().beginWrite()` has not ended
/// it when the next line opens the realm again.
///
/// 1. It ends with the transaction, and with the realm's thread.
/// 2. Of a realm of a queue, an actor or a run loop it ends at the next turn: nothing else keeps the realm then if the program has forgotten
///    the transaction, and it is rolled back.
///
/// Safe to share: it is used where the realm is.
final class WriteHold: @unchecked Sendable {
    private var core: RealmCore?
    private var isScheduled = false

    /// Keeps the realm; `scheduler` is what runs work where it is, if there is such.
    func keep(_ core: RealmCore, _ scheduler: Scheduler?) {
        self.core = core
        guard let scheduler, !isScheduled else { return }
        isScheduled = true
        scheduler.schedule { [self] in
            isScheduled = false
            end()
        }
    }

    func end() {
        // The realm may go with this, and ends the transaction then.
        let kept = core
        core = nil
        withExtendedLifetime(kept) {}
    }
}

extension RealmCore {
    /// Keeps the realm until the write transaction under way ends.
    func holdWriting() {
        guard transaction != nil else { return }
        let hold = hold ?? WriteHold()
        self.hold = hold
        hold.keep(self, scheduler ?? confinement.scheduler)
    }
}
