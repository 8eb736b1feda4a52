/// What has changed in lists: identities of their elements, and entries by identity.
extension SyncCapture {
    // MARK: Identities

    /// The first of new identities, which are consecutive.
    mutating func newIdentities(_ count: Int, _ own: ClassCapture) throws(FreeholdError) -> SyncIdentity {
        guard UInt64(count) <= SyncIdentity.maximumCount, body.identities <= SyncIdentity.maximumCount - UInt64(count) else {
            throw FreeholdError(.valueTooLarge, "the file has given \(body.identities) identities to elements of lists, and no more are "
                + "possible; copy it, and sync the copy")
        }
        let number = try own.identities.number(of: body.replica)
        defer { body.identities += UInt64(count) }
        return SyncIdentity(replica: number, count: body.identities + 1)
    }

    /// Gives identities to the elements of the lists of a new object.
    mutating func identifyLists(of key: Int64, _ place: RowPlace, _ own: ClassCapture) throws(FreeholdError) {
        for column in own.lists {
            let property = own.new.stored.properties[column]
            guard let shape = property.shape, try own.new.has(place, column) else { continue }
            let count = try CollectionReader.count(own.new.cell(place, column), shape, pending.access)
            if count == 0 { continue }
            guard let runs = try applied(key, property, count, own) else {
                try own.identities.identify(key, property.number, IdentityRun(try newIdentities(count, own), count: count))
                continue
            }
            var none = ListIdentities(parts: [])
            try own.identities.apply([ListIdentities.Edit(old: 0..<0, runs: runs)], to: &none, of: key, property.number)
        }
    }

    // MARK: Changed lists

    /// An element of a changed list that another one took the place of, that moved, or that is new.
    private enum Step {
        /// Elements of the old list, by their positions, that have other values.
        case changed(Range<Int>)
        case moved(Int)
        case inserted(Int)
    }

    mutating func noteList(_ difference: ColumnDifference, _ old: CollectionReader, _ new: CollectionReader,
                           _ own: ClassCapture) throws(FreeholdError) {
        let before = try ElementSource(old), after = try ElementSource(new)
        var hunks = try CollectionComparison(old: before, new: after).hunks().joined()
        if difference.property.type == .mixed { hunks = try withoutCuts(hunks, before, after, difference.property) }
        if hunks.isEmpty { return }
        var list = try own.identities.list(of: difference.key, difference.property.number)
        guard list.count == old.count else { throw ListIdentities.damaged() }
        if let runs = try applied(difference.key, difference.property, new.count, own) {
            return try own.identities.apply([ListIdentities.Edit(old: 0..<list.count, runs: runs)], to: &list, of: difference.key,
                                            difference.property.number)
        }
        let moves = try ListMoves(hunks, before, after)
        var change = ListChange()
        for hunk in hunks {
            var lost: Set<Int> = []
            if difference.property.type.mayLink {
                for position in hunk.old where try isLost(before.element(at: position), difference.property) { lost.insert(position) }
            }
            try note(hunk, moves, lost, &list, &change, own)
        }
        if !isApplying { try note(change, list, difference, own) }
        try own.identities.apply(change.edits, to: &list, of: difference.key, difference.property.number)
    }

    /// Whether an element linked to an object that the transaction has deleted: it went with it.
    func isLost(_ element: ListElement, _ property: StoredProperty) throws(FreeholdError) -> Bool {
        guard case .value(let value) = element else { return false }
        return try isLost(value, property)
    }

    /// Differences but for links in mixed lists that are null because their targets were deleted: that is no change of the element, which
    /// keeps its identity.
    private func withoutCuts(_ hunks: [CollectionComparison.Hunk], _ before: ElementSource, _ after: ElementSource,
                             _ property: StoredProperty) throws(FreeholdError) -> [CollectionComparison.Hunk] {
        var made: [CollectionComparison.Hunk] = []
        for hunk in hunks {
            guard hunk.old.count == hunk.new.count else {
                made.append(hunk)
                continue
            }
            var parts: [CollectionComparison.Hunk] = []
            for (position, place) in zip(hunk.old, hunk.new) {
                if try after.element(at: place) == .value(.null), try isLost(before.element(at: position), property) { continue }
                parts.append(CollectionComparison.Hunk(old: position..<position + 1, new: place..<place + 1))
            }
            made += parts.joined()
        }
        return made
    }

