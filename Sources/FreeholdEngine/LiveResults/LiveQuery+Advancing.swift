extension LiveQuery {
    /// Moves to the step's newer version and returns the changes in the answer.
    ///
    /// - Throws: `.invalidArgument` if the step does not begin at the version of the answer; the errors of
    ///   `Table.prepare` if the newer version does not have what the query names. The answer then stays at its version.
    public func advance(_ step: VersionStep) throws(FreeholdError) -> PositionChanges {
        try step.requireBegin(at: version)
        let sourceDifference = try sourceDifference(step)
        if hasLostSource || sourceDifference == .deleted || sourceDifference == .replaced { return leave(step.newer.version) }
        let isSourceTouched = sourceDifference != nil
        if step.hasSameSchema, !reach.isTouched(by: step), !isSourceTouched {
            version = step.newer.version
            effort = .none
            return PositionChanges()
        }
        if !isSourceTouched, source == nil, let seen = try seenOutside(step) {
            version = step.newer.version
            effort = .followed(objects: seen)
            return PositionChanges()
        }
        let bound = try bound(at: step.newer, in: step)
        let reach = try step.hasSameSchema ? self.reach : LiveReach(bound, observed, at: step.newer)
        var touched = try reach.answer.objects(touchedBy: step)
        if let elements = bound.source?.reader, !isSourceTouched, touched.count <= 64, !query.steps.contains(where: \.isByScore) {
            // Others may have changed as they like, but for scores.
            for key in touched where try !elements.links(to: LinkTarget(key.rawValue)) { touched.remove(key) }
        }
        var advance = LiveAdvance(live: self, step: step, bound: bound, touched: touched, modified: try modified(step, reach.observed),
                                  replaced: try replaced(step, bound.table.tableNumber))
        let changes = try advance.changes(isAnew: !step.hasSameSchema || isSourceTouched || isCheaperAnew(touched.count, of: bound.table))
        self.reach = reach
        if names == nil || !step.isOfOneSchema { names = bound.names }
        effort = advance.effort
        version = step.newer.version
        return changes
    }

    /// Moves to a version without the one before, because that is no longer available: every object that stayed counts
    /// as modified.
    public func restart(at snapshot: Snapshot) throws(FreeholdError) -> PositionChanges {
        let bound = try BoundLiveQuery(query, window, of: className, among: source, at: snapshot)
        if hasLostSource || bound.source?.hasOwner == false { return leave(snapshot.version) }
        let reach = try LiveReach(bound, observed, at: snapshot), old = keys
        (order, firsts) = try bound.orders(isContinued: true)
        self.reach = reach
        names = bound.names
        sourceTable = bound.source?.table
        version = snapshot.version
        effort = .anew(objects: order.count)
        let new = keys
        return PositionChanges(from: old, to: new, replaced: [], modified: Set(old))
    }

    /// The query bound to a version of a step, without resolving names again where they are the same.
    fileprivate func bound(at snapshot: Snapshot, in step: VersionStep) throws(FreeholdError) -> BoundLiveQuery {
        guard let names, try names.areGood(in: snapshot.schema()) else {
            return try BoundLiveQuery(query, window, of: className, among: source, at: snapshot)
        }
        let tables = try step.tables(of: className)
        return try BoundLiveQuery(names, window, snapshot === step.older ? tables.older : tables.newer, among: source, at: snapshot)
    }

    /// The number of relevant objects that differ, if none of them was or is in the answer; nil if one was or is, or if
    /// that is not quick to decide.
    private func seenOutside(_ step: VersionStep) throws(FreeholdError) -> Int? {
        guard let names, step.isOfOneSchema, try names.areGood(in: step.newer.schema()) else { return nil }
        let context = QueryContext()
        func isInside(_ row: Row?) throws(FreeholdError) -> Bool {
            guard let row else { return false }
            context.look(at: row)
            return try names.condition.holds(context)
        }
        let tables = try step.tables(of: className), place = reach.answer.places[0], observed = reach.observed
        // Checked before any object is read.
        if try step.differences(inTable: tables.newer.tableNumber).count > 64 { return nil }
        var seen = 0
        for object in try step.objects(in: tables) where place.isTouched(by: object.difference) || observed.places[0].isTouched(by: object.difference) {
            seen += 1
            if try isInside(object.before) { return nil }
            if try isInside(object.after) { return nil }
        }
        // Other objects may be modified through what they link to. For the condition, they are unchanged.
        if observed.places.dropFirst().contains(where: { step.hasChanged(table: $0.table) }) {
            let modified = try modified(step, observed)
            if modified.count > 64 { return nil }
            for key in modified {
                seen += 1
                if try isInside(tables.newer.row(key)) { return nil }
            }
        }
        return seen
    }

    /// The keys of the modified objects, whether they are in the answer or not.
    ///
    /// - Parameter reach: what is observed, in the newer version.
    private func modified(_ step: VersionStep, _ reach: Reach) throws(FreeholdError) -> Set<ObjectKey> {
        try observed == nil ? step.modified(reach) : reach.objects(touchedBy: step)
    }

    /// Whether re-evaluating the query is cheaper than testing the touched objects: one of them costs about as much as
    /// hundreds in a scan.
    private func isCheaperAnew(_ touched: Int, of table: Table) -> Bool {
        if touched == 0 { return false }
        return window == nil || touched > 64 + table.count / 256
    }

    /// How the source collection, or its object, changed; nil if neither did.
    private func sourceDifference(_ step: VersionStep) throws(FreeholdError) -> ObjectDifference.Kind? {
        guard let source, !hasLostSource else { return nil }
        let found = try source.find(at: step.newer)
        sourceTable = found.table
        if try step.isReplaced(className: source.className) { return .deleted }
        guard let difference = try step.difference(of: source.key, inTable: found.table) else { return nil }
        return difference.kind == .changed && !difference.columns.contains(found.column) ? nil : difference.kind
    }

    /// Continues as an empty answer: the object of the source collection was deleted, even if another one gets its key.
    private func leave(_ version: Version) -> PositionChanges {
        let changes = PositionChanges(deletions: Array(0..<count))
        effort = .none
        (order, firsts) = (LiveOrder([]), nil)
        hasLostSource = true
        self.version = version
        return changes
    }

    /// The keys that now belong to another object than before.
    private func replaced(_ step: VersionStep, _ table: Int) throws(FreeholdError) -> Set<ObjectKey> {
        if !step.hasChanged(table: table) { return [] }
        if try step.isReplaced(className: className) { return Set(keys) }
        return Set(try step.differences(inTable: table).lazy.filter { $0.kind == .replaced }.map { ObjectKey($0.key) })
    }
}

