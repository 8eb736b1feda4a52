import FreeholdEngine

/// Keeps who sees what since when, over one transaction: an object is seen if it lives, and its user sees it by its own properties, or
/// sees one so that leads to it. What everyone sees is kept once, for `SyncUser.everyone`.
struct ViewUpkeep {
    let store: any SyncStore
    let transaction: UInt64
    private var affected: [SyncObject: Set<SyncUser>] = [:]

    init(store: any SyncStore, transaction: UInt64) {
        self.store = store
        self.transaction = transaction
    }

    /// An object's audience has changed; nil while it is not alive.
    mutating func change(_ object: SyncObject, from old: SyncAudience?, to new: SyncAudience?) throws(FreeholdError) {
        guard old != new else { return }
        // It may have died, or live again, also for those who see it by links.
        try affected[object, default: []].formUnion(store.viewers(of: object))
        let before = old?.sights ?? [:], after = new?.sights ?? [:]
        for user in Set(before.keys).union(after.keys).sorted(by: { $0.rawValue < $1.rawValue }) {
            let was = before[user], now = after[user]
            if was == now { continue }
            try edit(object, user) { $0.isOwn = now != nil }
            for target in (was ?? []).subtracting(now ?? []) { try edit(target, user) { $0.links -= 1 } }
            for target in (now ?? []).subtracting(was ?? []) { try edit(target, user) { $0.links += 1 } }
        }
    }

    private mutating func edit(_ object: SyncObject, _ user: SyncUser, _ change: (inout SyncView) -> Void) throws(FreeholdError) {
        affected[object, default: []].insert(user)
        let old = try store.view(of: object, by: user)
        var view = old ?? SyncView()
        change(&view)
        if view != old { try store.save(view, of: object, by: user) }
    }

    /// Notes what the affected objects have come to; call it when all rows are saved.
    func finish() throws(FreeholdError) {
        for (object, users) in affected {
            let isAlive = try store.row(object)?.isAlive ?? false
            for user in users {
                var view = try store.view(of: object, by: user) ?? SyncView()
                let sees = isAlive && (view.isOwn || view.links > 0)
                guard sees != view.sees else { continue }
                view.change(to: sees, in: transaction)
                try store.save(view, of: object, by: user)
            }
        }
    }
}
