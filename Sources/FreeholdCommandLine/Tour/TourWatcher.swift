import FreeholdEngine

/// Waits for commits by other processes, and measures the time from a commit's begin until this process is notified.
struct TourWatcher {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func run() throws {
        let snapshot = try database.snapshot()
        var seen = snapshot.version
        var (wakes, versions) = (0, 0)
        var latencies = Latencies()
        try TourMember.say("ready")
        while !TourMember.isToEnd() {
            guard try database.waitForChange(after: seen, timeoutMilliseconds: 100) != nil else { continue }
            _ = try snapshot.refresh()
            let tally = try snapshot.table("Tally")
            if case .int(let began) = try tally.value(TourSchema.tallyKey, try tally.column("began")), began > 0 {
                latencies.add(Latencies.now() - began)
            }
            wakes += 1
            versions += Int(snapshot.version.rawValue - seen.rawValue)
            seen = snapshot.version
        }
        try TourMember.figure("wakes", Double(wakes))
        try TourMember.figure("versions", Double(versions))
        try TourMember.figures(latencies)
    }
}
