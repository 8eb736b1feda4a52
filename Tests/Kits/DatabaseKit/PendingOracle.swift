@testable import FreeholdEngine

/// What is pending, compared with two versions in the plainest way: `base`, of which nothing was pending, and a later one.
///
///     state(base) ⊕ pending = state(now)
public struct PendingOracle {
    let base: Snapshot
    let now: Snapshot
    /// Whether an epoch has ended since the base: then the deletion of what was created since may be pending.
    private let isSealed: Bool
    private var complaints: [String] = []

    /// An object of one version: its values by the numbers of their properties.
    private struct Object {
        let values: [UInt32: Value]
        let incarnation: UInt64
    }

    /// What is pending of one class, by object.
    private struct Pending {
        var created: Set<Int64> = [], deleted: Set<Int64> = []
        var changes: [Int64: [PendingEntry]] = [:]
        var sums: [Int64: [UInt32: Int64]] = [:]
        var keys: [Int64: [UInt8]] = [:]
    }

    public static func complaints(base: Snapshot, now: Snapshot) throws -> [String] {
        let epochs = (try base.syncState()?.epoch ?? 1, try now.syncState()?.epoch ?? 1)
        var oracle = PendingOracle(base: base, now: now, isSealed: epochs.0 != epochs.1)
        for stored in try now.schema().presentTables { try oracle.check(stored) }
        return oracle.complaints
    }

    private init(base: Snapshot, now: Snapshot, isSealed: Bool) {
        (self.base, self.now, self.isSealed) = (base, now, isSealed)
    }

    private mutating func check(_ stored: StoredClass) throws {
        let table = Int(stored.number), trees = PendingTrees(try now.state(table, as: stored).root)
        guard try now.schema().isCaptured(table) else {
            if !trees.isEmpty { complaints.append("\(stored.name) is not synced, and has pending changes") }
            return
        }
        let body = try now.syncState()!
        let pending = try read(trees, stored, body), wasCaptured = try base.schema().isCaptured(table)
        let before = wasCaptured ? try objects(base, table) : [:], after = try objects(now, table)
        let noted = pending.created.union(pending.deleted).union(pending.changes.keys).union(pending.sums.keys)
        for key in noted.union(before.keys).union(after.keys).sorted() {
            try compare(key, before[key], after[key], pending, stored)
        }
    }

    private mutating func read(_ trees: PendingTrees, _ stored: StoredClass, _ body: SyncBody) throws -> Pending {
        var pending = Pending(), seen: Set<String> = []
        try trees.forEachChange(in: now.core.access) { entry in
            let last = entry.origin.slot == 0 ? body.epoch : body.slots[Int(entry.origin.slot) - 1].epoch
            if entry.stamp > body.clock.last || entry.origin.epoch > last {
                complaints.append("\(stored.name): \(entry) has a stamp or an origin that was never there")
            }
            if !seen.insert("\(entry.key) \(entry.what)").inserted { complaints.append("\(stored.name): two entries for \(entry)") }
            switch entry.what {
            case .created(let last):
                for key in entry.key...last where !pending.created.insert(key).inserted {
                    complaints.append("\(stored.name): \(key) is created twice")
                }
            case .deleted: pending.deleted.insert(entry.key)
            default: pending.changes[entry.key, default: []].append(entry)
            }
        }
        try trees.forEachSum(in: now.core.access) { sum in
            pending.sums[sum.key, default: [:]][sum.property, default: 0] += sum.amount
            if sum.increments == 0 { complaints.append("\(stored.name): a sum of no increments") }
        }
        try trees.forEachDeletion(in: now.core.access) { bytes, key in pending.keys[key] = bytes }
        return pending
    }

    private func objects(_ snapshot: Snapshot, _ table: Int) throws -> [Int64: Object] {
        let schema = try snapshot.schema(), stored = schema.classes[table], state = try snapshot.state(table, as: stored)
        var found: [Int64: Object] = [:]
        func add(_ place: RowPlace) throws(FreeholdError) {
            var values: [UInt32: Value] = [:]
            for (column, property) in stored.properties.enumerated() where !property.isObjectKey && !property.isClass {
                values[property.number] = try state.value(place, column)
            }
            found[place.key] = Object(values: values, incarnation: state.incarnation(place))
        }
        try state.forEachTailRow { row throws(FreeholdError) in try add(.tail(row)) }
        var cursor = try ClusterCursor(state.root.clusters, in: snapshot.core.access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count { try add(.cluster(cluster, row)) }
        }
        return found
    }

