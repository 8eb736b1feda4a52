import FreeholdEngine

extension Bench {
    /// Every person by score, or by name, the last first; the first ten and the last are looked at.
    func sort(_ name: String, by column: KeyPath<PersonTable, Column> & Sendable) throws {
        try reading { persons in
            var touched: [ObjectKey] = []
            var bytes = 0
            let taken = try medianSeconds(of: 3) {
                let keys = try persons.table.sorted(by: [SortTerm(persons[keyPath: column], isAscending: false)])
                touched = keys.prefix(10) + keys.suffix(1)
                for key in touched {
                    guard let row = try persons.table.row(key), try row.double(persons.score) >= 0 else { throw BenchmarkError("\(name): person \(key) is missing") }
                    bytes += try row.string(persons.name).utf8.count
                }
            }
            guard bytes > 0 else { throw BenchmarkError("\(name): persons without names") }
            Output.figure(name, Double(count) / taken, "objects/s")
            Output.check(name, touched)
        }
    }
}
