@testable import FreeholdEngine

/// A number for everything a database holds: equal for a model and the database that holds the same.
public enum StateDigest {
    public static func of(_ model: NaiveDatabase) -> Int {
        var hasher = Hasher()
        for name in model.order {
            let stored = model.classes[name]!
            hasher.combine(name)
            hasher.combine(stored.schema.properties.map(\.name))
            for key in stored.objects.keys.sorted() {
                hasher.combine(key)
                for value in stored.objects[key]! { hasher.combine(value.description) }
            }
        }
        return hasher.finalize()
    }

    public static func of(_ snapshot: Snapshot) throws -> Int {
        var hasher = Hasher()
        for schema in try snapshot.classes {
            hasher.combine(schema.name)
            let table = try snapshot.table(schema.name, withSubclasses: false)
            hasher.combine(table.schema.properties.map(\.name))
            let columns = table.columns
            try table.forEach { row in
                hasher.combine(row.key.rawValue)
                for column in columns { hasher.combine(try row.value(column).description) }
                return true
            }
        }
        return hasher.finalize()
    }

    /// Of what is pending in synced classes, with stamps and epochs, and of all identities.
    public static func ofPending(in snapshot: Snapshot) throws -> Int {
        guard let body = try snapshot.syncState() else { return 0 }
        var hasher = Hasher(), hasOwn = false
        // After a power cut the file has another identity, and its slots have other numbers: replicas are named by themselves.
        func hash(_ origin: PendingOrigin) {
            if origin.slot == 0 { hasOwn = true }
            hasher.combine(origin.slot == 0 ? body.replica : body.slots[Int(origin.slot) - 1].replica)
            hasher.combine(origin.epoch)
        }
        hasher.combine("\(body.clock) \(body.history) \(body.cursor)")
        for stored in try snapshot.schema().presentTables {
            let trees = PendingTrees(try snapshot.state(Int(stored.number), as: stored).root)
            hasher.combine(stored.number)
            try trees.forEachChange(in: snapshot.core.access) { entry in
                hasher.combine("\(entry.key) \(entry.what) \(entry.stamp)")
                hash(entry.origin)
            }
            try trees.forEachDeletion(in: snapshot.core.access) { key, object in hasher.combine("\(key) \(object)") }
            try trees.forEachSum(in: snapshot.core.access) { sum in
                hasher.combine("\(sum.key) \(sum.property) \(sum.amount) \(sum.increments) \(sum.began)")
                hash(sum.origin)
            }
            let identities = IdentityReader(trees: trees, access: snapshot.core.access)
            try identities.forEachList { key, property, list throws(FreeholdError) in
                var list = list
                let runs = try list.runs(0..<list.count)
                hasher.combine("\(key) \(property) \(runs)")
            }
            try identities.forEachEmbedded { hasher.combine("\($0)") }
            let replicas = try identities.replicas().sorted { $0.key < $1.key }
            for (number, replica) in replicas { hasher.combine("\(number) \(replica)") }
        }
        // An identity under which nothing was written yet says nothing.
        var held = body.slots
        if hasOwn || body.epoch > 1 { held.insert(SyncBody.Slot(replica: body.replica, epoch: body.epoch, last: body.clock.last), at: 0) }
        for slot in held { hasher.combine("\(slot.replica) \(slot.epoch) \(slot.last)") }
        return hasher.finalize()
    }
}
