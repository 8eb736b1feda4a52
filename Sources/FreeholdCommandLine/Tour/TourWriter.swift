import FreeholdEngine

/// Commits installs one after another and reports them: `begin N` before each commit, `done N` once it is acknowledged.
/// A process that kills this one so knows what it was doing and what must be found afterwards.
struct TourWriter {
    private let database: Database
    private let number: Int
    private let durability: Durability
    private let packages: [ObjectKey]

    init(_ database: Database, number: Int, durability: Durability) throws {
        self.database = database
        self.number = number
        self.durability = durability
        packages = try database.snapshot().table("Package").keys()
    }

    func run() throws {
        var random = TourRandom(seed: UInt64(number))
        var latencies = Latencies()
        var commits = 0
        try TourMember.say("ready")
        let start = Latencies.now()
        while !TourMember.isToEnd() {
            commits += 1
            try TourMember.say("begin \(commits)")
            let before = Latencies.now()
            try Self.install(packages[random.next(below: packages.count)], by: number, commits, in: database, durability: durability)
            latencies.add(Latencies.now() - before)
            try TourMember.say("done \(commits)")
        }
        try TourMember.figure("commits", Double(commits))
        try TourMember.figure("seconds", Double(Latencies.now() - start) / 1e9)
        try TourMember.figures(latencies)
    }

    /// One commit: an install, and the two sums that must agree with it.
    static func install(
        _ package: ObjectKey, by writer: Int, _ number: Int, in database: Database, durability: Durability
    ) throws {
        let began = Latencies.now()
        try database.write(durability: durability) { transaction in
            let packages = try transaction.table("Package")
            let tally = try transaction.table("Tally")
            _ = try transaction.insert(
                into: try transaction.table("Install"), values: [.int(Int64(writer)), .int(Int64(number)), .link(package)])
            try raise(package, in: packages, "installs", transaction)
            try raise(TourSchema.tallyKey, in: tally, "installs", transaction)
            try transaction.set(TourSchema.tallyKey, in: tally, try tally.column("began"), to: .int(began))
        }
    }

    private static func raise(_ key: ObjectKey, in table: Table, _ property: String, _ transaction: WriteTransaction) throws {
        let column = try table.column(property)
        guard case .int(let value) = try table.value(key, column) else { return }
        try transaction.set(key, in: table, column, to: .int(value + 1))
    }
}