    /// What becomes of the elements of a hunk.
    private mutating func note(_ hunk: CollectionComparison.Hunk, _ moves: ListMoves, _ lost: Set<Int>, _ list: inout ListIdentities,
                               _ change: inout ListChange, _ own: ClassCapture) throws(FreeholdError) {
        let (steps, deleted) = Self.steps(hunk, moves, lost)
        var edit = ListIdentities.Edit(old: hunk.old, runs: [])
        var segment: [(act: SyncChange.Act, run: IdentityRun)] = []
        var left = try list.position(at: hunk.old.lowerBound - 1)
        for step in steps {
            switch step {
            case .changed(let range):
                let runs = try list.runs(range)
                guard let first = runs.first, let last = runs.last else { throw ListIdentities.damaged() }
                change.place(segment, left, first.position)
                segment = []
                left = last.lastPosition
                for run in runs {
                    edit.runs.append(joining: run)
                    change.changed.append(run.identities)
                }
            case .moved(let from):
                guard let known = try list.runs(from..<from + 1).first else { throw ListIdentities.damaged() }
                change.moved.append(known.identities)
                change.vanished.append(known.positions)
                Self.append(.moved, IdentityRun(first: known.first, position: try newIdentities(1, own), count: 1), to: &segment, &edit)
            case .inserted(let count):
                Self.append(.inserted, IdentityRun(try newIdentities(count, own), count: count), to: &segment, &edit)
            }
        }
        change.place(segment, left, try list.position(at: hunk.old.upperBound))
        for range in deleted {
            for run in try list.runs(range) {
                change.deleted.append(run.identities)
                change.vanished.append(run.positions)
            }
        }
        for position in lost {
            for run in try list.runs(position..<position + 1) {
                change.lost.append(run.identities)
                change.vanished.append(run.positions)
            }
        }
        change.edits.append(edit)
    }

    /// What stands at each position of the new list, and what is deleted. Positions that both sides have keep their identities, unless
    /// an element came to one from elsewhere, or went.
    private static func steps(_ hunk: CollectionComparison.Hunk, _ moves: ListMoves, _ lost: Set<Int>) -> ([Step], deleted: [Range<Int>]) {
        if moves.isEmpty, lost.isEmpty {
            let kept = min(hunk.old.count, hunk.new.count)
            var steps: [Step] = []
            if kept > 0 { steps.append(.changed(hunk.old.lowerBound..<hunk.old.lowerBound + kept)) }
            if kept < hunk.new.count { steps.append(.inserted(hunk.new.count - kept)) }
            return (steps, kept < hunk.old.count ? [hunk.old.lowerBound + kept..<hunk.old.upperBound] : [])
        }
        var others = hunk.old.filter { !lost.contains($0) }[...], steps: [Step] = [], deleted: [Range<Int>] = []
        for position in hunk.new {
            let other = others.popFirst(), stays = other.flatMap { moves.goesAway($0) ? nil : $0 }
            if let from = moves.source(of: position) {
                steps.append(.moved(from))
                if let stays { deleted.append(stays..<stays + 1) }
            } else {
                steps.append(stays.map { .changed($0..<$0 + 1) } ?? .inserted(1))
            }
        }
        return (steps, deleted + others.filter { !moves.goesAway($0) }.map { $0..<$0 + 1 })
    }

    private static func append(_ act: SyncChange.Act, _ run: IdentityRun, to segment: inout [(act: SyncChange.Act, run: IdentityRun)],
                               _ edit: inout ListIdentities.Edit) {
        edit.runs.append(joining: run)
        if let last = segment.last, last.act == act, segment[segment.count - 1].run.extend(by: run) { return }
        segment.append((act, run))
    }

    // MARK: Entries

    /// Notes what has become of a list's elements.
    private mutating func note(_ change: ListChange, _ list: ListIdentities, _ difference: ColumnDifference,
                               _ own: ClassCapture) throws(FreeholdError) {
        let changed = change.changed.joined(), moved = change.moved.joined()
        var deleted = change.deleted.joined(), lost = change.lost.joined()
        var notes = ElementNotes()
        // What is only inserted concerns no entry that there is.
        let acts: [SyncChange.Act] = change.vanished.isEmpty ? changed.isEmpty ? [] : [.changed] : [.inserted, .changed, .moved]
        let named = (changed + deleted + lost + moved).joined(), vanished = change.vanished.joined()
        for act in acts { try own.change.load(act, named, of: difference.key, difference.property.number, into: &notes) }
        try own.change.load(beside: vanished, of: difference.key, difference.property.number, into: &notes)
        vanished.forEach { notes.vanish($0) }
        // Elements that are lost go with the object that they link to: that is no change, unless the server has another link there.
        let overwritten = notes.take(.changed, lost).map(\.change.identities).joined()
        deleted = (deleted + overwritten).joined()
        lost = lost.removing(overwritten)
        let known = try takeDeleted(deleted, &notes, difference, own)
        if !moved.isEmpty {
            _ = notes.take(.moved, moved)
            notes.leaveFirstPositions(moved)
        }
        // A commit that notes nothing takes no stamp.
        if !(changed.isEmpty && known.isEmpty && change.placed.isEmpty) {
            let stamp = now()
            for range in known { notes.add(ElementChange(.deleted, range), stamp, own.change.origin) }
            _ = notes.take(.changed, changed)
            for range in changed { notes.add(ElementChange(.changed, range), stamp, own.change.origin) }
            for placed in change.placed { notes.add(placed, stamp, own.change.origin) }
        }
        for act in acts where act != .changed { _ = notes.take(act, lost) }
        var rest = list
        var ages: PositionAges?
        try notes.moveNeighbours { width throws(FreeholdError) in
            if ages == nil { ages = try own.identities.ages(body) }
            return try rest.window(after: change.edits, parts: width, ages ?? PositionAges())
        }
        try own.change.write(notes, of: difference.key, difference.property.number)
    }

