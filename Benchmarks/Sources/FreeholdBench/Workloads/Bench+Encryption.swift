import FreeholdEngine

extension Bench {
    /// What encryption costs, as ratios of rates, encrypted to plain: the two take turns, and the best of each counts.
    /// Reading is warm: a pass on a handle that has made one before.
    func encrypted() throws {
        var options = OpenOptions()
        options.encryptionKey = .random()
        let sides = [(path: arguments.path("plain"), options: OpenOptions()), (path: arguments.path("encrypted"), options: options)]
        let set = PersonSet(from: 0, count: count)
        try compare("encrypted_bulk_insert", rounds: 3) { try makeFile(set, at: sides[$0].path, sides[$0].options) }
        Output.figure("encrypted_file_size", Double(Files.length(sides[1].path)) / Double(count), "bytes/object")
        let databases = try sides.map { try Database.open($0.path, $0.options) }
        defer { databases.forEach { $0.close() } }
        try compareReading(databases)
        var next = count
        for (name, commits, durability) in [("encrypted_commit_durable", 300, Durability.full), ("encrypted_commit_fast", 10_000, .processCrash)] {
            try compare(name, rounds: 3) { side in
                defer { next += side == 1 ? commits : 0 }
                let persons = try withPersons(databases[side]) { $0 }
                let more = PersonSet(from: next, count: commits)
                return try seconds {
                    for person in more.persons { try persons.insertAlone(person, of: more, into: databases[side], durability) }
                }
            }
        }
        databases.forEach { $0.close() }
        for side in sides { try Files.remove(side.path) }
    }

    private func compareReading(_ databases: [Database]) throws {
        var sums = [0, 0]
        let snapshots = try databases.map { try $0.snapshot() }
        defer { snapshots.forEach { $0.end() } }
        let tables = try snapshots.map { try PersonTable(in: $0) }
        try compare("encrypted_pk_lookup", rounds: 6) { side in
            var stream = SplitMix64(seed: 7)
            let table = tables[side]
            return try lookUp(1_000_000, in: table, &stream, &sums[side])
        }
        Output.check("encrypted_pk_lookup", sums[1])
        try compare("encrypted_traverse", rounds: 12) { side in
            try seconds {
                guard case .int(let ages) = try tables[side].table.sum(tables[side].age),
                    case .double = try tables[side].table.sum(tables[side].score)
                else { throw BenchmarkError("encrypted: the sums have other types than their columns") }
                sums[side] = Int(ages)
            }
        }
        Output.check("encrypted_traverse", sums[1])
        guard sums[0] == sums[1] else { throw BenchmarkError("encrypted: the sums differ") }
    }

    private func lookUp(_ lookUps: Int, in table: PersonTable, _ stream: inout SplitMix64, _ sum: inout Int) throws -> Double {
        var ages = 0
        let taken = try seconds {
            for _ in 0..<lookUps { ages += try table.age(of: stream.next(below: count)) }
        }
        sum = ages
        return taken
    }

    /// Times the plain side (0) and the encrypted one (1) in turn; prints the ratio of their best rates.
    private func compare(_ name: String, rounds: Int, _ measure: (Int) throws -> Double) throws {
        var best = [Double.infinity, Double.infinity]
        for _ in 0..<rounds {
            for side in 0...1 { best[side] = min(best[side], try measure(side)) }
        }
        Output.figure(name, best[0] / best[1], "ratio")
    }
}
