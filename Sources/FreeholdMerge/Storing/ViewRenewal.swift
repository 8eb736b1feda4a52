import FreeholdEngine

/// Makes views anew from the rows, where not a row has changed but who sees it: other claims of a user, other rules.
struct ViewRenewal {
    let store: any SyncStore
    let streams: any SyncStreams
    let transaction: UInt64

    private struct Sight {
        var isOwn = false
        var links: Int32 = 0
    }

    /// Makes the views of some users anew, of which everyone may be one. What they see as before keeps since when they do.
    func renew(_ users: [SyncUser]) throws(FreeholdError) {
        let wanted = Set(users)
        var sights: [SyncUser: [SyncObject: Sight]] = [:], objects: [SyncObject] = [], alive: Set<SyncObject> = []
        try store.forEachObject { objects.append($0) }
        for object in objects {
            guard let row = try store.row(object), row.isAlive else { continue }
            alive.insert(object)
            for (user, targets) in try streams.audience(of: object, row).sights where wanted.contains(user) {
                sights[user, default: [:]][object, default: Sight()].isOwn = true
                for target in targets { sights[user, default: [:]][target, default: Sight()].links += 1 }
            }
        }
        for user in users {
            let own = sights[user] ?? [:]
            for object in Set(try store.viewed(by: user)).union(own.keys).sorted() {
                try save(own[object] ?? Sight(), object, user, isAlive: alive.contains(object))
            }
        }
    }

    private func save(_ sight: Sight, _ object: SyncObject, _ user: SyncUser, isAlive: Bool) throws(FreeholdError) {
        let old = try store.view(of: object, by: user)
        var view = old ?? SyncView()
        (view.isOwn, view.links) = (sight.isOwn, sight.links)
        let sees = isAlive && (view.isOwn || view.links > 0)
        if sees != view.sees { view.change(to: sees, in: transaction) }
        if view != old { try store.save(view, of: object, by: user) }
    }
}
