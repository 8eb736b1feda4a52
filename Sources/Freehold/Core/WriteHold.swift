/// Keeps a realm while a write transaction begun by `beginWrite()` is open. Without it `try Realm().beginWrite()` would
/// have ended the transaction before the next line opens the realm again.
///
/// 1. It ends with the transaction, and with the realm's thread.
/// 2. For a realm of a queue, an actor or a run loop it ends at the next turn: if the program has forgotten the
///    transaction, nothing else keeps the realm then, and the transaction is rolled back.
///
/// Safe to share: it is used where the realm is used.
final class WriteHold: @unchecked Sendable {
    private var core: RealmCore?
    private var isScheduled = false

    /// Keeps the realm; `scheduler` is that of its place, if there is one.
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
        // This may free the realm, which then ends the transaction.
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
