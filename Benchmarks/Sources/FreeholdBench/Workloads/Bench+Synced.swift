import FreeholdEngine

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
