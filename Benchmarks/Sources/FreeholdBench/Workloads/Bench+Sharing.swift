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
