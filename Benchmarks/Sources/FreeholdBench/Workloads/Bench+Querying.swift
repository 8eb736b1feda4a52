import FreeholdEngine

extension Bench {
    /// Ranges, beginnings and the first ten by an index over score and one over name.
    func queryByIndex() throws {
        try withCopy("queries") { database in
            try database.write { transaction in
                try transaction.setIndexed(true, "score", in: PersonTable.name)
                try transaction.setIndexed(true, "name", in: PersonTable.name)
            }
            try withPersons(database) { persons in
                var stream = SplitMix64(seed: 7)
                try many("range_by_index", 1000, persons) {
                    let low = Double(stream.next(below: 1_000_000)) / 1000
                    return try ObjectQuery("score >= $0 AND score < $1", [.double(low), .double(low + 0.1)])
                }
                let set = PersonSet(from: 0, count: count)
                stream = SplitMix64(seed: 7)
                try many("prefix_by_index", 1000, persons) {
                    var name = ""
                    set.withBytes(set.persons[stream.next(below: count)].name) { name = String(decoding: $0.dropLast(2), as: UTF8.self) }
                    return try ObjectQuery("name BEGINSWITH $0", [.string(name)])
                }
                try first("top_by_index", "SORT(score DESC) LIMIT(10)", times: 1000, persons)
            }
        }
    }

    /// The first ten without an index, of all and of those that meet a condition.
    func topByScan() throws {
        try reading { persons in
            try first("top_by_scan", "SORT(score DESC) LIMIT(10)", times: 5, persons)
            try first("top_filtered", "age > 50 AND active == true SORT(score DESC) LIMIT(10)", times: 5, persons)
        }
    }

    /// What each of some queries finds, its keys in full.
    private func many(_ name: String, _ times: Int, _ persons: PersonTable, _ query: () throws -> ObjectQuery) throws {
        let queries = try (0..<times).map { _ in try query() }
        var found = 0
        let taken = try seconds { for query in queries { found += try persons.table.keys(matching: query).count } }
        Output.figure(name, Double(times) / taken, "queries/s")
        Output.check(name, found)
    }

    private func first(_ name: String, _ text: String, times: Int, _ persons: PersonTable) throws {
        let query = try ObjectQuery(text)
        var found: [ObjectKey] = []
        let taken = try seconds { for _ in 0..<times { found = try persons.table.keys(matching: query) } }
        Output.figure(name, Double(times) / taken, "queries/s")
        Output.check(name, found)
    }

    /// Collars of the dogs of persons of an age: a path over two links.
    func linkPath() throws {
        let dogs = 200_000
        try withCopy("paths") { database in
            var stream = SplitMix64(seed: 7)
            try database.write { transaction in
                try transaction.createClass(ClassSchema("dog", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("owner", linkTo: PersonTable.name)]))
                try transaction.createClass(ClassSchema("collar", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("dog", linkTo: "dog")]))
                let dog = try transaction.table("dog"), collar = try transaction.table("collar")
                let owner = try dog.column("owner"), wearer = try collar.column("dog")
                for number in 0..<dogs {
                    let person = ObjectKey(Int64(stream.next(below: count)))
                    try transaction.insert(into: dog, primaryKey: .int(Int64(number))) { try $0.set(owner, .link(person)) }
                }
                for number in 0..<dogs {
                    let key = ObjectKey(Int64(stream.next(below: dogs)))
                    try transaction.insert(into: collar, primaryKey: .int(Int64(number))) { try $0.set(wearer, .link(key)) }
                }
            }
            let snapshot = try database.snapshot(), collars = try snapshot.table("collar"), query = try ObjectQuery("dog.owner.age == 42")
            var found = 0
            let taken = try medianSeconds(of: 3) { found = try collars.count(matching: query) }
            snapshot.end()
            Output.figure("link_path", Double(dogs) / taken, "objects/s")
            Output.check("link_path", found)
        }
    }

    /// Figures of every city's persons.
    func groups() throws {
        try reading { persons in
            let query = try ObjectQuery("GROUP(city) SELECT(@count, age.@sum, score.@max)")
            var made: [QueryGroup] = []
            let taken = try medianSeconds(of: 3) { made = try persons.table.prepare(query).groups() }
            var ages = 0, scores = 0.0
            for group in made {
                if case .int(let sum) = group.figures[1] { ages += Int(sum) }
                if case .double(let score) = group.figures[2] { scores += score }
            }
            Output.figure("groups", Double(count) / taken, "objects/s")
            Output.check("groups", made.count)
            Output.check("groups_age", ages)
            Output.check("groups_score", scores, digits: 3)
        }
    }
}
