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

    /// A sorted answer of 100,000 objects, and one of all of them, kept up to date over commits that each change ten objects of it.
    func changeset() throws {
        try changeset("changeset", "id < \(min(count, 100_000)) SORT(score ASC)", among: min(count, 100_000))
        try changeset("changeset_all", "TRUEPREDICATE SORT(score ASC)", among: count)
    }

    private func changeset(_ name: String, _ text: String, among candidates: Int) throws {
        let rounds = 50
        try withCopy("changeset") { database in
            var stream = SplitMix64(seed: 11), taken: [Double] = [], told = 0
            let before = try database.snapshot(), now = try database.snapshot()
            let live = try LiveQuery(ObjectQuery(text), of: "person", at: before)
            for _ in 0..<rounds {
                try database.write(durability: .processCrash) { transaction in
                    let persons = try PersonTable(in: transaction)
                    for _ in 0..<10 {
                        let key = ObjectKey(Int64(stream.next(below: candidates)))
                        try transaction.set(key, in: persons.table, persons.score, to: .double(Double(stream.next(below: 1_000_000))))
                    }
                }
                taken.append(try seconds {
                    try now.refresh()
                    let changes = try live.advance(VersionStep(from: before, to: now))
                    told += changes.deletions.count + changes.insertions.count + changes.modifications.count
                })
                try before.refresh()
            }
            taken.sort()
            Output.figure(name, taken[rounds / 2] * 1e6, "us")
            Output.figure(name + "_p99", taken[rounds - 1] * 1e6, "us")
            Output.check(name, told)
        }
    }
}
