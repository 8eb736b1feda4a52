extension LiveQuery {
    /// Moves to the step's newer version and tells what changed in the answer.
    ///
    /// - Throws: `.invalidArgument` if the step does not begin at the version that the answer is of; errors as of `Table.prepare` if the newer
    ///   version does not have what the query names. The answer stays at its version then.
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
        if let elements = bound.source?.reader, !isSourceTouched, touched.count <= 64 {
            // Others may have changed as they like.
            for key in touched where try !elements.links(to: LinkTarget(key.rawValue)) { touched.remove(key) }
        }
        var advance = LiveAdvance(live: self, step: step, bound: bound, touched: touched, modified: try modified(step),
                                  replaced: try Self.replaced(step, bound.table.tableNumber))
        let changes = try advance.changes(isAnew: !step.hasSameSchema || isSourceTouched || isCheaperAnew(touched.count, of: bound.table))
        self.reach = reach
        if names == nil || !step.isOfOneSchema { names = bound.names }
        effort = advance.effort
        version = step.newer.version
        return changes
    }

    /// Moves to a version, knowing nothing of the one before, because that is gone: every object that stayed counts as modified.
    public func restart(at snapshot: Snapshot) throws(FreeholdError) -> PositionChanges {
        let bound = try BoundLiveQuery(query, window, of: className, among: source, at: snapshot)
        if hasLostSource || bound.source?.hasOwner == false { return leave(snapshot.version) }
        let reach = try LiveReach(bound, observed, at: snapshot)
        let old = keys
        let order = LiveOrder(try bound.keys())
        self.order = order
        self.reach = reach
        names = bound.names
        version = snapshot.version
        effort = .anew(objects: order.count)
        let new = keys
        return PositionChanges(from: old, to: new, replaced: [], modified: Set(old))
    }

    /// The query in a version of a step, without looking names up again where they are the same.
    fileprivate func bound(at snapshot: Snapshot, in step: VersionStep) throws(FreeholdError) -> BoundLiveQuery {
        guard let names, try names.areGood(in: snapshot.schema()) else {
            return try BoundLiveQuery(query, window, of: className, among: source, at: snapshot)
        }
        let tables = try step.tables(of: className)
        return try BoundLiveQuery(names, snapshot === step.older ? tables.older : tables.newer, among: source, at: snapshot)
    }

    /// How many objects it is about that differ, if none of them was in the answer and none is; nil if one is, or that is not so quickly told.
    private func seenOutside(_ step: VersionStep) throws(FreeholdError) -> Int? {
        guard let names, step.isOfOneSchema, try names.areGood(in: step.newer.schema()) else { return nil }
        let context = QueryContext()
        func isInside(_ row: Row?) throws(FreeholdError) -> Bool {
            guard let row else { return false }
            context.look(at: row)
            return try names.condition.holds(context)
        }
        let tables = try step.tables(of: className), place = reach.answer.places[0], observed = reach.observed
        // Before any is looked up.
        if try step.differences(inTable: tables.newer.tableNumber).count > 64 { return nil }
        var seen = 0
        for object in try step.objects(in: tables) where place.isTouched(by: object.difference) || observed.places[0].isTouched(by: object.difference) {
            seen += 1
            if try isInside(object.before) { return nil }
            if try isInside(object.after) { return nil }
        }
        // Others that look different as what they link to does. They are what they were as far as the condition looks at them.
        if observed.places.dropFirst().contains(where: { step.hasChanged(table: $0.table) }) {
            let modified = try modified(step)
            if modified.count > 64 { return nil }
            for key in modified {
                seen += 1
                if try isInside(tables.newer.row(key)) { return nil }
            }
        }
        return seen
    }

    /// The keys of the objects that look different, whether they are in the answer or not.
    private func modified(_ step: VersionStep) throws(FreeholdError) -> Set<ObjectKey> {
        try observed == nil ? step.modified(reach.observed) : reach.observed.objects(touchedBy: step)
    }

    /// Whether asking about every object is less work than about those that changed: one of them costs about as much as hundreds in a scan.
    private func isCheaperAnew(_ touched: Int, of table: Table) -> Bool {
        if touched == 0 { return false }
        return window == nil || touched > 64 + table.count / 256
    }

    /// How the collection whose elements are asked about has changed, or its object; nil if they have not.
    private func sourceDifference(_ step: VersionStep) throws(FreeholdError) -> ObjectDifference.Kind? {
        guard let source, !hasLostSource else { return nil }
        let found = try source.find(at: step.newer)
        guard let difference = try step.difference(of: source.key, inTable: found.table) else { return nil }
        return difference.kind == .changed && !difference.columns.contains(found.column) ? nil : difference.kind
    }

    /// Goes on as an empty answer: the object that the elements were of is gone, though another one may get its key.
    private func leave(_ version: Version) -> PositionChanges {
        let changes = PositionChanges(deletions: Array(0..<count))
        effort = .none
        order = LiveOrder([])
        hasLostSource = true
        self.version = version
        return changes
    }

    /// Keys under which there is another object than before.
    private static func replaced(_ step: VersionStep, _ table: Int) throws(FreeholdError) -> Set<ObjectKey> {
        if !step.hasChanged(table: table) { return [] }
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
        if !isAnew, isWhole { return try follow() }
        let before = live.keys
        if isAnew {
            // What was looked up in another version may not say which way is the best one now.
            let fresh = try BoundLiveQuery(live.query, live.window, of: live.className, among: live.source, at: step.newer)
            live.order = LiveOrder(try fresh.keys())
            effort = .anew(objects: bound.source.map { $0.reader?.count ?? 0 } ?? bound.table.count)
        } else if !touched.isEmpty {
            _ = try follow()
        }
        return PositionChanges(from: before, to: live.keys, replaced: replaced, modified: modified)
    }

    // MARK: object by object

    /// An object that was in the order.
    private struct Leaver {
        let key: ObjectKey
        let position: Int
    }

    /// An object that is to be in the order.
    private struct Comer {
        let mark: ObjectOrder.Mark
        /// Its place among those that were not touched.
        var rank = 0
        /// Where it was, and its place there among those that were not touched; nil if it was not in the order.
        var before: (position: Int, rank: Int)?
    }

    private func follow() throws(FreeholdError) -> PositionChanges {
        let old = try live.bound(at: step.older, in: step)
        var changes = PositionChanges(modifications: try modifiedPositions(old))
        let leavers = try leavers(old)
        for leaver in leavers.reversed() { live.order.remove(at: leaver.position) }
        let comers: [Comer]
        do { comers = try self.comers(leavers) } catch {
            for leaver in leavers { live.order.insert(leaver.key, at: leaver.position) }
            throw error
        }
        for (place, comer) in comers.enumerated() { live.order.insert(comer.mark.key, at: comer.rank + place) }
        // Those that stand between the same untouched ones as before, as far as they are in the order that they were in.
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

    /// Where objects stand that were modified and not touched.
    private func modifiedPositions(_ old: BoundLiveQuery) throws(FreeholdError) -> [Int] {
        let others = modified.subtracting(touched)
        if others.count > 64 + live.order.count / 16 {
            return live.order.keys.enumerated().filter { others.contains($0.element) }.map(\.offset)
        }
        var positions: [Int] = []
        for key in others {
            if let position = try position(of: key, old) { positions.append(position) }
        }
        return positions
    }

    /// The touched objects that are in the order, from its beginning on.
    private func leavers(_ old: BoundLiveQuery) throws(FreeholdError) -> [Leaver] {
        var leavers: [Leaver] = []
        for key in touched {
            if let position = try position(of: key, old) { leavers.append(Leaver(key: key, position: position)) }
        }
        return leavers.sorted { $0.position < $1.position }
    }

    /// Where an object stands in the order. The condition tells sooner than a search that it is not there.
    private func position(of key: ObjectKey, _ old: BoundLiveQuery) throws(FreeholdError) -> Int? {
        guard try old.base.matches(key), let mark = try old.order.mark(key) else { return nil }
        let (position, isFound) = try live.order.find { other throws(FreeholdError) in try old.order.compare(mark, with: other) }
        return isFound ? position : nil
    }

    /// The touched objects that meet the condition now, in order, with their places in what is left.
    private func comers(_ leavers: [Leaver]) throws(FreeholdError) -> [Comer] {
        var before: [ObjectKey: (position: Int, rank: Int)] = [:]
        for (place, leaver) in leavers.enumerated() { before[leaver.key] = (leaver.position, leaver.position - place) }
        var comers: [Comer] = []
        for key in touched where try bound.base.matches(key) {
            guard let mark = try bound.order.mark(key) else { continue }
            comers.append(Comer(mark: mark, before: before[key]))
        }
        comers.sort { bound.order.compare($0.mark, $1.mark) < 0 }
        for place in comers.indices {
            let mark = comers[place].mark
            comers[place].rank = try live.order.find { other throws(FreeholdError) in try bound.order.compare(mark, with: other) }.position
        }
        return comers
    }
}
