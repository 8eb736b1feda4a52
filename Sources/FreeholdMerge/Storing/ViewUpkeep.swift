import FreeholdEngine

/// Keeps who sees what since when, over one transaction: an object is seen if it lives, and its user sees it by its own properties, or
/// sees one so that leads to it. What everyone sees is kept once, for `SyncUser.everyone`.
///
/// Links that are followed further are counted by how many are left (`SyncReach`). An object that is reached with some left leads to others
/// with one less, so objects that lead to each other in a circle hold nobody up: what is counted at a level comes from the one above.
struct ViewUpkeep {
    private let store: any SyncStore
    private let streams: any SyncStreams
    private let transaction: UInt64
    private var changes: [SyncObject: (old: SyncAudience?, new: SyncAudience?)] = [:]
    private var affected: [SyncObject: Set<SyncUser>] = [:]
    /// Counts that were changed, by what is left, with what they were before.
    private var before: [Int32: [Counted: Int32]] = [:]

    private struct Counted: Hashable {
        let object: SyncObject
        let user: SyncUser
        let follow: Int32
    }

    init(store: any SyncStore, streams: any SyncStreams, transaction: UInt64) {
        self.store = store
        self.streams = streams
        self.transaction = transaction
    }

    /// An object's audience has changed; nil while it is not alive.
    mutating func change(_ object: SyncObject, from old: SyncAudience?, to new: SyncAudience?) {
        changes[object] = (changes[object].map(\.old) ?? old, new)
    }

    /// Notes what views have come to; call it when all rows are saved.
    mutating func finish() throws(FreeholdError) {
        changes = changes.filter { $0.value.old != $0.value.new }
        let objects = changes.keys.sorted()
        for object in objects { try apply(object, changes[object]!.old, changes[object]!.new) }
        for left in stride(from: SyncReach.most, to: 0, by: -1) { try follow(objects, left) }
        for (object, users) in affected {
            let isAlive = try store.row(object)?.isAlive ?? false
            for user in users {
                var view = try store.view(of: object, by: user) ?? SyncView()
                let sees = isAlive && view.isReached
                guard sees != view.sees else { continue }
                view.change(to: sees, in: transaction)
                try store.save(view, of: object, by: user)
            }
        }
    }

    // MARK: By own properties

    private mutating func apply(_ object: SyncObject, _ old: SyncAudience?, _ new: SyncAudience?) throws(FreeholdError) {
        // It may have died, or live again, also for those who see it by links.
        try affected[object, default: []].formUnion(store.viewers(of: object))
        let was = old?.sights ?? [:], now = new?.sights ?? [:]
        for user in Set(was.keys).union(now.keys).sorted(by: { $0.rawValue < $1.rawValue }) {
            if was[user] == now[user] { continue }
            try edit(object, user) { $0.isOwn = now[user] != nil }
            for lead in (was[user] ?? []).subtracting(now[user] ?? []) { try count(-1, lead.object, user, lead.reach) }
            for lead in (now[user] ?? []).subtracting(was[user] ?? []) { try count(1, lead.object, user, lead.reach) }
        }
    }

    private mutating func edit(_ object: SyncObject, _ user: SyncUser, _ change: (inout SyncView) -> Void) throws(FreeholdError) {
        affected[object, default: []].insert(user)
        let old = try store.view(of: object, by: user)
        var view = old ?? SyncView()
        change(&view)
        if view != old { try store.save(view, of: object, by: user) }
    }

    private mutating func count(_ change: Int32, _ object: SyncObject, _ user: SyncUser, _ reach: SyncReach?) throws(FreeholdError) {
        if let reach {
            let counted = Counted(object: object, user: user, follow: reach.follow)
            if before[reach.left]?[counted] == nil {
                before[reach.left, default: [:]][counted] = try store.view(of: object, by: user)?.reaches[reach] ?? 0
            }
        }
        try edit(object, user) { $0.count(change, by: reach) }
    }

    // MARK: By links

    /// What is reached with so many links left leads on: those that are so no more, or anew, or lead elsewhere than before.
    private mutating func follow(_ objects: [SyncObject], _ left: Int32) throws(FreeholdError) {
        var all = before[left] ?? [:]
        for object in objects where changes[object]!.old?.steps ?? [:] != changes[object]!.new?.steps ?? [:] {
            for user in try store.viewers(of: object) {
                for (reach, count) in try store.view(of: object, by: user)?.reaches ?? [:] where reach.left == left {
                    let counted = Counted(object: object, user: user, follow: reach.follow)
                    if all[counted] == nil { all[counted] = count }
                }
            }
        }
        for (counted, was) in all.sorted(by: { Self.comes($0.key, before: $1.key) }) {
            let reach = SyncReach(follow: counted.follow, left: left), object = counted.object
            let now = try store.view(of: object, by: counted.user)?.reaches[reach] ?? 0
            let change = changes[object]
            if change == nil, (was > 0) == (now > 0) { continue }
            let present = change == nil ? try steps(of: object) : [:]
            let old = was > 0 ? Set((change.map { $0.old?.steps ?? [:] } ?? present)[counted.follow] ?? []) : []
            let new = now > 0 ? Set((change.map { $0.new?.steps ?? [:] } ?? present)[counted.follow] ?? []) : []
            for target in old.subtracting(new).sorted() { try count(-1, target, counted.user, reach.next) }
            for target in new.subtracting(old).sorted() { try count(1, target, counted.user, reach.next) }
        }
    }

    /// Of an object that the transaction has not changed.
    private func steps(of object: SyncObject) throws(FreeholdError) -> [Int32: [SyncObject]] {
        guard let row = try store.row(object), row.isAlive else { return [:] }
        return streams.steps(of: object, row)
    }

    private static func comes(_ one: Counted, before other: Counted) -> Bool {
        if one.object != other.object { return one.object < other.object }
        return (one.user.rawValue, one.follow) < (other.user.rawValue, other.follow)
    }
}
