import DatabaseKit
@testable import FreeholdEngine
import Glibc
import TestKit
import Testing

/// The same with real processes: writers, some of them killed, and watchers, one of them stopped for a while.
@Suite struct LiveProcessTests {
    @Test(arguments: TestScale.seeds(1, long: 8))
    func watchersSeeWhatWritersDo(seed: UInt64) throws {
        let folder = try TemporaryFolder(), path = folder.file("live.freehold")
        let database = try Database.open(path)
        defer { database.close() }
        var world = LiveWorld(seed: seed)
        try database.write { try world.make(in: $0) }
        let watchers = try (0..<3 as Range<UInt64>).map { try SpawnedProcess("LiveHelper", ["watch", path, "\(seed * 10 + $0)", "6"]) }
        for watcher in watchers { try watcher.expect("watching") }
        let writers = try (1...3 as ClosedRange<UInt64>).map { try SpawnedProcess("LiveHelper", ["write", path, "\(seed * 100 + $0)", $0 == 3 ? "1000000" : "60"]) }
        for writer in writers { try writer.expect("writing") }
        watchers[0].signal(SIGSTOP)
        _ = watchers[0].waitUntilStopped()
        // Wherever it is just now.
        #expect(writers[2].killNow() == .signalled(SIGKILL))
        for writer in writers.prefix(2) { try writer.expect("written") }
        watchers[0].signal(SIGCONT)
        let last = try database.write { transaction in
            try transaction.createClass(ClassSchema("End", [PropertySchema("number", .int)]))
            return transaction.version
        }
        for watcher in watchers { try watcher.expect("saw \(last)") }
        for process in watchers + writers.prefix(2) { #expect(process.wait() == .exited(0)) }
        #expect(try database.check().isClean)
    }
}
