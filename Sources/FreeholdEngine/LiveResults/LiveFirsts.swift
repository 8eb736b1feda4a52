/// The first object of each distinct value in an order: the objects that DISTINCT keeps.
///
/// For each value, its first object and the number of its objects are known. When the first object is removed, the next
/// one is searched along the order from the position of the removed one: for frequent values it is near, and rare
/// values mostly have no other.
struct LiveFirsts {
    /// The first objects, in the order of all objects.
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

    /// Applies the moves of a step, once the order has followed it.
    mutating func take(_ moves: Moves) {
        for (values, move) in moves.all {
            if let first = move.first { groups[values] = Group(first: first, count: move.count) } else { groups[values] = nil }
        }
    }

    /// The effect of a step on the values that it touches.
    struct Moves {
        fileprivate var all: [[DistinctValue]: Move] = [:]

        fileprivate struct Move {
            let before: Group?
            /// The number of objects with the value.
            var count: Int
            /// The first untouched object with the value; nil if there is none, or it is not known yet.
            var heir: ObjectKey?
            /// The first touched object with the value.
            var comer: ObjectOrder.Mark?
            /// The new first object; nil if there is none.
            var first: ObjectKey?

            init(_ group: Group?) {
                before = group
                count = group?.count ?? 0
                heir = group?.first
            }
        }

        /// Removes a touched object from its old value. Returns whether it was the first one.
        mutating func leave(_ key: ObjectKey, _ values: [DistinctValue], of firsts: LiveFirsts) -> Bool {
            let wasFirst = firsts.groups[values]?.first == key
            all[values, default: Move(firsts.groups[values])].count -= 1
            if wasFirst { all[values]?.heir = nil }
            return wasFirst
        }

        /// Whether untouched objects with the value remain, once all touched ones were removed.
        func hasOthers(_ values: [DistinctValue]) -> Bool { all[values].map { $0.count > 0 } ?? false }

        /// Sets the first remaining object of a value whose first object was removed.
        mutating func inherit(_ key: ObjectKey?, _ values: [DistinctValue]) { all[values]?.heir = key }

        /// Adds a touched object to its new value, once all were removed from their old ones.
        mutating func come(_ mark: ObjectOrder.Mark, _ values: [DistinctValue], of firsts: LiveFirsts, _ order: ObjectOrder) {
            var move = all[values] ?? Move(firsts.groups[values])
            move.count += 1
            if move.comer.map({ order.compare(mark, $0) < 0 }) ?? true { move.comer = mark }
            all[values] = move
        }

        /// Determines the first object of each value, once all were added.
        ///
        /// - Returns: the objects to look for in the order of first objects, and those of them that must be in it.
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
