import FreeholdEngine

extension Bench {
    /// `bulk_insert` property by property.
    func bulkInsertColumns() throws {
        let path = arguments.path("columns")
        try Files.remove(path)
        let set = PersonSet(from: 0, count: count)
        var texts: [(bytes: [UInt8], ends: [Int])] = []
        for text in [\Person.city, \.name] {
            var bytes: [UInt8] = [], ends: [Int] = []
            for person in set.persons {
                set.withBytes(person[keyPath: text]) { bytes.append(contentsOf: $0) }
                ends.append(bytes.count)
            }
            texts.append((bytes, ends))
        }
        let ids = set.persons.map(\.id), ages = set.persons.map(\.age), actives = set.persons.map(\.isActive)
        let scores = set.persons.map(\.score), created = set.persons.map(\.created)
        try opening(path) { database in
            try database.write { try $0.createClass(PersonTable.schema) }
            let taken = try seconds {
                try database.write { transaction in
                    let persons = try PersonTable(in: transaction)
                    try transaction.insert(into: persons.table, columns: [
                        ColumnValues(try persons.table.column("id"), .ints(ids)), ColumnValues(persons.age, .ints(ages)),
                        ColumnValues(persons.active, .bools(actives)), ColumnValues(persons.score, .doubles(scores)),
                        ColumnValues(persons.created, .ints(created)),
                        ColumnValues(persons.city, .texts(bytes: texts[0].bytes, ends: texts[0].ends)),
                        ColumnValues(persons.name, .texts(bytes: texts[1].bytes, ends: texts[1].ends)),
                    ])
                }
            }
            Output.figure("bulk_insert_columns", Double(count) / taken, "objects/s")
            try withPersons(database) { Output.check("bulk_insert_columns", $0.table.count) }
        }
        try Files.remove(path)
    }
}
