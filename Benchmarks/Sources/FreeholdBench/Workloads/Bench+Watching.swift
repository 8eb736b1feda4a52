import FreeholdEngine

extension Bench {
    /// A watch of a thousand objects and queries over fifty classes, after commits that touch one object: what a delivery takes, and what it
    /// takes to advance each answer instead; the commit left out.
    func watched() throws {
        let path = arguments.path("watched")
        try Files.remove(path)
        try opening(path) { try watched(in: $0) }
        try Files.remove(path)
    }

    private func watched(in database: Database) throws {
        let classes = 50, rounds = 200
        try database.write { transaction in
            for number in 0..<classes {
                try transaction.createClass(ClassSchema("class\(number)", [PropertySchema("number", .int), PropertySchema("text", .string)]))
                for value in 0..<100 { try transaction.insert(into: "class\(number)", [("number", .int(Int64(value))), ("text", .string("text \(value)"))]) }
            }
        }
        let before = try database.snapshot(), now = try database.snapshot(), watch = try LiveWatch(database)
        var objects: [LiveObject] = [], queries: [LiveQuery] = []
        for number in 0..<500 {
            let name = "class\(number % classes)", key = try before.table(name).keys()[number / classes * 9]
            let query = try ObjectQuery("number >= \(number / classes * 10) SORT(number ASC)")
            try watch.follow(key, in: name)
            try watch.follow(query, of: name)
            objects.append(try LiveObject(key, in: name, at: before))
            queries.append(try LiveQuery(query, of: name, at: before))
        }
        var stream = SplitMix64(seed: 17), told = 0, meant = 0, delivering: [Double] = [], advancing: [Double] = []
        for round in 0..<rounds {
            try database.write(durability: .processCrash) { transaction in
                let table = try transaction.table("class\(stream.next(below: classes))")
                let key = try table.keys()[stream.next(below: 100)]
                try transaction.set(key, in: table, table.column("number"), to: .int(Int64(round % 100)))
            }
            delivering.append(try seconds { try watch.deliver { told += $0.changes.count } })
            advancing.append(try seconds {
                try now.refresh()
                let step = try VersionStep(from: before, to: now)
                for object in objects { if try !object.advance(step).isEmpty { meant += 1 } }
                for query in queries { if try !query.advance(step).isEmpty { meant += 1 } }
            })
            try before.refresh()
        }
        Output.figure("watched", delivering.sorted()[rounds / 2] * 1e6, "us")
        Output.figure("watched_each", advancing.sorted()[rounds / 2] * 1e6, "us")
        Output.check("watched", told - meant)
    }
}
