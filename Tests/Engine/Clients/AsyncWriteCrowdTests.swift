import DatabaseKit
@testable import FreeholdEngine
import Platform
import Synchronization
import TestKit
import Testing

/// Threads of simulated processes that write through queues, interleaved at every call.
@Suite struct AsyncWriteCrowdTests {
    @Test("requesters that come, come late, cancel, run out of time and block lose no write and wait for nobody for ever",
          arguments: TestScale.seeds(60, long: 1500))
    func crowd(seed: UInt64) throws {
        var random = SeededRandom(seed: seed &* 7919)
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        machine.options.switchOneIn = [2, 4, 16][random.below(3)]
        machine.options.timeJumpOneIn = [0, 16, 64][random.below(3)]
        machine.options.recordsMappedStores = false
        let process = machine.makeProcess(), other = random.oneIn(2) ? machine.makeProcess() : process
        let notes = Reports(), written = Atomic<Int>(0)
        let first = try Database.open("/crowd.freehold", .simulated, on: process)
        try first.write { try $0.createClass(ClassSchema("A", primaryKey: "id", [PropertySchema("id", .int)])) }
        let stands = [(first, process), (try Database.open("/crowd.freehold", .simulated, on: other), other)].map { Stand($0, $1, seed) }
        for number in 0..<5 {
            let stand = stands[number % 2], seed = random.next()
            stand.process.start { _ in
                do { written.wrappingAdd(try stand.work(seed), ordering: .relaxed) } catch { notes.add("\(error)") }
            }
        }
        let end = machine.run()
        #expect(end == .finished && notes.all.isEmpty, "seed \(seed): \(end), \(notes.all), \(machine.unfinished)")
        #expect(try first.snapshot().table("A").count == written.load(ordering: .relaxed), "seed \(seed)")
        #expect(try first.check().isClean, "seed \(seed)")
    }
}

/// A database in a simulated process, with its queue.
private final class Stand: Sendable {
    let process: SimulatedProcess
    private let database: Database
    private let queue: AsyncWriteQueue
    private let isPatient: Bool

    init(_ database: Database, _ process: SimulatedProcess, _ seed: UInt64) {
        (self.database, self.process, queue) = (database, process, AsyncWriteQueue(on: process))
        isPatient = seed % 2 == 0
    }

    /// Writes a few times, in one way or another; returns how many objects it committed.
    func work(_ seed: UInt64) throws -> Int {
        var random = SeededRandom(seed: seed), count = 0
        let place = WriterPlace(kind: 0, number: UInt64(random.below(2)))
        for _ in 0..<6 {
            if random.oneIn(5) {
                count += try writeAtOnce(at: place)
            } else {
                count += try writeAsynchronously(at: place, &random)
            }
        }
        return count
    }

    /// Time may jump, so that a write does not get the lock.
    private func writeAtOnce(at place: WriterPlace) throws -> Int {
        do {
            try queue.blocking(place) { try database.write(durability: .processCrash) { try add(in: $0) } }
            return 1
        } catch let error as FreeholdError where error.code == .busy { return 0 }
    }

    private func writeAsynchronously(at place: WriterPlace, _ random: inout SeededRandom) throws -> Int {
        let timeout = isPatient || random.oneIn(2) ? nil : random.below(400)
        let request = queue.request(database, at: place, timeoutMilliseconds: timeout) {}
        if random.oneIn(4) {
            process.sleep(milliseconds: random.below(300))
            if queue.cancel(request) { return 0 }
        }
        while true {
            while queue.state(of: request) == .waiting { process.sleep(milliseconds: 1) }
            if random.oneIn(4) { process.sleep(milliseconds: random.below(400)) }
            do throws(FreeholdError) {
                if let transaction = try queue.take(request) { return try end(request, transaction, &random) }
            } catch {
                if timeout != nil, error.code == .busy { return 0 }
                throw error
            }
            queue.requestAgain(request)
        }
    }

    private func end(
        _ request: AsyncWriteRequest, _ transaction: WriteTransaction, _ random: inout SeededRandom
    ) throws(FreeholdError) -> Int {
        if random.oneIn(5) {
            queue.end(request) { transaction.rollback() }
            return 0
        }
        try add(in: transaction)
        try queue.end(request) { () throws(FreeholdError) in try transaction.commit(.processCrash) }
        return 1
    }

    /// Adds an object whose key is the number of objects: two writes at once would give the same.
    private func add(in transaction: WriteTransaction) throws(FreeholdError) {
        let count = try transaction.table("A").count
        _ = try transaction.insert(into: "A", key: .int(Int64(count)), [])
    }
}
