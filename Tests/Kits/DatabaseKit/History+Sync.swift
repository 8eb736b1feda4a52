@testable import FreeholdEngine
import TestKit

/// Synced classes in a random history: they concern no object, so the model stays.
extension History {
    /// A class with counters and collections that can be synced, if those that it links to are.
    public static let crate = ClassSchema("Crate", primaryKey: "code", [
        PropertySchema("code", .string), PropertySchema("count", .int), PropertySchema("stock", .int),
        PropertySchema("label", .string, isNullable: true),
        PropertySchema("numbers", .int, collections: [.list]), PropertySchema("tags", .string, collections: [.set]),
        PropertySchema("map", .date, isNullable: true, collections: [.map]), PropertySchema("nested", .string, collections: [.map, .list]),
        PropertySchema("links", linkTo: "Everything", collections: [.list]), PropertySchema("some", linkTo: "Named", collections: [.set]),
        PropertySchema("named", linkTo: "Named", collections: [.map]), PropertySchema("any", .mixed),
        PropertySchema("next", linkTo: "Crate"),
    ])

    /// Runs one write transaction; false if it is refused, because the increments of a counter exceed 64 bits.
    public mutating func transactUnlessTooLarge(on database: Database, durability: Durability, savepoints: Bool = false) throws -> Bool {
        do {
            if savepoints {
                let found = try transactWithSavepoints(on: database, durability: durability)
                if let first = found.first { throw Unexpected(first) }
            } else {
                try transact(on: database, durability: durability)
            }
            return true
        } catch let error as FreeholdError where error.code == .valueTooLarge {
            return false
        }
    }

    /// Runs one write transaction that inserts objects of classes that can be synced, changes one of each and deletes another.
    public mutating func transactSynced(on database: Database, durability: Durability) throws {
        var draft = model
        let transaction = try database.beginWrite(timeoutMilliseconds: 1000)
        for name in ["Everything", "Crate"] {
            guard let schema = draft.classes[name]?.schema else { continue }
            for _ in 0..<5 {
                let values = schema.properties.map { value($0, draft) }
                if draft.classes[name]!.isTaken(values) { continue }
                let key = try transaction.insert(into: transaction.table(name), values: values).rawValue
                guard key == draft.insert(name, values) else { throw Unexpected("insert gave key \(key)") }
            }
            let keys = draft.classes[name]!.objects.keys.sorted()
            if let key = keys.randomElement(using: &random), let place = schema.properties.firstIndex(where: { $0.name == "next" }) {
                let target = Value.link(ObjectKey(keys.randomElement(using: &random)!)), table = try transaction.table(name)
                try transaction.set(ObjectKey(key), in: table, table.column("next"), to: target)
                draft.set(name, key, place, target)
            }
            if let key = keys.randomElement(using: &random), let place = schema.properties.firstIndex(where: { $0.name == "numbers" }),
               case .list(var values)? = draft.classes[name]!.objects[key]?[place] {
                editNumbers(&values)
                let table = try transaction.table(name)
                try transaction.set(ObjectKey(key), in: table, table.column("numbers"), to: .list(values))
                draft.set(name, key, place, .list(values))
            }
            if let key = keys.randomElement(using: &random), let doomed = draft.doomed(name, key) {
                try transaction.delete(ObjectKey(key), from: transaction.table(name))
                draft.delete(doomed)
            }
        }
        try transaction.commit(durability)
        model = draft
    }

    /// Inserts, removes, replaces and moves elements of a list, so that each is an entry by its identity.
    private mutating func editNumbers(_ values: inout [Value]) {
        for _ in 0..<1 + random.below(4) {
            let place = random.below(values.count + 1)
            switch random.below(5) {
            case 0, 1:
                let some = (0..<(random.oneIn(6) ? 300 : 2)).map { _ in Value.int(Int64(bitPattern: random.next() >> 20)) }
                values.insert(contentsOf: some, at: place)
            case 2 where place < values.count: values.removeSubrange(place..<min(values.count, place + (random.oneIn(4) ? 100 : 1)))
            case 3 where place < values.count: values[place] = .int(Int64(bitPattern: random.next() >> 20))
            case 4 where place < values.count: values.insert(values.remove(at: place), at: random.below(values.count + 1))
            default: continue
            }
        }
    }

    /// Marks the classes that can be synced, in a commit of its own.
    public func markSynced(on database: Database, durability: Durability) throws {
        try database.write(durability: durability) { transaction in
            let schema = transaction.schema
            var possible = schema.presentTables.filter { stored in
                schema.marking(Int(stored.number), StoredSync()).classes[Int(stored.number)].syncComplaint() == nil
            }
            while true {
                let numbers = Set(possible.map { Int($0.number) })
                let kept = possible.filter { stored in
                    stored.properties.allSatisfy { $0.linkTarget.map { numbers.contains(schema.table(of: Int($0))) } ?? true }
                }
                if kept.count == possible.count { break }
                possible = kept
            }
            for stored in possible where stored.sync == nil {
                let counters = stored.properties.map(\.name).filter { ["count", "stock", "rank"].contains($0) }
                let onConflict = stored.number % 2 == 0 ? SyncConflict.deletionWins : .updateWins
                try transaction.sync.mark(stored.name, SyncRules(onConflict: onConflict, counters: counters))
            }
        }
    }

    /// Drops everything that is pending, as an answer of the server to all of it does.
    public static func settleSync(on database: Database, durability: Durability) throws {
        let transaction = try database.beginWrite()
        transaction.capturesSync = false
        for stored in transaction.schema.presentTables where transaction.schema.isCaptured(Int(stored.number)) {
            let writer = try transaction.writer(Int(stored.number)), trees = PendingTrees(writer.state.root)
            if trees.isSettled { continue }
            try writer.open(keepingRows: true)
            for tree in [trees.changes, trees.deletions, trees.sums, trees.neighbours] { try writer.pending.freeTree(tree) }
            trees.settled.store(in: &writer.state.root)
        }
        try transaction.commit(durability)
    }

    /// Ends the open epoch, if a class is synced.
    public static func sealSync(on database: Database, durability: Durability) throws {
        let transaction = try database.beginWrite()
        guard transaction.schema.hasSynced else { return transaction.rollback() }
        _ = try transaction.sync.seal()
        try transaction.commit(durability)
    }
}
