import FreeholdEngine
import FreeholdMerge
import Foundation
import Testing
import SyncPostgres

/// The merge on a real PostgreSQL server.
@Suite("A store in PostgreSQL", .serialized)
struct PostgresStoreTests {
    private static func server(_ cluster: Cluster) throws -> SyncServer {
        SyncServer(schema: Writer.schema, store: PostgresStore(try PostgresConnection(cluster.address), schema: Writer.schema))
    }

    private static func prepare(_ cluster: Cluster) throws {
        let connection = try PostgresConnection(cluster.address)
        try PostgresStore.makeTables(connection)
        _ = try PostgresCatalog.add(Writer.schema, to: connection)
        try server(cluster).add(Writer.user)
    }

    @Test("the same batches give the same rows as in memory")
    func sequence() throws {
        let cluster = try Cluster()
        for seed in 1...8 as ClosedRange<UInt64> {
            try PostgresConnection(cluster.address).run(script: "DROP SCHEMA IF EXISTS freehold CASCADE; DROP SCHEMA IF EXISTS app CASCADE")
            try Self.prepare(cluster)
            let memory = SyncServer(schema: Writer.schema, store: MemoryStore(schema: Writer.schema)), real = try Self.server(cluster)
            try memory.add(Writer.user)
            if seed % 2 == 0 { (real.store as! PostgresStore).takesSmallParts() }
            let pairs = (1...3 as ClosedRange<UInt64>).map { (Writer($0, seed: seed), Writer($0, seed: seed)) }
            for step in 0..<60 {
                let (one, other) = pairs[step % 3]
                if step % 5 == 0 {
                    try one.pull(memory)
                    try other.pull(real)
                }
                try one.push(memory, objects: 6)
                try other.push(real, objects: 6)
            }
            for (one, other) in pairs {
                try one.pull(memory)
                try other.pull(real)
                #expect(one.contents == other.contents, "seed \(seed)")
            }
            #expect(try TableJudge.problems(PostgresConnection(cluster.address), Writer.schema) == [], "seed \(seed)")
        }
    }

    /// Threads with a connection each, as servers have them, push and pull; then all devices have the same, and all counters are exact.
    private static func race(
        _ cluster: Cluster, seed: UInt64, steps: Int, threads: Int = 6, objects: Int = 5,
        changes: Int = 3, attempts most: Int = 2_000, change: @escaping @Sendable (PostgresStore) -> Void = { _ in },
        during: (Results) throws -> Void = { _ in }
    ) throws -> [String] {
        let results = Results(), group = DispatchGroup()
        for number in 1...UInt64(threads) {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                let writer = Writer(number, seed: seed)
                var server: SyncServer?, done = 0, attempts = 0
                while done < steps, attempts < most {
                    do {
                        if server == nil {
                            server = try Self.server(cluster)
                            if number % 2 == 0 { (server!.store as! PostgresStore).takesSmallParts() }
                            change(server!.store as! PostgresStore)
                        }
                        if done % 3 == 0 { try writer.pull(server!) }
                        try writer.push(server!, objects: objects, changes: done % 2 == 0 && number == 1 ? changes : 3)
                        done += 1
                        results.notePush()
                    } catch {
                        server = nil
                        attempts += 1
                        usleep(20_000)
                    }
                }
                results.add(writer)
                if done < steps { results.note("device \(number) has only pushed \(done) of \(steps) batches") }
            }
        }
        try during(results)
        group.wait()
        return try results.problems + judge(cluster, results.writers)
    }

    private final class Results: @unchecked Sendable {
        // Safe: under the lock.
        private let lock = NSLock()
        private(set) var writers: [Writer] = []
        private(set) var problems: [String] = []
        private var pushes = 0

        func note(_ problem: String) { lock.withLock { problems.append(problem) } }
        func add(_ writer: Writer) { lock.withLock { writers.append(writer) } }
        func notePush() { lock.withLock { pushes += 1 } }
        /// Waits until so many batches are acknowledged.
        func wait(for count: Int) { while lock.withLock({ pushes < count }) { usleep(1000) } }
    }

    private static func judge(_ cluster: Cluster, _ writers: [Writer]) throws -> [String] {
        var problems = try TableJudge.problems(PostgresConnection(cluster.address), Writer.schema)
        let server = try server(cluster), fresh = Writer(99, seed: 0)
        try fresh.pull(server)
        var sums: [SyncObject: Int64] = [:]
        for writer in writers {
            for (object, sum) in writer.sums { sums[object, default: 0] += sum }
            try writer.pull(server)
            if writer.contents != fresh.contents { problems.append("device \(writer.replica.low) has other rows than the server") }
        }
        var codes: Set<SyncValue> = []
        for row in fresh.rows.values {
            let sum = row.counters.first?.sum ?? 0
            if sum != sums[row.object] ?? 0 { problems.append("\(row.object.key): \(sum) instead of \(sums[row.object] ?? 0)") }
            for one in row.registers where one.path.property == 4 && !one.value.isNull {
                if !codes.insert(one.value).inserted { problems.append("\(one.value) twice") }
            }
        }
        if fresh.rows.count != sums.count { problems.append("\(fresh.rows.count) rows instead of \(sums.count)") }
        return problems
    }

    @Test("many servers at once: counters are exact, unique values are, and every device ends with the same")
    func concurrency() throws {
        let cluster = try Cluster()
        for seed in 1...3 as ClosedRange<UInt64> {
            try PostgresConnection(cluster.address).run(script: "DROP SCHEMA IF EXISTS freehold CASCADE; DROP SCHEMA IF EXISTS app CASCADE")
            try Self.prepare(cluster)
            #expect(try Self.race(cluster, seed: seed, steps: 60) == [], "seed \(seed)")
        }
    }

    @Test("a batch of more objects than PostgreSQL has locks, beside small ones, loses nothing")
    func large() throws {
        let cluster = try Cluster()
        try Self.prepare(cluster)
        #expect(try Self.race(cluster, seed: 5, steps: 2, threads: 3, objects: 200_000, changes: 14_000, attempts: 20) == [])
    }

    /// Whether one of some races goes wrong: a single one may be lucky.
    private static func isCaught(objects: Int = 5, _ change: @escaping @Sendable (PostgresStore) -> Void) throws -> Bool {
        let cluster = try Cluster()
        for seed in 1...20 as ClosedRange<UInt64> {
            try PostgresConnection(cluster.address).run(script: "DROP SCHEMA IF EXISTS freehold CASCADE; DROP SCHEMA IF EXISTS app CASCADE")
            try prepare(cluster)
            if try race(cluster, seed: seed, steps: 60, objects: objects, change: change) != [] { return true }
        }
        return false
    }

    @Test("without locks by name, something is lost")
    func mutant() throws { #expect(try Self.isCaught { $0.locksNames = false }) }

    @Test("with a cursor that knows no transaction in progress, a device misses a row")
    func cursorMutant() throws { #expect(try Self.isCaught(objects: 80) { $0.knowsRunning = false }) }

    @Test("what was acknowledged is there after postgres was killed, and what was in doubt is there once")
    func crashes() throws {
        let cluster = try Cluster()
        try Self.prepare(cluster)
        let problems = try Self.race(cluster, seed: 7, steps: 120, during: { results in
            for turn in 1...4 {
                results.wait(for: turn * 120)
                cluster.kill()
                try cluster.start()
            }
        })
        #expect(problems == [])
    }
}

extension PostgresStore {
    /// As in batches and answers of many objects.
    func takesSmallParts() { (leastCopied, partCount) = (1, 2) }
}
