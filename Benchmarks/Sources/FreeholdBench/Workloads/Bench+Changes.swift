import FreeholdEngine

extension Bench {
    /// Ten random objects changed by five commits, which also insert one each, told from two snapshots.
    func changeFeed() throws {
        let rounds = 100, commits = 5
        let set = PersonSet(from: count, count: rounds * commits)
        try withCopy("changes") { database in
            var stream = SplitMix64(seed: 7), taken: [Double] = [], told = 0
            var people = set.persons.makeIterator()
            for _ in 0..<rounds {
                let before = try database.snapshot()
                for _ in 0..<commits {
                    try database.write(durability: .processCrash) { transaction in
                        let persons = try PersonTable(in: transaction)
                        for _ in 0..<2 {
                            let key = ObjectKey(Int64(stream.next(below: count)))
                            try transaction.set(key, in: persons.table, persons.score, to: .double(Double(stream.next(below: 1 << 40))))
                        }
                        if let person = people.next() { try persons.insert(person, of: set, in: transaction) }
                    }
                }
                let now = try database.snapshot()
                taken.append(try seconds {
                    for persons in try now.changes(since: before).classes {
                        try persons.forEach { change in
                            told += change.kind == .changed ? change.changedColumns.count : 1
                            return true
                        }
                    }
                })
            }
            taken.sort()
            Output.figure("change_feed", taken[rounds / 2] * 1e6, "us")
            Output.figure("change_feed_p99", taken[rounds - 1 - rounds / 100] * 1e6, "us")
            Output.check("change_feed", told)
        }
    }
}
