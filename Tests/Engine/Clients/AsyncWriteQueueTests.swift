import DatabaseKit
@testable import FreeholdEngine
import Platform
import Synchronization
import TestKit
import Testing

/// A queue of write requests with its thread, on a simulated machine: time passes only when all threads wait.
@Suite struct AsyncWriteQueueTests {
    private let machine: SimulatedSystem
    private let process: SimulatedProcess
    private let database: Database
    private let queue: AsyncWriteQueue
    private let notes = Reports()

    init() throws {
        machine = SimulatedSystem(seed: 1)
        machine.options.timeJumpOneIn = 0
        process = machine.makeProcess()
        database = try Database.open("/queue.freehold", .simulated, on: process)
        queue = AsyncWriteQueue(on: process)
    }

    private func request(_ name: String, at place: WriterPlace? = nil, timeoutMilliseconds: Int? = nil) -> AsyncWriteRequest {
        queue.request(database, at: place, timeoutMilliseconds: timeoutMilliseconds) { [notes] in notes.add(name) }
    }

    /// Runs a body as a thread of the simulated process, beside the writer thread, until all have ended.
    private func run(
        to wanted: RunEnd = .finished, sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () throws -> Void
    ) {
        process.start { _ in
            do { try body() } catch { Issue.record(error, sourceLocation: sourceLocation) }
        }
        let end = machine.run()
        #expect(end == wanted, "\(machine.unfinished)", sourceLocation: sourceLocation)
    }

    /// Waits until a request no longer waits.
    private func settle(_ request: AsyncWriteRequest) { while queue.state(of: request) == .waiting { process.sleep(milliseconds: 1) } }

    private func write(_ request: AsyncWriteRequest) throws {
        settle(request)
        _ = try #require(try queue.take(request))
        finish(request)
    }

    private func finish(_ request: AsyncWriteRequest) { queue.end(request) {} }

    @discardableResult
    private func commit(_ request: AsyncWriteRequest, _ transaction: WriteTransaction) throws(FreeholdError) -> Version {
        try queue.end(request) { () throws(FreeholdError) in try transaction.commit() }
    }

    private func code(of request: AsyncWriteRequest) -> FreeholdError.Code? { queue.failure(of: request)?.code }

    @Test("requests are granted in the order in which they were made, and a repeated one keeps its place")
    func order() throws {
        run { [self] in
            let first = request("first"), second = request("second"), third = request("third")
            settle(first)
            // Not taken in time, it loses its grant to the second one.
            settle(second)
            #expect(queue.state(of: first) == .withdrawn && !queue.mayPass(second))
            _ = try queue.take(second)
            let fourth = request("fourth")
            #expect(queue.mayPass(first))
            queue.requestAgain(first)
            finish(second)
            try write(first)
            settle(third)
            settle(fourth)
            #expect(queue.state(of: third) == .withdrawn && queue.state(of: fourth) == .granted)
            // The earlier one gets the grant of the later one.
            queue.requestAgain(third)
            #expect(try queue.take(fourth) == nil && !queue.mayPass(fourth))
            try write(third)
            try write(fourth)
        }
        #expect(notes.all == ["first", "second", "first", "third", "fourth", "third", "fourth"])
    }

    @Test("a request waits no longer than it was told to while another one is taken, others go on")
    func timesOut() throws {
        run { [self] in
            let taken = request("taken"), late = request("late", timeoutMilliseconds: 100), patient = request("patient")
            let cancelled = request("cancelled")
            settle(taken)
            let transaction = try #require(try queue.take(taken))
            settle(late)
            let error = #expect(throws: FreeholdError.self) { try queue.take(late) }
            #expect(error?.code == .busy && error?.message.contains("within 100 ms") == true)
            #expect(queue.cancel(cancelled) && !queue.cancel(cancelled) && !queue.cancel(taken))
            let tried = request("tried", timeoutMilliseconds: 0)
            settle(tried)
            #expect(code(of: tried) == .busy)
            queue.end(taken) { transaction.rollback() }
            try write(patient)
            // The lock is free: no time to wait is needed.
            try write(request("at once", timeoutMilliseconds: 0))
        }
        #expect(notes.all == ["taken", "late", "tried", "patient", "at once"])
    }

    @Test("a request times out while a write of the program has the lock")
    func timesOutBehindAWrite() throws {
        run { [self] in
            let own = try database.beginWrite(), start = process.monotonicNanoseconds
            let first = request("first", timeoutMilliseconds: 600), second = request("second", timeoutMilliseconds: 300)
            let third = request("third")
            settle(second)
            #expect(code(of: second) == .busy && queue.state(of: first) == .waiting)
            #expect((300...330).contains((process.monotonicNanoseconds - start) / 1_000_000))
            settle(first)
            #expect(code(of: first) == .busy)
            own.rollback()
            try write(third)
        }
        #expect(notes.all == ["second", "first", "third"])
    }

    @Test("a cancelled request has released the lock when the call returns")
    func cancelled() throws {
        run { [self] in
            // The writer thread is elsewhere each time.
            for _ in 0..<40 {
                let granted = request("granted")
                settle(granted)
                #expect(queue.cancel(granted))
                try database.beginWrite(timeoutMilliseconds: 0).rollback()
                #expect(try queue.take(granted) == nil)
                queue.requestAgain(granted)
                #expect(queue.state(of: granted) == .over)
            }
        }
        #expect(notes.all == Array(repeating: "granted", count: 40))
    }

