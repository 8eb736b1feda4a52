import FreeholdEngine
import FreeholdMerge

extension Bench {
    /// What capture of a synced class's changes costs: a plain class and a synced one take turns, and the best of each counts.
    func synced() throws {
        var schema = PersonTable.schema
        schema.syncRules = SyncRules()
        let sides = [(path: arguments.path("unsynced"), schema: PersonTable.schema), (path: arguments.path("synced"), schema: schema)]
        let set = PersonSet(from: 0, count: count)
        let filling = try best(of: 3) { try makeFile(set, at: sides[$0].path, schema: sides[$0].schema, OpenOptions()) }
        Output.figure("synced_bulk_insert", filling[0] / filling[1], "ratio")
        let databases = try sides.map { try Database.open($0.path, OpenOptions()) }
        defer { databases.forEach { $0.close() } }
        try commitSynced(databases)
        databases.forEach { $0.close() }
        for side in sides { try Files.remove(side.path) }
        try typeSynced()
        try exchange(schema)
    }

    /// All objects of a file, sent to a server with its rows in memory, and from there to an empty file.
    private func exchange(_ schema: ClassSchema) throws {
        let paths = [arguments.path("synced"), arguments.path("synced-copy")]
        _ = try makeFile(PersonSet(from: 0, count: count), at: paths[0], schema: schema, OpenOptions())
        try Files.remove(paths[1])
        let databases = try paths.map { try Database.open($0, OpenOptions()) }
        defer { databases.forEach { $0.close() } }
        try databases[1].write { try $0.createClass(schema) }
        let declared = SyncSchema(declared: [schema]), user = SyncUser(rawValue: 1)
        let server = SyncServer(schema: declared, store: MemoryStore(schema: declared))
        try server.add(user)
        func answer(_ database: Database) throws -> [UInt8] {
            guard case .pull(let pull) = try SyncMessage(bytes: SyncReplica(database).pull()) else { return [] }
            return SyncMessage.answer(try server.answer(pull, for: user, now: 1_800_000_000_000)).bytes
        }
        // A file that has had no answer does not know the server's history, which its batches name.
        _ = try SyncReplica(databases[0]).apply(answer(databases[0]))
        var message: [UInt8] = [], isMerged = false
        let pushing = try seconds { message = try SyncReplica(databases[0]).push() ?? [] }
        guard case .push(let batch) = try SyncMessage(bytes: message) else { throw BenchmarkError("synced: nothing was pending") }
        let merging = try seconds { isMerged = try server.commit(batch, by: user, in: try server.begin(), now: 1_800_000_000_000) != nil }
        guard isMerged else { throw BenchmarkError("synced: the server did not take the batch") }
        let answer = try answer(databases[1])
        let applying = try seconds { _ = try SyncReplica(databases[1]).apply(answer) }
        for (name, taken) in [("synced_push", pushing), ("synced_merge", merging), ("synced_apply", applying)] {
            Output.figure(name, Double(count) / taken, "objects/s")
        }
        Output.figure("synced_answer", Double(answer.count) / Double(count), "bytes/object")
        try withPersons(databases[1]) { Output.check("synced_apply", $0.table.count) }
        databases.forEach { $0.close() }
        for path in paths { try Files.remove(path) }
    }

    /// Commits of one object.
    private func commitSynced(_ databases: [Database]) throws {
        let commits = 5000
        var next = [count, count]
        let inserting = try best(of: 5) { side in
            let persons = try withPersons(databases[side]) { $0 }, more = PersonSet(from: next[side], count: commits)
            next[side] += commits
            return try seconds {
                for person in more.persons { try persons.insertAlone(person, of: more, into: databases[side], .processCrash) }
            }
        }
        Output.figure("synced_insert", (inserting[1] - inserting[0]) / Double(commits) * 1e6, "us")
        var streams = [SplitMix64(seed: 11), SplitMix64(seed: 11)]
        let updating = try best(of: 5) { side in
            let persons = try withPersons(databases[side]) { $0 }
            return try seconds {
                for step in 0..<commits {
                    let transaction = try databases[side].beginWrite(), key = ObjectKey(Int64(streams[side].next(below: count)))
                    try transaction.set(key, in: persons.within(transaction).table, persons.age, to: .int(Int64(step % 90)))
                    try transaction.commit(.processCrash)
                }
            }
        }
        Output.figure("synced_update", (updating[1] - updating[0]) / Double(commits) * 1e6, "us")
        try withPersons(databases[1]) { Output.check("synced_update", $0.table.count) }
    }

    /// A list of `count` integers: the file's bytes for its elements, and elements typed at its end, a commit each.
    private func typeSynced() throws {
        let commits = 2000, paths = [arguments.path("unsynced"), arguments.path("synced")]
        var sizes: [Int] = [], databases: [Database] = []
        defer { databases.forEach { $0.close() } }
        let list = PropertySchema("items", .int, collections: [.list])
        for (side, path) in paths.enumerated() {
            try Files.remove(path)
            var box = ClassSchema("Box", primaryKey: "id", [PropertySchema("id", .int), list])
            box.syncRules = side == 1 ? SyncRules() : nil
            let database = try Database.open(path, OpenOptions())
            databases.append(database)
            try database.write { try $0.createClass(box) }
            try database.write { try $0.insert(into: "Box", [("id", .int(1))]) }
            try Self.fill(database, ObjectKey(1), count)
            sizes.append(Files.length(path))
        }
        Output.figure("synced_list_size", Double(sizes[1]) / Double(sizes[0]), "ratio")
        let typing = try best(of: 5) { side in
            try seconds {
                for number in 0..<commits {
                    try databases[side].write(durability: .processCrash) { transaction in
                        let table = try transaction.table("Box")
                        try transaction.list(of: ObjectKey(1), in: table, table.column("items")).append(.int(Int64(number)))
                    }
                }
            }
        }
        Output.figure("synced_list_typing", (typing[1] - typing[0]) / Double(commits) * 1e6, "us")
        databases.forEach { $0.close() }
        for path in paths { try Files.remove(path) }
    }

    /// The best times of the plain side (0) and the synced one (1), in turns.
    private func best(of rounds: Int, _ measure: (Int) throws -> Double) throws -> [Double] {
        var best = [Double.infinity, Double.infinity]
        for _ in 0..<rounds {
            for side in 0...1 { best[side] = min(best[side], try measure(side)) }
        }
        return best
    }
}
