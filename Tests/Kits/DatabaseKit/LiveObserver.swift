@testable import FreeholdEngine
import TestKit

/// Random live answers of a `LiveWorld` with a copy of each, which every delivery's change sets turn into what the database holds then, or it
/// complains.
public final class LiveObserver {
    private let watch: LiveWatch
    private var followed: [Followed] = []
    private var ended: Set<LiveWatch.Number> = []
    private var random: SeededRandom
    /// What was told that is not so.
    public private(set) var complaints: [String] = []
    /// Steps from version to version, and how many of them had lost the version before.
    public private(set) var deliveries = (all: 0, anew: 0)
    /// How many answers were followed object by object.
    public private(set) var followedSteps = 0

    /// An answer, and what it is by what was told.
    private struct Followed {
        let number: LiveWatch.Number
        let text: String
        let answer: LiveWatch.Answer
        var shown: [Shown]
        /// Of a collection or an object: the owner, and its serial number.
        var owner: (key: ObjectKey, serial: Value)?
    }

    /// One object, element, group or property: what tells it from others, and what is seen of it.
    struct Shown: Equatable {
        let name: [Value]
        var content: [Value]
    }

    public var fileDescriptor: Int32 { watch.fileDescriptor }
    public var version: Version { watch.version }

    public init(_ database: Database, seed: UInt64, answers count: Int) throws {
        watch = try LiveWatch(database)
        random = SeededRandom(seed: seed)
        for _ in 0..<count { try follow(try database.snapshot()) }
    }

    // MARK: following

