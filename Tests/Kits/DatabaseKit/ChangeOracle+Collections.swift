@testable import FreeholdEngine

extension ChangeOracle {
    /// What is wrong with what is told of a property's collection, or nothing.
    static func collectionComplaints(_ change: ObjectChange, _ column: Column, from old: Value, to new: Value) throws -> [String] {
        let found: [String]
        switch (old, new) {
        case (.list(let old), .list(let new)): found = complaints(try change.listChanges(of: column), from: old, to: new)
        case (.set(let old), .set(let new)): found = try complaints(change.setChanges(of: column), old, to: new)
        case (.map(let old), .map(let new)): found = complaints(try change.mapChanges(of: column), from: old, to: new)
        default: found = ["it is no collection"]
        }
        return found.map { "\(change.key), column \(column.index): \($0)" }
    }

    /// Applied to the old list the changes must give the new one; nothing that stayed may be told as modified.
    public static func complaints(_ changes: ListChanges, from old: [Value], to new: [Value]) -> [String] {
        var found: [String] = []
        if changes.isEmpty && !Value.list(old).isIdentical(to: .list(new)) { found.append("nothing told of a list") }
        if !isAscending(changes.deletions, below: old.count) { found.append("deletions are \(changes.deletions) of \(old.count)") }
        if !isAscending(changes.insertions, below: new.count) { found.append("insertions are \(changes.insertions) of \(new.count)") }
        if !isAscending(changes.modifications.map(\.old), below: old.count) || !isAscending(changes.modifications.map(\.new), below: new.count)
            || changes.modifications.contains(where: { $0.old.count != $0.new.count }) {
            found.append("modifications are \(changes.modifications)")
        }
        if !found.isEmpty { return found }
        for part in changes.modifications where zip(part.old, part.new).contains(where: { old[$0].isIdentical(to: new[$1]) }) {
            found.append("modified is what stayed the same, in \(part)")
        }
        if !Value.list(applied(changes, to: old, from: new)).isIdentical(to: .list(new)) { found.append("applied, the list is another one") }
        return found
    }

    /// The three steps as callers are told to take them.
    public static func applied(_ changes: ListChanges, to old: [Value], from new: [Value]) -> [Value] {
        var list = old
        for range in changes.deletions.reversed() { list.removeSubrange(range) }
        for range in changes.insertions { list.insert(contentsOf: new[range], at: min(range.lowerBound, list.count)) }
        for part in changes.modifications where part.new.upperBound <= list.count { list.replaceSubrange(part.new, with: new[part.new]) }
        return list
    }

    private static func isAscending(_ ranges: [Range<Int>], below count: Int) -> Bool {
        var end = 0
        for range in ranges {
            if range.isEmpty || range.lowerBound < end { return false }
            end = range.upperBound
        }
        return end <= count
    }

    /// The elements told must be just those that only one of the sets has.
    public static func complaints(_ changes: SetChanges, _ old: [Value], to new: [Value]) throws -> [String] {
        var found: [String] = []
        let was = Set(old), now = Set(new)
        if try changes.deleted() != old.filter({ !now.contains($0) }) { found.append("deleted are \(try changes.deleted().prefix(5))") }
        if try changes.inserted() != new.filter({ !was.contains($0) }) { found.append("inserted are \(try changes.inserted().prefix(5))") }
        return found
    }

    /// The keys told must be just those that only one of the maps has, and those with another value.
    public static func complaints(_ changes: MapChanges, from old: TextMap<Value>, to new: TextMap<Value>) -> [String] {
        func sorted(_ keys: some Sequence<String>) -> [String] { keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
        var found: [String] = []
        if changes.deletions != sorted(old.keys.filter { new[$0] == nil }) { found.append("deleted are \(changes.deletions.prefix(5))") }
        if changes.insertions != sorted(new.keys.filter { old[$0] == nil }) { found.append("inserted are \(changes.insertions.prefix(5))") }
        let changed = new.filter { key, value in old[key].map { !$0.isIdentical(to: value) } ?? false }
        if changes.modifications != sorted(changed.map(\.key)) { found.append("modified are \(changes.modifications.prefix(5))") }
        return found
    }
}
