import FreeholdEngine
@testable import FreeholdMerge
import Foundation
@testable import SyncPostgres
import Testing

/// Programs that write by SQL, beside servers that merge batches and take over, all at once.
@Suite("Writes of other software beside batches", .serialized)
struct ForeignRaceTests {
    /// The class of `Writer`, and what its devices do not have.
    static let schema = SyncSchema(classes: [
        .init("Item", properties: Writer.schema.classes[0].properties
            + (0..<3).map { .init("own\($0)", type: .decimal) }
            + [.init("rates", .map, type: .mixed), .init("words", .set, type: .string)]),
        .init("Mark", key: .init("number", .int), properties: [.init("value", type: .string), .init("words", .set, type: .string)]),
    ])
    private static let now: Int64 = 2_000_000

    private static func server(_ cluster: Cluster) throws -> SyncServer {
        let store = PostgresStore(try PostgresConnection(cluster.address), schema: schema)
        return SyncServer(schema: schema, store: store)
    }

    private static func prepare(_ cluster: Cluster) throws {
        let connection = try PostgresConnection(cluster.address)
        try connection.run(script: "DROP SCHEMA IF EXISTS freehold CASCADE; DROP SCHEMA IF EXISTS app CASCADE")
        try PostgresStore.makeTables(connection)
        _ = try PostgresCatalog.add(schema, to: connection)
        try server(cluster).add(Writer.user)
    }

    /// What went wrong, from several threads.
    final class Notes: @unchecked Sendable {
        // Safe: under the lock.
        private let lock = NSLock()
        private(set) var problems: [String] = []
        private(set) var writers: [Writer] = []
        private(set) var programs: [SQLProgram] = []
        private var left: Int

        init(_ count: Int) { left = count }
        func note(_ problem: String) { lock.withLock { problems.append(problem) } }
        func add(_ writer: Writer) { lock.withLock { writers.append(writer) } }
        func add(_ program: SQLProgram) { lock.withLock { programs.append(program) } }
        func end() { lock.withLock { left -= 1 } }
        var isOver: Bool { lock.withLock { left == 0 } }
    }

    private static func race(_ cluster: Cluster, seed: UInt64, steps: Int, objects: Int = 5,
                             change: @escaping @Sendable (PostgresStore) -> Void = { _ in }) throws -> [String] {
        let devices = 3, programs = 3, notes = Notes(devices + programs), group = DispatchGroup()
        func run(_ place: String, _ body: @escaping @Sendable () throws -> Void) {
            DispatchQueue.global().async(group: group) {
                do { try body() } catch { notes.note("\(place): \(error)") }
            }
        }
        for number in 1...devices {
            run("device \(number)") {
                defer { notes.end() }
                let writer = Writer(UInt64(number), seed: seed), server = try server(cluster)
                change(server.store as! PostgresStore)
                for step in 0..<steps {
                    if step % 3 == 0 { try writer.pull(server) }
                    try writer.push(server, objects: objects)
                }
                notes.add(writer)
            }
        }
        for number in 0..<programs {
            run("program \(number)") {
                defer { notes.end() }
                let program = SQLProgram(number, seed: seed, try PostgresConnection(cluster.address), objects: objects)
                for _ in 0..<steps { try program.step() }
                notes.add(program)
            }
        }
        run("the server") {
            var random = Steps(state: seed)
            while !notes.isOver {
                let server = try server(cluster), store = server.store as! PostgresStore
                while !notes.isOver {
                    do throws(FreeholdError) {
                        let noted = try store.notedObjects(Int64.random(in: 1...9, using: &random))
                        if noted.isEmpty { usleep(500) }
                        if Int.random(in: 0..<4, using: &random) == 0 {
                            // It is killed when it has taken the notes.
                            let transaction = try store.begin()
                            do throws(FreeholdError) { _ = try store.foreignChanges(of: noted) } catch { _ = error }
                            store.cancel(transaction)
                            break
                        }
                        try server.takeOver(noted, now: now)
                    } catch {
                        guard error.code == .busy else { throw error }
                    }
                }
            }
        }
        group.wait()
        return try notes.problems + judge(cluster, notes)
    }

    private static func judge(_ cluster: Cluster, _ notes: Notes) throws -> [String] {
        let server = try server(cluster), store = server.store as! PostgresStore
        for writer in notes.writers { try writer.push(server, objects: 5) }
        for _ in 0..<1000 {
            let noted = try store.notedObjects(50)
            if noted.isEmpty { break }
            try server.takeOver(noted, now: now)
        }
        var problems = try TableJudge.problems(PostgresConnection(cluster.address), schema)
        if try !store.notedObjects(1).isEmpty { problems.append("notes stay") }
        let fresh = Writer(99, seed: 0)
        try fresh.pull(server)
        var sums: [SyncObject: Int64] = [:], codes: Set<SyncValue> = []
        for writer in notes.writers {
            try writer.pull(server)
            if writer.contents != fresh.contents { problems.append("device \(writer.replica.low) has other rows than the server") }
            for (object, sum) in writer.sums { sums[object, default: 0] += sum }
        }
        for program in notes.programs { for (key, sum) in program.sums { sums[Writer.object(key), default: 0] += sum } }
        for row in fresh.rows.values where row.object.type == 0 {
            let sum = row.counters.first?.sum ?? 0
            if sum != sums[row.object] ?? 0 { problems.append("\(row.object.key) counts \(sum) instead of \(sums[row.object] ?? 0)") }
            for one in row.registers where one.path.property == 4 && !one.value.isNull {
                if !codes.insert(one.value).inserted { problems.append("\(one.value) twice") }
            }
        }
        for program in notes.programs { problems += try program.problems(fresh.rows) }
        return problems
    }

    @Test("nothing that programs write by SQL is lost, tables and devices agree", arguments: 1...4 as ClosedRange<UInt64>)
    func race(seed: UInt64) throws {
        let cluster = try Cluster()
        try Self.prepare(cluster)
        #expect(try Self.race(cluster, seed: seed, steps: 80) == [])
    }

    private static func isCaught(_ change: @escaping @Sendable (PostgresStore) -> Void) throws -> Bool {
        let cluster = try Cluster()
        for seed in 1...10 as ClosedRange<UInt64> {
            try prepare(cluster)
            if try race(cluster, seed: seed, steps: 80, change: change) != [] { return true }
        }
        return false
    }

    @Test("batches that do not look for what was written meanwhile lose it")
    func mutant() throws { #expect(try Self.isCaught { $0.looksAgain = false }) }
}

/// A generator of random numbers.
struct Steps: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let mixed = (state ^ (state >> 33)) &* 0xff51_afd7_ed55_8ccd
        return mixed ^ (mixed >> 29)
    }
}
