import FreeholdEngine
import FreeholdImport
import FreeholdTools
import Glibc

/// Prints commits: the classes they changed, and the number of objects of each.
final class CommitTeller {
    private let json: Bool
    private var version: Version

    init(json: Bool, from version: Version) {
        self.json = json
        self.version = version
    }

    /// The changes to a class's objects.
    private struct Tally {
        let name: String
        let count: Int
        let counts: ChangeCounts?
    }

    /// One line for each commit; the changes of several commits are on the last one's line.
    func tell(_ delivery: WatchDelivery, _ left: inout Int) throws {
        let newest = delivery.after.version
        while version < newest, left > 0 {
            version = version.next
            left -= 1
            try write(version == newest ? tallies(delivery) : [])
        }
    }

    private func tallies(_ delivery: WatchDelivery) throws -> [Tally] {
        // The previous version is no longer available, so only the present numbers can be printed.
        guard let before = delivery.before else {
            return try delivery.after.classes.map { Tally(name: $0.name, count: try delivery.after.table($0.name).count, counts: nil) }
        }
        return try delivery.after.changes(since: before).classes.map { changes in
            let count = try changes.after.map { try delivery.after.table($0.name, withSubclasses: false).count } ?? 0
            return Tally(name: changes.name, count: count, counts: try changes.counts())
        }
    }

    private func write(_ tallies: [Tally]) throws {
        let time = WatchTime.now
        if json {
            let classes = tallies.map { tally -> ImportedValue in
                let counts = tally.counts ?? ChangeCounts()
                return JSONObject([
                    "name": .text(tally.name), "count": .int(Int64(tally.count)), "inserted": .int(Int64(counts.inserted + counts.replaced)),
                    "deleted": .int(Int64(counts.deleted + counts.replaced)), "modified": .int(Int64(counts.changed)),
                    "isKnown": .bool(tally.counts != nil),
                ]).value
            }
            return try Output.standard.write(JSONObject([
                "version": .int(Int64(version.rawValue)), "time": .text(time), "classes": .array(classes),
            ]).line)
        }
        let text = tallies.map { tally -> String in
            let name = "\(DisplayText.visible(tally.name)) \(Figures.grouped(tally.count))"
            guard let counts = tally.counts else { return "  \(name)" }
            let parts = [("+", counts.inserted + counts.replaced), ("-", counts.deleted + counts.replaced), ("~", counts.changed)].filter { $0.1 > 0 }
            return "  \(name)" + (parts.isEmpty ? "" : " (\(parts.map { $0.0 + Figures.grouped($0.1) }.joined(separator: " ")))")
        }
        try Output.standard.write("version \(version)  \(time)\(text.joined())\n")
    }
}

/// The time of day in the watch's format.
enum WatchTime {
    static var now: String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return DateText.format(Timestamp(seconds: Int64(now.tv_sec), nanoseconds: Int32(now.tv_nsec / 1_000_000 * 1_000_000)))
    }
}
