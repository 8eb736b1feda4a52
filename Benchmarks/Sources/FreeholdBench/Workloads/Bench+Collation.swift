import FreeholdEngine

/// Names in the order of a language: sorted object by object, and by an index kept in that order.
extension Bench {
    private static let order = #"SORT(name COLLATE "de")"#

    func collation() throws {
        let path = arguments.path("names")
        try Files.remove(path)
        try opening(path) { database in
            try fillNames(database)
            let all = try names("collation_sort", 3, database, Self.order)
            let first = try names("collation_top", 3, database, Self.order + " LIMIT(10)")
            let before = try used(database)
            let taken = try seconds {
                try database.write { try $0.collations.add("name", "de", to: "person") }
                try database.buildIndexes()
            }
            Output.figure("collation_build", Double(count) / taken, "objects/s")
            Output.figure("collation_size", Double(try used(database) - before) / Double(count), "bytes/object")
            guard try names("collation_sort_indexed", 3, database, Self.order) == all,
                  try names("collation_top_indexed", 500, database, Self.order + " LIMIT(10)") == first else {
                throw BenchmarkError("collation: the index orders the names otherwise than a sort of all")
            }
            _ = try names("collation_top_filtered", 100, database, "id < \(count / 10) " + Self.order + " LIMIT(10)")
            try commitNames(database)
        }
        try Files.remove(path)
    }

    private func fillNames(_ database: Database) throws {
        try database.write { transaction in
            let properties = [PropertySchema("id", .int), PropertySchema("name", .string)]
            try transaction.createClass(ClassSchema("person", primaryKey: "id", properties))
            var names = GermanNames(seed: 17)
            for id in 0..<count { try insert(names.next(id), id, transaction) }
        }
    }

    private func insert(_ name: String, _ id: Int, _ transaction: WriteTransaction) throws {
        let table = try transaction.table("person"), column = table.columns[1]
        try transaction.insert(into: table, primaryKey: .int(Int64(id))) { try $0.set(column, .string(name)) }
    }

    /// The keys of a query in a snapshot; of a whole sort as objects a second, of the first ten as microseconds.
    private func names(_ name: String, _ times: Int, _ database: Database, _ text: String) throws -> [ObjectKey] {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        let table = try snapshot.table("person"), query = try ObjectQuery(text)
        var found: [ObjectKey] = []
        let taken = try seconds { for _ in 0..<times { found = try table.keys(matching: query) } } / Double(times)
        let isAll = text == Self.order
        Output.figure(name, isAll ? Double(count) / taken : taken * 1e6, isAll ? "objects/s" : "us")
        var sum = 0
        // Safe: a million keys below 2^20, each times a place that is taken modulo 1,021.
        for (place, key) in found.enumerated() { sum += Int(key.rawValue) * (place % 1021 + 1) }
        Output.check(name, sum)
        return found
    }

    /// Commits of one object each, with the index kept in the order of the language and with an ordinary one.
    private func commitNames(_ database: Database) throws {
        let commits = 2000
        var next = count
        func commit(_ name: String) throws {
            var names = GermanNames(seed: 5)
            let taken = try seconds {
                for _ in 0..<commits {
                    try database.write(durability: .processCrash) { try insert(names.next(next), next, $0) }
                    next += 1
                }
            }
            Output.figure(name, taken / Double(commits) * 1e6, "us")
        }
        try commit("collation_commit")
        try database.write { transaction in
            try transaction.collations.drop("name", "de", from: "person")
            try transaction.addIndex(IndexSchema(["name"]), to: "person")
        }
        try commit("collation_commit_indexed")
    }
}