/// One step of a live query. An error leaves its order as it was.
struct LiveAdvance {
    private let live: LiveQuery
    private let step: VersionStep
    private let bound: BoundLiveQuery
    private let touched: Set<ObjectKey>
    private let modified: Set<ObjectKey>
    private let replaced: Set<ObjectKey>
    private(set) var effort: LiveQuery.Effort

    init(live: LiveQuery, step: VersionStep, bound: BoundLiveQuery, touched: Set<ObjectKey>, modified: Set<ObjectKey>, replaced: Set<ObjectKey>) {
        self.live = live
        self.step = step
        self.bound = bound
        self.touched = touched
        self.modified = modified
        self.replaced = replaced
        effort = .followed(objects: touched.count)
    }

    mutating func changes(isAnew: Bool) throws(FreeholdError) -> PositionChanges {
        let isWhole = live.window?.isEverything ?? false
        if !isAnew, isWhole, let changes = try follow() { return changes }
        let before = live.keys
        if !isAnew, !isWhole {
            if touched.isEmpty { return positions(from: before) }
            if try follow() != nil { return positions(from: before) }
        }
        // An access path chosen in another version may not be the best one now.
        let fresh = try BoundLiveQuery(live.query, live.window, of: live.className, among: live.source, at: step.newer)
        (live.order, live.firsts) = try fresh.orders(isContinued: true)
        effort = .anew(objects: bound.source.map { $0.reader?.count ?? 0 } ?? bound.table.count)
        return positions(from: before)
    }

    private func positions(from before: [ObjectKey]) -> PositionChanges {
        PositionChanges(from: before, to: live.keys, replaced: replaced, modified: modified)
    }

    // MARK: object by object

    /// A touched object that was in the order.
    private struct Leaver {
        let key: ObjectKey
        let position: Int
    }

    /// A touched object that belongs in the order.
    private struct Comer {
        let mark: ObjectOrder.Mark
        /// The number of untouched objects before it.
        var rank = 0
        /// Its old position, and the number of untouched objects before that; nil if it was not in the order.
        var before: (position: Int, rank: Int)?
    }

    /// Follows the touched objects. Returns nil, without any effect, if re-evaluating is cheaper.
    private func follow() throws(FreeholdError) -> PositionChanges? {
        let old = try live.bound(at: step.older, in: step)
        guard let distinct = bound.distinct, let before = old.distinct, live.firsts != nil else {
            return try follow(in: &live.order, touched, old) { key throws(FreeholdError) in try bound.base.matches(key) }
        }
        guard var moves = try leaving(before, old) else { return nil }
        let order = live.order
        _ = try follow(in: &live.order, touched, old) { key throws(FreeholdError) in try bound.base.matches(key) }
        do throws(FreeholdError) {
            for key in touched where try bound.base.matches(key) {
                guard let values = try distinct.values(of: key), let mark = try bound.order.mark(key) else { continue }
                moves.come(mark, values, of: live.firsts!, bound.order)
            }
            let (moved, there) = try moves.settle(touched, bound.order)
            let changes = try follow(in: &live.firsts!.order, moved, old) { there.contains($0) }
            live.firsts!.take(moves)
            return changes
        } catch {
            live.order = order
            throw error
        }
    }

