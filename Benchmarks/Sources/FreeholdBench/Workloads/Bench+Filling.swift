import FreeholdEngine

extension Bench {
    func bulkInsert() throws {
        let taken = try makeFile(PersonSet(from: 0, count: count))
        Output.figure("bulk_insert", Double(count) / taken, "objects/s")
        try reading { Output.check("bulk_insert", $0.table.count) }
    }

    func fileSize() {
        Output.figure("file_size", Double(Files.length(file)) / Double(count), "bytes/object")
    }

    func commit(_ name: String, count commits: Int, _ durability: Durability) throws {
        let set = PersonSet(from: count, count: commits)
        try withCopy("commit") { database in
            let persons = try withPersons(database) { $0 }
            let taken = try seconds {
                for person in set.persons { try persons.insertAlone(person, of: set, into: database, durability) }
            }
            Output.figure(name, Double(commits) / taken, "tx/s")
            try withPersons(database) { Output.check(name, $0.table.count) }
        }
    }
}
