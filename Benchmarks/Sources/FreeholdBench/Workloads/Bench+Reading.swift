import FreeholdEngine

extension Bench {
    func openFresh() throws {
        var stream = SplitMix64(seed: 7)
        var taken: [Double] = []
        for _ in 0..<20 {
            let key = ObjectKey(Int64(stream.next(below: count)))
            let start = nanoseconds()
            let database = try Database.open(file)
            let snapshot = try database.snapshot()
            let persons = try PersonTable(in: snapshot)
            guard let row = try persons.table.row(key), try row.int(persons.age) >= 0 else {
                throw BenchmarkError("open: person \(key) is missing")
            }
            taken.append(Double(nanoseconds() - start) * 1e-3)
            snapshot.end()
            database.close()
        }
        Output.figure("open", taken.sorted()[10], "us")
    }

    func lookUp() throws {
        let lookUps = 1_000_000
        try reading { persons in
            var stream = SplitMix64(seed: 7)
            var sum = 0
            let taken = try seconds {
                for _ in 0..<lookUps { sum += try persons.age(of: stream.next(below: count)) }
            }
            Output.figure("pk_lookup", Double(lookUps) / taken, "ops/s")
            Output.check("pk_lookup", sum)
        }
    }

    /// By column, which is `traverse`; and row by row, as `traverse_rows`.
    func traverse() throws {
        try reading { persons in
            var ages: Int64 = 0
            var scores = 0.0
            let byColumn = try medianSeconds(of: 3) {
                guard case .int(let ageSum) = try persons.table.sum(persons.age),
                    case .double(let scoreSum) = try persons.table.sum(persons.score)
                else { throw BenchmarkError("traverse: the sums have other types than their columns") }
                (ages, scores) = (ageSum, scoreSum)
            }
            Output.figure("traverse", Double(count) / byColumn, "objects/s")
            Output.check("traverse_age", Int(ages))
            Output.check("traverse_score", scores, digits: 3)
            let byRow = try medianSeconds(of: 3) {
                (ages, scores) = (0, 0)
                try persons.table.forEach { row in
                    ages += try row.int(persons.age)
                    scores += try row.double(persons.score)
                    return true
                }
            }
            Output.figure("traverse_rows", Double(count) / byRow, "objects/s")
            Output.check("traverse_age", Int(ages))
            Output.check("traverse_score", scores, digits: 3)
        }
    }

    /// Counts of all objects that meet a condition, without an index.
    func scan(_ name: String, _ condition: String) throws {
        try reading { persons in
            let query = try ObjectQuery(condition)
            var found = 0
            let taken = try medianSeconds(of: 3) { found = try persons.table.count(matching: query) }
            Output.figure(name, Double(count) / taken, "objects/s")
            Output.check(name, found)
        }
    }

    func indexEquality() throws {
        let queries = 10_000
        try reading { persons in
            var stream = SplitMix64(seed: 7)
            var sum = 0
            let taken = try seconds {
                for _ in 0..<queries {
                    let city = Names.city(stream.next(below: 1000))
                    sum += try persons.table.count(persons.city, equals: .string(city))
                }
            }
            Output.figure("index_eq", Double(queries) / taken, "queries/s")
            Output.check("index_eq", sum)
        }
    }

    func aggregate() throws {
        try reading { persons in
            var sum: Int64 = 0
            var (average, minimum, maximum) = (0.0, 0.0, 0.0)
            let taken = try medianSeconds(of: 3) {
                guard case .int(let ages) = try persons.table.sum(persons.age),
                    let mean = try persons.table.average(persons.score),
                    case .double(let least) = try persons.table.minimum(persons.score),
                    case .double(let most) = try persons.table.maximum(persons.score)
                else { throw BenchmarkError("aggregate: no value") }
                (sum, average, minimum, maximum) = (ages, mean, least, most)
            }
            Output.figure("aggregate", Double(count) / taken, "objects/s")
            Output.check("aggregate_sum_age", Int(sum))
            Output.check("aggregate_avg_score", average, digits: 6)
            Output.check("aggregate_min_score", minimum, digits: 9)
            Output.check("aggregate_max_score", maximum, digits: 9)
        }
    }
}

extension PersonTable {
    /// One person's age; every id below the number of objects exists.
    @inline(__always)
    func age(of id: Int) throws -> Int {
        guard let row = try table.row(ObjectKey(Int64(id))) else { throw BenchmarkError("person \(id) is missing") }
        return Int(try row.int(age))
    }
}
