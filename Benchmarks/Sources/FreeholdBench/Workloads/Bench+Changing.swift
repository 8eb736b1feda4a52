import FreeholdEngine

extension Bench {
    func update() throws {
        let updates = 100_000
        try withCopy("update") { database in
            var stream = SplitMix64(seed: 7)
            let taken = try seconds {
                try database.write { transaction in
                    let persons = try PersonTable(in: transaction)
                    let (table, age) = (persons.table, persons.age)
                    for _ in 0..<updates {
                        let draw = stream.next()
                        let key = ObjectKey(Int64(draw % UInt64(count)))
                        try transaction.set(key, in: table, age, to: .int(Int64((draw >> 32) % 100)))
                    }
                }
            }
            Output.figure("update", Double(updates) / taken, "objects/s")
            try withPersons(database) { persons in
                guard case .int(let sum) = try persons.table.sum(persons.age) else { throw BenchmarkError("update: no sum") }
                Output.check("update", Int(sum))
            }
        }
    }

    func delete() throws {
        try withCopy("delete") { database in
            let taken = try seconds {
                try database.write { transaction in
                    let persons = try PersonTable(in: transaction)
                    let (table, age) = (persons.table, persons.age)
                    var young: [ObjectKey] = []
                    try table.forEach { row in
                        if try row.int(age) < 50 { young.append(row.key) }
                        return true
                    }
                    try transaction.delete(young, from: table)
                }
            }
            let left = try withPersons(database) { $0.table.count }
            Output.figure("delete", Double(count - left) / taken, "objects/s")
            Output.check("delete", left)
        }
    }
}
