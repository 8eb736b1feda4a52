import FreeholdEngine

/// Keeps who sees what since when, over one transaction: an object is seen if it lives, and its user sees it by its own properties, or
/// sees one so that leads to it.
struct ViewUpkeep {
    let store: any SyncStore
    let transaction: UInt64
    private var affected: Set<SyncObject> = []

    init(store: any SyncStore, transaction: UInt64) {
        self.store = store
        self.transaction = transaction
    }

    /// An object's audience has changed; nil while it is not alive.
    mutating func change(_ object: SyncObject, from old: SyncAudience?, to new: SyncAudience?) throws(FreeholdError) {
        guard old != new else { return }
        affected.insert(object)
        for user in try store.users {
            let was = old?.includes(user) ?? false, isNow = new?.includes(user) ?? false
            if was != isNow { try edit(object, user) { $0.isOwn = isNow } }
            for target in was ? old!.follows : [] {
                affected.insert(target)
                try edit(target, user) { $0.links -= 1 }
            }
            for target in isNow ? new!.follows : [] {
                affected.insert(target)
                try edit(target, user) { $0.links += 1 }
            }
        }
    }

    /// A user is new: an object's audience is entered for that user alone.
    mutating func add(_ object: SyncObject, _ audience: SyncAudience, for user: SyncUser) throws(FreeholdError) {
        guard audience.includes(user) else { return }
        affected.insert(object)
        try edit(object, user) { $0.isOwn = true }
        for target in audience.follows {
            affected.insert(target)
            try edit(target, user) { $0.links += 1 }
        }
    }

    private func edit(_ object: SyncObject, _ user: SyncUser, _ change: (inout SyncView) -> Void) throws(FreeholdError) {
        var view = try store.view(of: object, by: user) ?? SyncView()
        change(&view)
        try store.save(view, of: object, by: user)
    }

    /// Notes what the affected objects have come to; call it when all rows are saved.
    func finish() throws(FreeholdError) {
        for object in affected {
            let isAlive = try store.row(object)?.isAlive ?? false
            for user in try store.users {
                var view = try store.view(of: object, by: user) ?? SyncView()
                let sees = isAlive && (view.isOwn || view.links > 0)
                guard sees != view.sees else { continue }
                view.sees = sees
                view.since = transaction
                try store.save(view, of: object, by: user)
            }
        }
    }
}