    /// Removes the touched objects from the first objects and finds their successors; nil if these are too far away.
    private func leaving(_ before: DistinctValues, _ old: BoundLiveQuery) throws(FreeholdError) -> LiveFirsts.Moves? {
        var moves = LiveFirsts.Moves(), orphans: [(values: [DistinctValue], position: Int)] = []
        for key in touched where try old.base.matches(key) {
            guard let values = try before.values(of: key) else { continue }
            if moves.leave(key, values, of: live.firsts!), let position = try position(of: key, in: live.order, old) { orphans.append((values, position)) }
        }
        var budget = 256 + live.order.count / 64
        for (values, position) in orphans where moves.hasOthers(values) {
            var next = position + 1, found: ObjectKey?
            search: while next < live.order.count {
                let keys = live.order.keys(in: next..<min(next + 64, live.order.count))
                for key in keys where !touched.contains(key) {
                    budget -= 1
                    if budget < 0 { return nil }
                    if try before.values(of: key) == values {
                        found = key
                        break search
                    }
                }
                next += keys.count
            }
            moves.inherit(found, values)
        }
        return moves
    }

    /// Moves the touched objects in an order to their positions in the newer version.
    private func follow(in order: inout LiveOrder, _ touched: Set<ObjectKey>, _ old: BoundLiveQuery,
                        isThere: (ObjectKey) throws(FreeholdError) -> Bool) throws(FreeholdError) -> PositionChanges {
        var changes = PositionChanges(modifications: try modifiedPositions(order, but: touched, old))
        let leavers = try leavers(order, touched, old)
        for leaver in leavers.reversed() { order.remove(at: leaver.position) }
        let comers: [Comer]
        do throws(FreeholdError) { comers = try self.comers(order, touched, leavers, isThere) } catch {
            for leaver in leavers { order.insert(leaver.key, at: leaver.position) }
            throw error
        }
        for (place, comer) in comers.enumerated() { order.insert(comer.mark.key, at: comer.rank + place) }
        // Objects between the same untouched ones as before stay, as far as they keep their order among themselves.
        let staying = comers.indices.filter { comers[$0].before?.rank == comers[$0].rank && !replaced.contains(comers[$0].mark.key) }
        let kept = longestAscending(staying.map { comers[$0].before?.position ?? 0 })
        let stays = Set(zip(staying, kept).filter(\.1).map(\.0))
        let stayed = Set(stays.map { comers[$0].mark.key })
        changes.deletions = leavers.filter { !stayed.contains($0.key) }.map(\.position)
        changes.insertions = comers.indices.filter { !stays.contains($0) }.map { comers[$0].rank + $0 }
        let gone = Set(changes.deletions)
        changes.modifications = (changes.modifications + leavers.filter { modified.contains($0.key) }.map(\.position))
            .filter { !gone.contains($0) }.sorted()
        return changes
    }

    /// The positions of objects that were modified and not touched.
    private func modifiedPositions(_ order: LiveOrder, but touched: Set<ObjectKey>, _ old: BoundLiveQuery) throws(FreeholdError) -> [Int] {
        let others = modified.subtracting(touched)
        if others.count > 64 + order.count / 16 {
            return order.keys.enumerated().filter { others.contains($0.element) }.map(\.offset)
        }
        var positions: [Int] = []
        for key in others {
            if let position = try position(of: key, in: order, old) { positions.append(position) }
        }
        return positions
    }

    /// The touched objects that are in the order, by position.
    private func leavers(_ order: LiveOrder, _ touched: Set<ObjectKey>, _ old: BoundLiveQuery) throws(FreeholdError) -> [Leaver] {
        var leavers: [Leaver] = []
        for key in touched {
            if let position = try position(of: key, in: order, old) { leavers.append(Leaver(key: key, position: position)) }
        }
        return leavers.sorted { $0.position < $1.position }
    }

    /// The position of an object in the order; nil if it is not in it. The condition excludes an object sooner than a
    /// search.
    private func position(of key: ObjectKey, in order: LiveOrder, _ old: BoundLiveQuery) throws(FreeholdError) -> Int? {
        guard try old.base.matches(key), let mark = try old.order.mark(key) else { return nil }
        let (position, isFound) = try order.find { other throws(FreeholdError) in try old.order.compare(mark, with: other) }
        return isFound ? position : nil
    }

    /// The touched objects that belong in the order now, sorted, with their ranks among the remaining objects.
    private func comers(_ order: LiveOrder, _ touched: Set<ObjectKey>, _ leavers: [Leaver],
                        _ isThere: (ObjectKey) throws(FreeholdError) -> Bool) throws(FreeholdError) -> [Comer] {
        var before: [ObjectKey: (position: Int, rank: Int)] = [:]
        for (place, leaver) in leavers.enumerated() { before[leaver.key] = (leaver.position, leaver.position - place) }
        var comers: [Comer] = []
        for key in touched where try isThere(key) {
            guard let mark = try bound.order.mark(key) else { continue }
            comers.append(Comer(mark: mark, before: before[key]))
        }
        comers.sort { bound.order.compare($0.mark, $1.mark) < 0 }
        for place in comers.indices {
            let mark = comers[place].mark
            comers[place].rank = try order.find { other throws(FreeholdError) in try bound.order.compare(mark, with: other) }.position
        }
        return comers
    }
}