    /// Takes deleted elements out of the entries that there are; returns those of whose deletion others have to learn.
    private func takeDeleted(_ deleted: [ClosedRange<UInt64>], _ notes: inout ElementNotes, _ difference: ColumnDifference,
                             _ own: ClassCapture) throws(FreeholdError) -> [ClosedRange<UInt64>] {
        if deleted.isEmpty { return [] }
        _ = notes.take(.changed, deleted)
        let inserted = notes.take(.inserted, deleted)
        _ = notes.take(.moved, deleted)
        // Nobody knows of what was inserted in the open epoch; neither of the elements of an object that was created in it.
        let isNew = try own.change.isCreatedUnsent(difference.key)
        let unsent = inserted.filter { own.change.isUnsent($0.origin) }.map(\.change.identities).joined()
        return isNew ? inserted.map(\.change.identities).joined().removing(unsent) : deleted.removing(unsent)
    }
}

/// What a commit does to the elements of one list.
private struct ListChange {
    var edits: [ListIdentities.Edit] = []
    /// Identities.
    var changed: [ClosedRange<UInt64>] = [], deleted: [ClosedRange<UInt64>] = [], moved: [ClosedRange<UInt64>] = []
    var lost: [ClosedRange<UInt64>] = []
    /// What is inserted or moved, with its new position.
    var placed: [ElementChange] = []
    /// Positions that do not show any more.
    var vanished: [ClosedRange<UInt64>] = []

    /// Elements that are new at their places, one behind the other, between two that were there before.
    mutating func place(_ segment: [(act: SyncChange.Act, run: IdentityRun)], _ left: SyncIdentity, _ right: SyncIdentity) {
        var left = left
        for (act, run) in segment {
            placed.append(ElementChange(act, run, left: left, right: right))
            left = run.lastPosition
        }
    }
}

/// Elements that went from one place of a list to another, found by their values.
struct ListMoves {
    private var sources: [Int: Int] = [:]
    private var gone: Set<Int> = []

    /// Of more elements none is taken for moved: they are deleted and inserted.
    static let maximumElements = 1 << 16
    /// Longer values are compared by the blocks that they are stored in.
    private static let maximumBytes: UInt64 = 1 << 16

    init(_ hunks: [CollectionComparison.Hunk], _ before: ElementSource, _ after: ElementSource) throws(FreeholdError) {
        let old = hunks.reduce(0) { $0 + $1.old.count }, new = hunks.reduce(0) { $0 + $1.new.count }
        if old == 0 || new == 0 || old + new > Self.maximumElements || hunks.count == 1 && old == 1 && new == 1 { return }
        var left: [ElementKey: [Int]] = [:]
        for hunk in hunks.reversed() {
            for position in hunk.old.reversed() { left[try Self.key(before, position), default: []].append(position) }
        }
        for hunk in hunks {
            for position in hunk.new {
                guard let from = left[try Self.key(after, position)]?.popLast() else { continue }
                sources[position] = from
                gone.insert(from)
            }
        }
    }

    private static func key(_ source: ElementSource, _ position: Int) throws(FreeholdError) -> ElementKey {
        let element = try source.element(at: position)
        guard case .large(let length, let reference) = element, length <= maximumBytes else { return ElementKey(element) }
        return .bytes(tag: source.shape.type.rawValue, try LargeValue.read(reference, in: source.access))
    }

    var isEmpty: Bool { sources.isEmpty }

    /// Where an element of the new list was in the old one, if it was moved.
    func source(of position: Int) -> Int? { sources[position] }

    /// Whether an element of the old list was moved.
    func goesAway(_ position: Int) -> Bool { gone.contains(position) }
}

extension [CollectionComparison.Hunk] {
    /// Differences of which no two touch.
    fileprivate func joined() -> [CollectionComparison.Hunk] {
        var joined: [CollectionComparison.Hunk] = []
        for hunk in self {
            if let last = joined.last, last.old.upperBound == hunk.old.lowerBound, last.new.upperBound == hunk.new.lowerBound {
                joined[joined.count - 1] = CollectionComparison.Hunk(old: last.old.lowerBound..<hunk.old.upperBound,
                                                                     new: last.new.lowerBound..<hunk.new.upperBound)
            } else {
                joined.append(hunk)
            }
        }
        return joined
    }
}
