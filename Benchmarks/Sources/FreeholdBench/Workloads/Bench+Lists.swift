import FreeholdEngine

extension Bench {
    /// A list of as many integers as there are objects.
    private func withList(_ name: String, _ body: (Database, ObjectKey) throws -> Void) throws {
        let path = arguments.path(name)
        try Files.remove(path)
        try opening(path) { database in
            try database.write { try $0.createClass(ClassSchema("Box", [PropertySchema("items", .int, collections: [.list])])) }
            var key = ObjectKey(0)
            try database.write { key = try $0.insert(into: "Box", []) }
            try body(database, key)
        }
        try Files.remove(path)
    }

    /// Appends `count` integers in one transaction, durable commit included; then the bytes that the file has for each.
    func listAppend() throws {
        try withList("list_append") { database, key in
            let count = count
            let taken = try seconds { try Self.fill(database, key, count) }
            Output.figure("list_append", Double(count) / taken, "elements/s")
            Output.figure("list_bytes", Double(Files.length(arguments.path("list_append"))) / Double(count), "bytes/element")
        }
    }

    /// Inserts at random places of a list of `count` integers, in one transaction, its commit included.
    func listInsert() throws {
        let inserts = 100_000
        try withList("list_insert") { database, key in
            try Self.fill(database, key, count)
            var stream = SplitMix64(seed: 7)
            let taken = try seconds {
                try database.write { transaction in
                    let table = try transaction.table("Box")
                    let list = try transaction.list(of: key, in: table, table.column("items"))
                    for number in 0..<inserts { try list.insert(.int(Int64(number)), at: Int(stream.next(below: count + number))) }
                }
            }
            Output.figure("list_insert", taken / Double(inserts) * 1e6, "us")
            let table = try database.snapshot().table("Box")
            Output.check("list_insert", try table.row(key)?.list(table.column("items")).count ?? 0)
        }
    }

    /// Reads every element of a list of `count` integers in order; the median of three.
    func listScan() throws {
        try withList("list_scan") { database, key in
            try Self.fill(database, key, count)
            let snapshot = try database.snapshot()
            defer { snapshot.end() }
            let table = try snapshot.table("Box"), column = try table.column("items")
            var taken: [Double] = [], sum: Int64 = 0
            for _ in 0..<3 {
                sum = 0
                taken.append(try seconds {
                    try table.row(key)?.list(column).forEachInt { sum &+= $0 }
                })
            }
            taken.sort()
            Output.figure("list_scan", Double(count) / taken[1], "elements/s")
            Output.check("list_scan", Int(sum))
        }
    }

    /// Ten random changes of a list of `count` integers, in five commits: insertions, removals, replacements; told from two snapshots.
    func listChanges() throws {
        let rounds = 100
        try withList("list_changes") { database, key in
            try Self.fill(database, key, count)
            var stream = SplitMix64(seed: 7), taken: [Double] = [], told = 0, length = count
            for _ in 0..<rounds {
                let before = try database.snapshot()
                for _ in 0..<5 {
                    try database.write(durability: .processCrash) { try Self.change($0, key, &stream, &length) }
                }
                let now = try database.snapshot(), items = try now.table("Box").column("items")
                taken.append(try seconds {
                    try now.changes(since: before)["Box"]?.forEach { change in
                        let list = try change.listChanges(of: items)
                        told += list.deletions.count + list.insertions.count + list.modifications.count
                        return true
                    }
                })
            }
            taken.sort()
            Output.figure("list_changes", taken[rounds / 2] * 1e6, "us")
            Output.figure("list_changes_p99", taken[rounds - 1 - rounds / 100] * 1e6, "us")
            Output.check("list_changes", told)
        }
    }

    private static func change(_ transaction: WriteTransaction, _ key: ObjectKey, _ stream: inout SplitMix64, _ length: inout Int) throws {
        let table = try transaction.table("Box"), list = try transaction.list(of: key, in: table, table.column("items"))
        for _ in 0..<2 {
            let position = Int(stream.next(below: length - 1)), number = Value.int(Int64(stream.next(below: 1 << 40)))
            switch stream.next(below: 3) {
            case 0:
                try list.insert(number, at: position)
                length += 1
            case 1:
                try list.remove(at: position)
                length -= 1
            default: try list.replace(at: position, with: number)
            }
        }
    }

    static func fill(_ database: Database, _ key: ObjectKey, _ count: Int) throws {
        try database.write { transaction in
            let table = try transaction.table("Box")
            try transaction.list(of: key, in: table, table.column("items")).append(contentsOf: (0..<count).lazy.map { .int(Int64($0)) })
        }
    }
}