    private mutating func compare(_ key: Int64, _ before: Object?, _ after: Object?, _ pending: Pending, _ stored: StoredClass) throws {
        func complain(_ message: String) { complaints.append("\(stored.name) \(key): \(message)") }
        let isSame = before != nil && after.map { $0.incarnation <= base.root.version } ?? false
        let isCreated = pending.created.contains(key), isDeleted = pending.deleted.contains(key)
        if after == nil, pending.changes[key] != nil || pending.sums[key] != nil { complain("is gone, and has pending changes") }
        if stored.isEmbedded {
            if isCreated || isDeleted { complain("is embedded, and pending by itself") }
        } else {
            if isCreated != (after != nil && !isSame) { complain(isCreated ? "is created, but was there" : "is new, but not created") }
            if before != nil, !isSame, !isDeleted { try expectLaterDeletion(of: key, before, pending, stored) }
            if isDeleted, before == nil || isSame, !isSealed { complain("is deleted, but was not there") }
            let isKeyed = stored.isKeyedByInteger
            if isDeleted, !isKeyed, pending.keys[key] == nil { complain("is deleted without its primary key") }
            if pending.keys[key] != nil, !isDeleted { complain("has the primary key of a deleted object, and is not deleted") }
        }
        guard let after else { return }
        for (column, property) in stored.properties.enumerated() where after.values[property.number] != nil {
            let old = isSame ? before?.values[property.number] ?? property.initialOfOracle : nil, new = after.values[property.number]!
            if stored.isCounter(column) {
                guard case .int(let value) = new else { continue }
                var start: Int64 = 0
                if case .int(let number)? = old { start = number }
                let sum = pending.sums[key]?[property.number] ?? 0
                if sum != value - start { complain("counter \(property.name) went from \(start) to \(value), by a sum of \(sum)") }
            } else if property.collections.first == .list, isSame, let old, case .list(let values) = new {
                let entries = pending.changes[key] ?? []
                if let found = try listComplaint(stored, property, key, old, values, entries) { complain("\(property.name): \(found)") }
            } else if let old, try !isExplained(property, old, new, pending.changes[key] ?? []) {
                complain("\(property.name) went from \(old) to \(new), without an entry")
            }
        }
        let numbers = Set(stored.properties.map(\.number))
        for entry in pending.changes[key] ?? [] where !numbers.contains(entry.property ?? .max) { complain("\(entry) names no property") }
    }

    /// An object that is gone is deleted, or another one that had its primary key was deleted after it.
    private mutating func expectLaterDeletion(of key: Int64, _ before: Object?, _ pending: Pending, _ stored: StoredClass) throws {
        if let column = stored.primaryKey, !stored.properties[column].isObjectKey,
           let value = before?.values[stored.properties[column].number] {
            let bytes = ByteBuffer()
            bytes.setIndexKey(value, of: stored.properties[column].type)
            if pending.keys.values.contains(bytes.array) { return }
        }
        complaints.append("\(stored.name) \(key): is gone, and not deleted")
    }

    private func isExplained(_ property: StoredProperty, _ old: Value, _ new: Value, _ entries: [PendingEntry]) throws -> Bool {
        let own = entries.filter { $0.property == property.number }
        switch (property.collections.first, try present(old, property), new) {
        case (.set?, .set(let some), .set(let others)):
            let changed = some.filter { value in !others.contains { $0.isIdentical(to: value) } }
                + others.filter { value in !some.contains { $0.isIdentical(to: value) } }
            return changed.allSatisfy { value in own.contains { $0.what == .member(property.number, value.indexKeyOfOracle(property)) } }
        case (.map?, .map(let some), .map(let others)):
            let keys = Set(some.keys.map { $0 } + others.keys.map { $0 })
            return keys.allSatisfy { key in
                let same = some[key].map { value in others[key]?.isIdentical(to: value) ?? false } ?? (others[key] == nil)
                return same || own.contains { $0.what == .mapKey(property.number, Array(key.utf8)) }
            }
        case (_, let old, let new):
            return old.isIdentical(to: new) || own.contains { $0.what == .property(property.number) }
        }
    }

    /// A value of the base as it shows now: without links to objects that are gone.
    private func present(_ value: Value, _ property: StoredProperty) throws -> Value {
        guard property.type.mayLink else { return value }
        switch value {
        case .set(let values): return .set(try values.filter { try !isLost($0, property) })
        case .map(let entries) where !property.collections.isEmpty:
            var kept: TextMap<Value> = [:]
            for (key, value) in entries {
                kept[key] = try isLost(value, property) ? .null : value
            }
            return .map(kept)
        default: return try isLost(value, property) ? .null : value
        }
    }

    func isLost(_ value: Value, _ property: StoredProperty) throws -> Bool {
        let target: (table: Int, key: Int64)
        let schema = try now.schema()
        switch value {
        // An embedded object goes with the value that owns it: that is a change of the value.
        case .link where property.linkTarget.map { schema.find(number: Int($0))?.isEmbedded == true } ?? false: return false
        case .link(let key): target = (schema.table(of: Int(property.linkTarget ?? 0)), key.rawValue)
        case .object(let object):
            guard schema.find(number: object.classNumber) != nil else { return true }
            target = (schema.table(of: object.classNumber), object.key.rawValue)
        default: return false
        }
        let state = try now.state(target.table, as: schema.classes[target.table])
        guard let place = try state.find(target.key) else { return true }
        return state.incarnation(place) > base.root.version
    }
}

extension StoredProperty {
    /// The value of an object that is older than the property.
    fileprivate var initialOfOracle: Value { owner != nil ? .null : initialValue }
}

extension Value {
    fileprivate func indexKeyOfOracle(_ property: StoredProperty) -> [UInt8] {
        let bytes = ByteBuffer()
        bytes.setIndexKey(self, of: property.type)
        return bytes.array
    }
}
