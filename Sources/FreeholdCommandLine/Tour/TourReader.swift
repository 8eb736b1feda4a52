import FreeholdEngine

/// Looks up packages and follows their links, always in the newest snapshot, and now and then verifies the sums.
struct TourReader {
    private static let visitsBetweenSums = 256

    private let database: Database
    private var random: TourRandom
    private var names: [Value] = []
    private var latencies = Latencies()
    private var visits = 0
    private var snapshots = 0
    private var sums = 0

    init(_ database: Database, seed: UInt64) throws {
        self.database = database
        random = TourRandom(seed: seed)
    }

    mutating func run() throws {
        let snapshot = try database.snapshot()
        let packages = try snapshot.table("Package")
        let name = try packages.column("name")
        for key in try packages.keys() { names.append(try packages.value(key, name)) }
        try TourMember.say("ready")
        let start = Latencies.now()
        while visits % 64 != 0 || !TourMember.isToEnd() {
            if try snapshot.refresh() { snapshots += 1 }
            let before = Latencies.now()
            try visit(snapshot)
            latencies.add(Latencies.now() - before)
            visits += 1
            if visits % Self.visitsBetweenSums == 0 { try addUp(snapshot) }
        }
        try TourMember.figure("seconds", Double(Latencies.now() - start) / 1e9)
        try TourMember.figure("visits", Double(visits))
        try TourMember.figure("snapshots", Double(snapshots))
        try TourMember.figure("sums", Double(sums))
        try TourMember.figures(latencies)
    }

    /// Looks up a package by name, its section, and the number of packages that depend on it.
    private mutating func visit(_ snapshot: Snapshot) throws {
        let name = names[random.next(below: names.count)]
        let packages = try snapshot.table("Package")
        guard let key = try packages.key(primaryKey: name), let row = try packages.row(key) else {
            return try TourMember.say("fault a package was not found")
        }
        let sections = try snapshot.table("Section")
        guard let section = try row.link(try packages.column("section")), try sections.contains(section) else {
            return try TourMember.say("fault a package's section was not found")
        }
        let dependencies = try snapshot.table("Dependency")
        _ = try dependencies.backlinkCount(to: key, from: try dependencies.column("needs"))
    }

    /// Three numbers that agree in every snapshot if commits are atomic.
    private mutating func addUp(_ snapshot: Snapshot) throws {
        sums += 1
        if let fault = try TourSums.fault(in: snapshot) { try TourMember.say("fault \(fault)") }
    }
}

/// The sums that must agree.
enum TourSums {
    /// A description of sums that do not agree; nil if all agree.
    static func fault(in snapshot: Snapshot) throws -> String? {
        let tally = try snapshot.table("Tally")
        let told = try tally.value(TourSchema.tallyKey, try tally.column("installs"))
        let installs = try snapshot.table("Install").count
        let packages = try snapshot.table("Package")
        let sum = try packages.sum(try packages.column("installs"))
        if told == .int(Int64(installs)), sum == told { return nil }
        return "version \(snapshot.version): \(installs) installs, the tally says \(told), the sum over the packages is \(sum)"
    }
}
