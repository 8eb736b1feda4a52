import ArgumentParser
import FreeholdEngine
import FreeholdImport
import Glibc

/// `freehold watch`: commits as they arrive.
struct WatchVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print a line for every commit of other processes as it arrives.",
        discussion: """
            Each line has the version, the time it was seen and the classes whose number of objects changed. Where commits \
            come faster than they can be looked at, the changes of several stand on the last one's line.
            """)

    @OptionGroup var database: DatabaseArgument
    @Flag(help: "Write JSON, an object a line.") var json = false
    @Option(help: ArgumentHelp("Stop after so many commits.", valueName: "n")) var count: Int?

    func validate() throws {
        guard count ?? 1 > 0 else { throw ValidationError("--count needs a number above 0") }
    }

    func run() throws {
        let database = try self.database.open()
        let snapshot = try database.snapshot()
        var seen = snapshot.version
        var counts = try self.counts(snapshot)
        snapshot.end()
        Messages.note("watching \(database.path) from version \(seen) on")
        var left = count ?? .max
        while left > 0 {
            guard try database.waitForChange(after: seen, timeoutMilliseconds: 1000) != nil else {
                // Nobody may be reading any longer; that is only noticed by writing.
                continue
            }
            try snapshot.begin()
            let (newest, now) = (snapshot.version, try self.counts(snapshot))
            snapshot.end()
            var version = seen
            while version < newest, left > 0 {
                version = version.next
                left -= 1
                try tell(version, version == newest ? changes(from: counts, to: now) : [])
            }
            (seen, counts) = (newest, now)
        }
    }

    /// The number of objects of each class.
    private func counts(_ snapshot: Snapshot) throws -> [(name: String, count: Int)] {
        try snapshot.classes.map { ($0.name, try snapshot.table($0.name).count) }
    }

    /// The classes whose number of objects changed.
    private func changes(
        from before: [(name: String, count: Int)], to after: [(name: String, count: Int)]
    ) -> [(name: String, count: Int, change: Int)] {
        let known = Dictionary(before.map { ($0.name, $0.count) }, uniquingKeysWith: { $1 })
        return after.map { ($0.name, $0.count, $0.count - (known[$0.name] ?? 0)) }.filter { $0.change != 0 || known[$0.name] == nil }
    }

    private func tell(_ version: Version, _ changes: [(name: String, count: Int, change: Int)]) throws {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let time = DateText.format(Timestamp(seconds: Int64(now.tv_sec), nanoseconds: Int32(now.tv_nsec / 1_000_000 * 1_000_000)))
        if json {
            let classes = changes.map { change in
                JSONObject(["name": .text(change.name), "count": .int(Int64(change.count)), "change": .int(Int64(change.change))]).value
            }
            let line = JSONObject(["version": .int(Int64(version.rawValue)), "time": .text(time), "classes": .array(classes)]).line
            try Output.standard.write(line)
        } else {
            let text = changes.map { "  \(TextTable.visible($0.name)) \(Figures.grouped($0.count)) (\($0.change > 0 ? "+" : "")\(Figures.grouped($0.change)))" }
            try Output.standard.write("version \(version)  \(time)\(text.joined())\n")
        }
        try Output.standard.flush()
    }
}
