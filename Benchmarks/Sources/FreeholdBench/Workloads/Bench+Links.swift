import FreeholdEngine

extension Bench {
    private static let dogs = 200_000
    private static let owners = 10_000

    func linkWalk() throws {
        try withCopy("links") { database in
            var stream = SplitMix64(seed: 7)
            try database.write { transaction in
                try transaction.createClass(ClassSchema("dog", primaryKey: "id", [
                    PropertySchema("id", .int), PropertySchema("owner", linkTo: PersonTable.name),
                ]))
                let dogs = try transaction.table("dog")
                let owner = try dogs.column("owner")
                for number in 0..<Self.dogs {
                    let person = ObjectKey(Int64(stream.next(below: count)))
                    try transaction.insert(into: dogs, primaryKey: .int(Int64(number))) { try $0.set(owner, .link(person)) }
                }
            }
            let snapshot = try database.snapshot()
            defer { snapshot.end() }
            try walk(snapshot, &stream)
        }
    }

    private func walk(_ snapshot: Snapshot, _ stream: inout SplitMix64) throws {
        let persons = try PersonTable(in: snapshot)
        let dogs = try snapshot.table("dog")
        let owner = try dogs.column("owner")
        var (ages, found) = (0, 0)
        let taken = try seconds {
            try dogs.forEach(following: owner, into: persons.table, reading: persons.age) { _, person in
                guard let person else { throw BenchmarkError("link_walk: a dog without owner") }
                ages += Int(try person.int(persons.age))
                return true
            }
            for _ in 0..<Self.owners {
                found += try dogs.backlinkCount(to: ObjectKey(Int64(stream.next(below: count))), from: owner)
            }
        }
        Output.figure("link_walk", Double(Self.dogs + Self.owners) / taken, "ops/s")
        Output.check("link_walk_age", ages)
        Output.check("link_walk_dogs", found)
    }
}
