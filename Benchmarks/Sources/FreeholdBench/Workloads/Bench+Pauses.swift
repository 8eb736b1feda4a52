import FreeholdEngine

extension Bench {
    /// Small commits all over the file, one after the other, without a flush: what the longest of them take. Among them are those
    /// that fold the space map anew, and those that seal a tail.
    func commitPauses() throws {
        let commits = 5000, updates = 20
        try withCopy("commit_pauses") { database in
            var stream = SplitMix64(seed: 7), taken: [Double] = []
            for _ in 0..<commits {
                let transaction = try database.beginWrite()
                let persons = try PersonTable(in: transaction)
                for _ in 0..<updates {
                    let draw = stream.next()
                    try transaction.set(
                        ObjectKey(Int64(draw % UInt64(count))), in: persons.table, persons.age, to: .int(Int64((draw >> 32) % 100)))
                }
                taken.append(try seconds { try transaction.commit(.processCrash) })
            }
            taken.sort()
            Output.figure("commit_pause_p50", taken[commits / 2] * 1e6, "us")
            Output.figure("commit_pause_p99", taken[commits * 99 / 100] * 1e6, "us")
            Output.figure("commit_pause_longest", taken[commits - 1] * 1e6, "us")
        }
    }
}