    @Test("a grant is withdrawn at once where a caller blocks its place, and after a quarter of a second elsewhere")
    func blocks() throws {
        let here = WriterPlace(kind: 1, number: 1), there = WriterPlace(kind: 2, number: 1)
        run { [self] in
            let granted = request("granted", at: here)
            settle(granted)
            queue.blocking(there) {
                let error = #expect(throws: FreeholdError.self) { try database.beginWrite(timeoutMilliseconds: 100) }
                #expect(error?.code == .busy)
            }
            try queue.blocking(here) { try database.beginWrite(timeoutMilliseconds: 100).rollback() }
            #expect(queue.state(of: granted) == .withdrawn)
            queue.requestAgain(granted)
            settle(granted)
            try database.beginWrite(timeoutMilliseconds: 300).rollback()
            #expect(queue.state(of: granted) == .withdrawn && queue.mayPass(granted))
        }
    }

    @Test("a closed database, a failed flush and a closed queue reach every request that waits")
    func failures() throws {
        run { [self] in
            let own = try database.beginWrite(), requests = (0..<3).map { request("failed \($0)") }
            database.close()
            own.rollback()
            for request in requests { settle(request) }
            #expect(requests.map(code) == [.closed, .closed, .closed])
        }
        #expect(notes.all == ["failed 0", "failed 1", "failed 2"])
        let poisoned = try Database.open("/queue.freehold", .simulated, on: process)
        run { [self] in
            let taken = queue.request(poisoned) {}, waiting = (0..<3).map { _ in queue.request(poisoned) {} }
            settle(taken)
            let transaction = try #require(try queue.take(taken))
            try transaction.createClass(ClassSchema("A", [PropertySchema("n", .int)]))
            machine.inject(FaultRule(.synchronize, code: ErrorNumber.inputOutput, pathEnding: ".freehold", times: 1))
            #expect(throws: FreeholdError.self) { try commit(taken, transaction) }
            for request in waiting { settle(request) }
            #expect(waiting.map(code) == [.io, .io, .io])
        }
        let last = try Database.open("/other.freehold", .simulated, on: process)
        run { [self] in
            let taken = queue.request(last) {}, waiting = queue.request(last) {}
            settle(taken)
            let transaction = try #require(try queue.take(taken))
            queue.close()
            #expect(code(of: waiting) == .closed && code(of: queue.request(last) {}) == .closed)
            queue.end(taken) { transaction.rollback() }
            #expect(queue.state(of: taken) == .over && code(of: taken) == nil)
        }
    }

    @Test("what the taker's body returns and throws is what the call returns and throws")
    func ends() throws {
        run { [self] in
            for isCommitted in [true, false] {
                let asked = request("asked")
                settle(asked)
                let transaction = try #require(try queue.take(asked))
                try transaction.createClass(ClassSchema("A\(isCommitted)", [PropertySchema("n", .int)]))
                if isCommitted {
                    #expect(try commit(asked, transaction) == transaction.version)
                } else {
                    transaction.rollback()
                    let error = #expect(throws: FreeholdError.self) { try commit(asked, transaction) }
                    #expect(error?.code == .notInWrite)
                }
            }
            #expect(try database.snapshot().classes.map(\.name) == ["Atrue"])
        }
    }

    @Test("a thread that cannot be created fails the request, and the next one has another")
    func noThread() throws {
        machine.inject(FaultRule(.startThread, code: ErrorNumber.outOfMemory, times: 1))
        let failed = request("failed")
        #expect(code(of: failed) == .outOfMemory && notes.all == ["failed"])
        run { [self] in try write(request("next")) }
        #expect(notes.all == ["failed", "next"])
    }

    @Test("only requests keep the database open, not the queue and its thread")
    func keepsOpen() throws {
        var other: Database? = try Database.open("/kept.freehold", .simulated, on: process)
        weak let seen = other
        let requests = try (0..<2).map { _ in queue.request(try #require(other)) {} }
        other = nil
        #expect(seen != nil)
        run { [self] in
            try write(requests[0])
            #expect(queue.cancel(requests[1]))
        }
        #expect(seen == nil && requests.allSatisfy { queue.state(of: $0) == .over })
    }

    @Test("a forked child's queue refuses requests, ends what it inherited and waits for nothing")
    func forked() throws {
        // No thread of it may act any more.
        process.leak(database)
        run(to: .powerCut) { [self] in
            let taken = request("taken"), waiting = request("waiting")
            settle(taken)
            let transaction = try #require(try queue.take(taken))
            process.becomeForkedChild()
            #expect(code(of: request("child's")) == .forked && notes.all == ["taken", "child's"])
            #expect(!queue.cancel(waiting) && !queue.mayPass(waiting))
            #expect(try queue.take(waiting) == nil)
            queue.requestAgain(waiting)
            queue.close()
            #expect(queue.state(of: waiting) == .waiting)
            let error = #expect(throws: FreeholdError.self) { try commit(taken, transaction) }
            #expect(error?.code == .forked && queue.blocking(WriterPlace(kind: 1, number: 1)) { true })
            notes.add("done")
            machine.onStep = { _ in .powerCut }
            process.sleep(milliseconds: 1)
        }
        #expect(notes.all.last == "done")
    }
}

/// What requesters of a simulated machine were told.
final class Reports: Sendable {
    private let notes = Mutex<[String]>([])
    var all: [String] { notes.withLock { $0 } }
    func add(_ note: String) { notes.withLock { $0.append(note) } }
}
