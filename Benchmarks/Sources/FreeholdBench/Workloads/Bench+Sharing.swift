import FreeholdEngine
import Glibc

extension Bench {
    func snapshot() throws {
        try opening(file) { Output.figure("snapshot", try snapshots(of: $0, seconds: 2), "ops/s") }
    }

    func snapshotContended() throws {
        try withCopy("contended") { database in
            let children = try Children(arguments)
            try children.spawn("commit_loop")
            try children.start()
            let start = nanoseconds()
            let before = children.page.writes.value
            Output.figure("snapshot_contended", try snapshots(of: database, seconds: 3), "ops/s")
            let commits = children.page.writes.value - before
            Output.figure("snapshot_contended_writer", Double(commits) / (Double(nanoseconds() - start) * 1e-9), "tx/s")
            try children.finish()
        }
    }

    /// Begins and ends a snapshot again and again; returns how often a second.
    private func snapshots(of database: Database, seconds: Double) throws -> Double {
        let snapshot = try database.snapshot()
        snapshot.end()
        let start = nanoseconds()
        var (rounds, passed) = (0, 0.0)
        repeat {
            for _ in 0..<1000 {
                try snapshot.begin()
                snapshot.end()
            }
            rounds += 1000
            passed = Double(nanoseconds() - start) * 1e-9
        } while passed < seconds
        return Double(rounds) / passed
    }

    /// From the return of a durable commit here to the new count being read by a process that waited for changes.
    func notify() throws {
        let path = arguments.path("notify")
        try Files.remove(path)
        try opening(path) { try notify(in: $0) }
        try Files.remove(path)
    }

    private func notify(in database: Database) throws {
        let commits = 2000
        try database.write { try $0.createClass(PersonTable.schema) }
        let persons = try withPersons(database) { $0 }
        let set = PersonSet(from: 0, count: commits)
        let children = try Children(arguments)
        try children.spawn("notify_reader")
        try children.start()
        var stream = SplitMix64(seed: 7)
        var taken: [Double] = []
        for (number, person) in set.persons.enumerated() {
            usleep(UInt32(stream.next(below: 2000))) // so that commits do not fall in step with the reader
            try persons.insertAlone(person, of: set, into: database, .full)
            let start = nanoseconds()
            while children.page.seen.value < number + 1 { usleep(20) }
            // The reader is woken by the commit itself, so it may have read before the call here returned.
            taken.append(max(0, Double(Int64(children.page.seenAt.value) - start) * 1e-3))
        }
        try children.finish()
        taken.sort()
        Output.figure("notify_p50", taken[commits / 2], "us")
        Output.figure("notify_p99", taken[commits * 99 / 100], "us")
    }

    func mixed() throws {
        try withCopy("mixed") { _ in
            let children = try Children(arguments)
            try children.spawn("mixed_writer")
            for index in 0..<3 { try children.spawn("mixed_reader", index: index) }
            try children.start()
            let start = nanoseconds()
            sleep(5)
            let reads = (0..<3).reduce(0) { $0 + children.page.reads($1).value }
            let writes = children.page.writes.value
            let passed = Double(nanoseconds() - start) * 1e-9
            try children.finish()
            Output.figure("mixed_reads", Double(reads) / passed, "reads/s")
            Output.figure("mixed_writes", Double(writes) / passed, "writes/s")
        }
    }
}
