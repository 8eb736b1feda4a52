/// Of objects in an order the first of each value, as DISTINCT leaves them.
///
/// Of each value its first object is known and how many there are. When the first one goes, the next is looked for along the order, from where
/// that one stood: of values that are frequent it is near, and of rare ones it is mostly the only one.
struct LiveFirsts {
    /// The firsts, in the order of all.
    var order: LiveOrder
    private var groups: [[DistinctValue]: Group] = [:]

    fileprivate struct Group {
        var first: ObjectKey
        var count: Int
    }

    /// - Parameter keys: all objects, in order.
    init(_ keys: [ObjectKey], _ distinct: DistinctValues) throws(FreeholdError) {
        var firsts: [ObjectKey] = []
        for key in keys {
            guard let values = try distinct.values(of: key) else { continue }
            if groups[values] == nil { firsts.append(key) }
            groups[values, default: Group(first: key, count: 0)].count += 1
        }
        order = LiveOrder(firsts)
    }

    /// Takes note of what a step did, once the order has followed it.
    mutating func take(_ moves: Moves) {
        for (values, move) in moves.all {
            if let first = move.first { groups[values] = Group(first: first, count: move.count) } else { groups[values] = nil }
        }
    }

    /// What a step does to the values that it touches.
    struct Moves {
        fileprivate var all: [[DistinctValue]: Move] = [:]

        fileprivate struct Move {
            let before: Group?
            /// How many there are.
            var count: Int
            /// Of those that were not touched the first one; nil if there is none, or it is not known yet.
            var heir: ObjectKey?
            /// Of those that were touched the first one.
            var comer: ObjectOrder.Mark?
            /// The first one now; nil if there is none.
            var first: ObjectKey?

            init(_ group: Group?) {
                before = group
                count = group?.count ?? 0
                heir = group?.first
            }
        }

        /// Takes a touched object away from the value that it had; whether it was the first one.
        mutating func leave(_ key: ObjectKey, _ values: [DistinctValue], of firsts: LiveFirsts) -> Bool {
            let wasFirst = firsts.groups[values]?.first == key
            all[values, default: Move(firsts.groups[values])].count -= 1
            if wasFirst { all[values]?.heir = nil }
            return wasFirst
        }

        /// Whether objects of a value have stayed, once all the touched ones have left.
        func hasOthers(_ values: [DistinctValue]) -> Bool { all[values].map { $0.count > 0 } ?? false }

        /// Names the first of those that have stayed, where the one before has left.
        mutating func inherit(_ key: ObjectKey?, _ values: [DistinctValue]) { all[values]?.heir = key }

        /// Gives a touched object the value that it has, once all have left.
        mutating func come(_ mark: ObjectOrder.Mark, _ values: [DistinctValue], of firsts: LiveFirsts, _ order: ObjectOrder) {
            var move = all[values] ?? Move(firsts.groups[values])
            move.count += 1
            if move.comer.map({ order.compare(mark, $0) < 0 }) ?? true { move.comer = mark }
            all[values] = move
        }

        /// Finds the first one of each value, once all have come.
        ///
        /// - Returns: those that are to be looked for in the order of the firsts, and those of them that are to be there.
        mutating func settle(_ touched: Set<ObjectKey>, _ order: ObjectOrder) throws(FreeholdError) -> (moved: Set<ObjectKey>, there: Set<ObjectKey>) {
            var moved: Set<ObjectKey> = [], there: Set<ObjectKey> = []
            for (values, move) in all {
                var first = move.heir
                if let comer = move.comer {
                    if let heir = move.heir, try order.compare(comer, with: heir) > 0 { first = heir } else { first = comer.key }
                }
                all[values]?.first = first
                if let first, first == move.before?.first, !touched.contains(first) { continue }
                if let before = move.before { moved.insert(before.first) }
                if let first {
                    moved.insert(first)
                    there.insert(first)
                }
            }
            return (moved, there)
        }
    }
}
