import FreeholdEngine

/// Vectors: storing N of 384 dimensions, and the ten nearest of all and of a hundredth, without and with an index.
extension Bench {
    private static let searches = 100

    func vectors() throws {
        let path = arguments.path("vectors")
        try Files.remove(path)
        try opening(path) { database in
            Output.figure("vector_insert", Double(count) / (try fillVectors(database)), "vectors/s")
            let all = "NEAREST(embedding, $0, 10)", some = "part == 7 " + all
            let exact = try nearest("vector_exact", all, database), exactFiltered = try nearest(nil, some, database)
            let before = try used(database)
            let taken = try seconds {
                try database.write { try $0.vectors.add("embedding", dimensions: Vectors.dimensions, to: "item") }
                try database.buildIndexes()
            }
            Output.figure("vector_build", Double(count) / taken, "vectors/s")
            Output.figure("vector_size", Double(try used(database) - before) / Double(count), "bytes/vector")
            Output.check("vector_exact", Self.sum(exact))
            recall("vector_top", exact, try nearest("vector_top", all, database))
            recall("vector_filtered", exactFiltered, try nearest("vector_filtered", some, database))
        }
        try Files.remove(path)
    }

    /// Returns how long it took, the vectors being made before the clock starts, some thousand at a time.
    private func fillVectors(_ database: Database) throws -> Double {
        try database.write { transaction in
            let properties = [PropertySchema("id", .int), PropertySchema("part", .int, isIndexed: true), PropertySchema("embedding", .data)]
            try transaction.createClass(ClassSchema("item", primaryKey: "id", properties))
        }
        let vectors = Vectors.stored(count)
        var taken = 0.0
        for first in stride(from: 0, to: count, by: 10_000) {
            let some = (first..<min(count, first + 10_000)).map { Value.data(VectorElements.float32.bytes(of: vectors[$0])) }
            taken += try seconds {
                try database.write { transaction in
                    let table = try transaction.table("item"), columns = table.columns
                    for (place, vector) in some.enumerated() {
                        try transaction.insert(into: table, primaryKey: .int(Int64(first + place))) { row in
                            try row.set(columns[1], .int(Int64((first + place) % 100)))
                            try row.set(columns[2], vector)
                        }
                    }
                }
            }
        }
        return taken
    }

    /// The objects nearest to each of some vectors.
    private func nearest(_ name: String?, _ text: String, _ database: Database) throws -> [[ObjectKey]] {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        let table = try snapshot.table("item"), wanted = Vectors.wanted(count)
        let queries = try (0..<Self.searches).map { number in
            try ObjectQuery(text, [.data(VectorElements.float32.bytes(of: wanted[number]))])
        }
        var found: [[ObjectKey]] = []
        let taken = try seconds { for query in queries { found.append(try table.keys(matching: query)) } }
        if let name { Output.figure(name, taken / Double(Self.searches) * 1e6, "us") }
        return found
    }

    /// The part of the nearest that a search has found.
    private func recall(_ name: String, _ exact: [[ObjectKey]], _ found: [[ObjectKey]]) {
        let common = zip(exact, found).reduce(0) { $0 + Set($1.0).intersection($1.1).count }
        Output.figure("\(name)_recall", Double(common) / Double(exact.reduce(0) { $0 + $1.count }), "ratio")
    }

    /// The sum of each key times its position.
    private static func sum(_ found: [[ObjectKey]]) -> Int {
        // Safe: ten keys below a few million for each of a hundred searches.
        found.reduce(0) { sum, keys in keys.enumerated().reduce(sum) { $0 + Int($1.element.rawValue) * ($1.offset + 1) } }
    }
}
