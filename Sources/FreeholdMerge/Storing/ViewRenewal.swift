import FreeholdEngine

/// Makes views anew from the rows, where not a row has changed but who sees it: other claims of a user, other rules.
struct ViewRenewal {
    let store: any SyncStore
    let streams: any SyncStreams
    let transaction: UInt64


    /// Makes the views of some users anew, of which everyone may be one. What they see as before keeps since when they do.
    func renew(_ users: [SyncUser]) throws(FreeholdError) {
        let wanted = Set(users)
        var sights: [SyncUser: [SyncObject: SyncView]] = [:], objects: [SyncObject] = [], alive: Set<SyncObject> = []
        var steps: [SyncObject: [Int32: [SyncObject]]] = [:]
        try store.forEachObject { objects.append($0) }
        for object in objects {
            guard let row = try store.row(object), row.isAlive else { continue }
            alive.insert(object)
            let audience = try streams.audience(of: object, row)
            if !audience.steps.isEmpty { steps[object] = audience.steps }
            for (user, leads) in audience.sights where wanted.contains(user) {
                sights[user, default: [:]][object, default: SyncView()].isOwn = true
                for lead in leads { sights[user]![lead.object, default: SyncView()].count(1, by: lead.reach) }
            }
        }
        for user in users {
            var own = sights[user] ?? [:]
            if !steps.isEmpty { Self.follow(steps, &own) }
            for object in Set(try store.viewed(by: user)).union(own.keys).sorted() {
                try save(own[object] ?? SyncView(), object, user, isAlive: alive.contains(object))
            }
        }
    }

    /// What is reached with some links left leads on, as in `ViewUpkeep`.
    private static func follow(_ steps: [SyncObject: [Int32: [SyncObject]]], _ sights: inout [SyncObject: SyncView]) {
        for left in stride(from: SyncReach.most, to: 0, by: -1) {
            for (object, sight) in sights {
                guard !sight.reaches.isEmpty, let steps = steps[object] else { continue }
                for reach in sight.reaches.keys where reach.left == left {
                    for target in steps[reach.follow] ?? [] { sights[target, default: SyncView()].count(1, by: reach.next) }
                }
            }
        }
    }

    private func save(_ sight: SyncView, _ object: SyncObject, _ user: SyncUser, isAlive: Bool) throws(FreeholdError) {
        let old = try store.view(of: object, by: user)
        var view = old ?? SyncView()
        (view.isOwn, view.links, view.reaches) = (sight.isOwn, sight.links, sight.reaches)
        let sees = isAlive && view.isReached
        if sees != view.sees { view.change(to: sees, in: transaction) }
        if view != old { try store.save(view, of: object, by: user) }
    }
}