    private func follow(_ snapshot: Snapshot) throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...2: try followQuery(among: nil, snapshot)
        case 3:
            guard let owner = try snapshot.table("Owner").keys().randomElement(using: &random) else { return }
            try followQuery(among: CollectionAddress(["items", "chosen", "named"].randomElement(using: &random)!, of: owner, in: "Owner"), snapshot)
        case 4: try followGroups()
        case 5...6: try followObject(snapshot)
        default: try followCollection(snapshot)
        }
    }

    private func followQuery(among source: CollectionAddress?, _ snapshot: Snapshot) throws {
        let isOfItems = source != nil || random.oneIn(5), n = Int.random(in: 0...5, using: &random)
        let conditions = isOfItems ? ["number > \(n)", "TRUEPREDICATE", "next.number == \(n)", "name BEGINSWITH 'a'"]
            : ["number > \(n)", "TRUEPREDICATE", "best.number < \(n)", "ANY items.number == \(n)", "items.@count > \(n)", "title CONTAINS 'a' OR number == \(n)",
               "ANY numbers == \(n)", "NONE chosen.number == \(n)", "best.next.number == \(n)", "ALL items.number < \(n)"]
        var text = conditions.randomElement(using: &random)!
        let sorts = isOfItems ? ["name ASC", "number DESC", "next.number ASC"] : ["title ASC", "number DESC", "best.number ASC", "number ASC, title DESC"]
        if random.oneIn(2) { text += " SORT(\(sorts.randomElement(using: &random)!))" }
        if random.oneIn(8) { text += " DISTINCT(number)" }
        if random.oneIn(6) { text += " OFFSET(\(n))" }
        if random.oneIn(4) { text += " LIMIT(\(n * 2))" }
        let paths = isOfItems ? ["number", "next.name"] : ["number", "best.number", "items.name", "words"]
        let observed = random.oneIn(3) ? [try PropertyPath(parsing: paths.randomElement(using: &random)!)] : nil
        let (number, live) = try watch.follow(ObjectQuery(text), of: isOfItems ? "Item" : "Owner", among: source, observing: observed)
        let what = "\(text) of \(live.className)\(source.map { " in \($0.property) of \($0.key)" } ?? "")\(observed.map { ", observing \($0)" } ?? "")"
        followed.append(try began(number, what, .query(live), source?.key, snapshot))
    }

    private func followGroups() throws {
        let n = Int.random(in: 0...5, using: &random)
        let text = ["number < \(n) GROUP(title) SELECT(@count, number.@sum)", "GROUP(number) SELECT(@count)", "GROUP(best.name) SELECT(number.@max) LIMIT(\(n))"]
            .randomElement(using: &random)!
        let (number, live) = try watch.followGroups(ObjectQuery(text), of: "Owner")
        followed.append(Followed(number: number, text: text, answer: .groups(live), shown: live.groups.map { Shown(name: $0.values, content: $0.figures) }))
    }

    private func followCollection(_ snapshot: Snapshot) throws {
        guard let owner = try snapshot.table("Owner").keys().randomElement(using: &random) else { return }
        var address = CollectionAddress(LiveWorld.collections.randomElement(using: &random)!.name, of: owner, in: "Owner")
        if address.property == "grid", random.oneIn(2) { address.path = [.position(Int.random(in: 0...2, using: &random))] }
        let observed: [PropertyPath]? = random.oneIn(3) && ["items", "chosen", "named"].contains(address.property) ? [PropertyPath("number")] : nil
        let (number, live) = try watch.follow(address, observing: observed)
        let what = "\(address.property)\(address.path) of \(owner)\(observed == nil ? "" : ", observing number")"
        followed.append(try began(number, what, .collection(live), owner, snapshot))
    }

    private func followObject(_ snapshot: Snapshot) throws {
        guard let owner = try snapshot.table("Owner").keys().randomElement(using: &random) else { return }
        let (number, live) = try watch.follow(owner, in: "Owner")
        followed.append(try began(number, "object \(owner)", .object(live), owner, snapshot))
    }

    private func began(_ number: LiveWatch.Number, _ text: String, _ answer: LiveWatch.Answer, _ owner: ObjectKey?, _ snapshot: Snapshot) throws
        -> Followed {
        guard snapshot.version == watch.version else { throw Unexpected("something was committed while answers were asked for") }
        var made = Followed(number: number, text: text, answer: answer, shown: [])
        made.owner = try owner.map { ($0, try Self.serial($0, snapshot) ?? .null) }
        made.shown = try Self.truth(made, at: snapshot)
        return made
    }

    // MARK: hearing

    /// Takes what there is to take.
    @discardableResult
    public func deliver() throws -> Bool {
        try watch.deliver { delivery in
            deliveries.all += 1
            if delivery.before == nil { deliveries.anew += 1 }
            let changes = Dictionary(uniqueKeysWithValues: delivery.changes.map { ($0.number, $0.what) })
            for place in followed.indices { try hear(changes[followed[place].number], place, delivery) }
        }
    }

    private func hear(_ what: WatchDelivery.What?, _ place: Int, _ delivery: WatchDelivery) throws {
        if delivery.before == nil { try adoptOwner(place, delivery.after) }
        let old = followed[place].shown, new = try Self.truth(followed[place], at: delivery.after)
        var changes = PositionChanges()
        switch what {
        case .positions(let told): changes = told
        case .elements(let told):
            changes = told.positions
            check(told, place, old: old, new: new)
        case .properties(let told): changes = positions(told, place, old: old, new: new, isAnew: delivery.before == nil)
        case .failed(let error): complain(place, "failed: \(error)")
        case nil: break
        }
        let reason = "\(changes) of \(old.count) to \(new.count)\(delivery.before == nil ? ", anew" : "")"
        guard let shown = applying(changes, to: old, from: new) else { return complain(place, "positions that are not there: \(reason)") }
        if shown.map(\.name) != new.map(\.name) { complain(place, "others than told: \(reason)") }
        // What is observed of an object that is not told as changed is as it was.
        if let at = shown.indices.first(where: { $0 < new.count && shown[$0] != new[$0] }) { complain(place, "changed unsaid at \(at): \(reason)") }
        checkSelf(place, new)
        followed[place].shown = new
    }

    /// After a version was lost nobody can say whether the object under a key is the one that it was.
    private func adoptOwner(_ place: Int, _ snapshot: Snapshot) throws {
        let isGone = switch followed[place].answer {
        case .collection(let live): live.isGone
        case .query(let live): live.hasLostSource
        case .object(let live): live.isGone
        case .groups: false
        }
        guard !isGone, let key = followed[place].owner?.key else { return }
        followed[place].owner?.serial = try Self.serial(key, snapshot) ?? .null
    }

    /// What the answer itself says it is.
    private func checkSelf(_ place: Int, _ new: [Shown]) {
        switch followed[place].answer {
        case .query(let live):
            if case .followed(let objects) = live.effort, objects > 0 { followedSteps += 1 }
            if live.keys.map({ [Value.link($0)] }) != new.map(\.name) { complain(place, "the answer is not the query's (\(live.explanation))") }
        case .groups(let live): if live.groups.map(\.values) != new.map(\.name) { complain(place, "the groups are not the query's") }
        case .collection(let live):
            if live.count != new.count { complain(place, "\(live.count) elements instead of \(new.count)") }
        case .object(let live): if live.isGone != new.isEmpty { complain(place, live.isGone ? "gone, though it is there" : "there, though it is gone") }
        }
    }

    /// The places of the properties that were told; of an object that is gone all of them.
    private func positions(_ told: LiveObjectChanges, _ place: Int, old: [Shown], new: [Shown], isAnew: Bool) -> PositionChanges {
        if told.isGone { return PositionChanges(deletions: Array(old.indices)) }
        let places = told.properties.map { name in old.firstIndex { $0.name == [.string(name)] } ?? -1 }.sorted()
        // Where the version before is known nothing is told of values that are as they were.
        for at in places where !isAnew && old.indices.contains(at) && new.indices.contains(at) && old[at] == new[at] {
            complain(place, "\(old[at].name) told as changed")
        }
        return PositionChanges(modifications: places)
    }

    private func check(_ told: CollectionChanges, _ place: Int, old: [Shown], new: [Shown]) {
        func keys(_ positions: [Int], _ shown: [Shown]) -> [Value] { positions.compactMap { shown.indices.contains($0) ? shown[$0].name.first : nil } }
        guard case .collection(let live) = followed[place].answer, ["named", "notes"].contains(live.address.property) else { return }
        let named = [told.deletedKeys, told.insertedKeys, told.modifiedKeys].map { $0.map { Value.string($0) } }
        let meant = [keys(told.positions.deletions, old), keys(told.positions.insertions, new), keys(told.positions.modifications, old)]
        if named != meant { complain(place, "keys \(named) at the positions of \(meant)") }
    }

    private func complain(_ place: Int, _ what: String) {
        complaints.append("version \(watch.version), \(followed[place].text): \(what)")
    }

    /// Nil if there are no such positions.
    private func applying(_ changes: PositionChanges, to old: [Shown], from new: [Shown]) -> [Shown]? {
        for (positions, count) in [(changes.deletions, old.count), (changes.insertions, new.count), (changes.modifications, old.count)] {
            if positions != Array(Set(positions)).sorted() || positions.contains(where: { $0 < 0 || $0 >= count }) { return nil }
        }
        if old.count - changes.deletions.count + changes.insertions.count != new.count { return nil }
        var shown = old
        for position in changes.deletions.reversed() { shown.remove(at: position) }
        for position in changes.insertions { shown.insert(new[position], at: position) }
        for position in changes.modificationsAfter {
            guard position < new.count else { return nil }
            shown[position] = new[position]
        }
        return shown
    }

    // MARK: what is so

    private static func truth(_ followed: Followed, at snapshot: Snapshot) throws -> [Shown] {
        switch followed.answer {
        case .query(let live):
            let table = try snapshot.table(live.className), prepared = try table.prepare(live.query)
            let keys: [ObjectKey]
            if let source = live.source {
                let elements = try isThere(followed, snapshot) ? elements(source, snapshot) : []
                keys = try prepared.keys(among: elements.compactMap { $0.content[0].key })
            } else {
                keys = try prepared.keys()
            }
            return try keys.map { Shown(name: [.link($0)], content: try seen($0, live.observed, table)) }
        case .groups(let live):
            return try snapshot.table(live.className).prepare(live.query).groups().map { Shown(name: $0.values, content: $0.figures) }
        case .collection(let live):
            guard try isThere(followed, snapshot) else { return [] }
            return try elements(live.address, snapshot).map { try deepened($0, live, snapshot) }
        case .object(let live):
            let table = try snapshot.table(live.className)
            guard try isThere(followed, snapshot) else { return [] }
            return try valuesByName(live.key, table).map { Shown(name: [.string($0)], content: [$1]) }
        }
    }

    private static func serial(_ key: ObjectKey, _ snapshot: Snapshot) throws -> Value? {
        let table = try snapshot.table("Owner")
        return try table.row(key).map { try $0.value(table.column("serial")) }
    }

    private static func isThere(_ followed: Followed, _ snapshot: Snapshot) throws -> Bool {
        guard let owner = followed.owner else { return true }
        return try serial(owner.key, snapshot) == owner.serial
    }

    private static func elements(_ address: CollectionAddress, _ snapshot: Snapshot) throws -> [Shown] {
        let table = try snapshot.table(address.className)
        guard let row = try table.row(address.key) else { return [] }
        var value = try row.value(table.column(address.property))
        for case .position(let position) in address.path {
            guard case .list(let inner) = value, position < inner.count else { return [] }
            value = inner[position]
        }
        switch value {
        // An element of a list may be told as changed, whatever it was; one of a set is itself, and a map's is its key's.
        case .list(let values): return values.map { Shown(name: [], content: [$0]) }
        case .set(let values): return values.map { Shown(name: [$0], content: [$0]) }
        case .map(let entries): return entries.sortedByKey.map { Shown(name: [.string($0.key)], content: [$0.value]) }
        default: return []
        }
    }

    /// With what is observed of the object that it links to.
    private static func deepened(_ shown: Shown, _ live: LiveCollection, _ snapshot: Snapshot) throws -> Shown {
        var deep = shown
        let items = try snapshot.table("Item")
        for value in shown.content {
            let key: ObjectKey? = if case .object(let object) = value { object.key } else { value.key }
            if let key { deep.content += try seen(key, live.observed, items) }
        }
        return deep
    }

    /// An object's values in the order of their names: properties change places when they are dropped and added again.
    private static func valuesByName(_ key: ObjectKey, _ table: Table) throws -> [(name: String, value: Value)] {
        let values = try table.values(key)
        return zip(table.schema.properties.map(\.name), values).map { (name: $0, value: $1) }.sorted { $0.name.precedes($1.name) }
    }

    /// What an object is seen to hold: at the observed paths, or of itself.
    private static func seen(_ key: ObjectKey, _ observed: [PropertyPath]?, _ table: Table) throws -> [Value] {
        guard let observed else { return try valuesByName(key, table).map(\.value) }
        guard let row = try table.row(key) else { return [] }
        let context = QueryContext()
        context.rows = [row]
        var values: [Value] = []
        for path in observed {
            try QueryBinder(table).boundPath(path, path.steps[...]).forEach(context) { value in
                values.append(value)
                return true
            }
        }
        return values
    }
}

extension Value {
    fileprivate var key: ObjectKey? { if case .link(let key) = self { key } else { nil } }
}
