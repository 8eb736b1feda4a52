import DatabaseKit
import TestKit
@testable import FreeholdEngine
@testable import FreeholdMerge

/// A file on a machine of its own, which a test's agent exchanges messages for.
final class SyncedFile {
    let name: String
    let machine: SimulatedSystem
    let database: Database
    /// What answers have decided against, so far.
    private(set) var losses: [SyncReport.Loss] = []
    /// The file that it was copied from, whose machine it is on.
    private var origin: SyncedFile?

    init(_ name: String, seed: UInt64) throws {
        self.name = name
        machine = SimulatedSystem(seed: seed)
        machine.wallClockNanoseconds = Exchange.now * 1_000_000
        database = try Database.open("/\(name).freehold", .simulated(seed: seed), on: machine.makeProcess())
    }

    /// A copy of a file, on the same machine.
    init(copyOf file: SyncedFile, _ name: String) throws {
        self.name = name
        machine = file.machine
        try file.database.copy(to: "/\(name).freehold", encryption: .same, .simulated, on: machine.makeProcess())
        database = try Database.open("/\(name).freehold", .simulated, on: machine.makeProcess())
        origin = file
    }

    // The machine goes with the last snapshot of a test, which an optimised build may release after this.
    deinit { database.close() }

    /// A program's transaction.
    func write(_ body: (WriteTransaction) throws -> Void) throws {
        try database.write(durability: .processCrash) { try body($0) }
    }

    /// What is pending, as a batch that came as bytes; nil if nothing is.
    func push() throws -> SyncPush? {
        let replica = SyncReplica(database)
        guard let sealed = try replica.seal() else { return nil }
        let made = try replica.batch(sealed)
        guard case .push(let received) = try SyncMessage(bytes: SyncMessage.push(made).bytes), received == made else {
            throw ShadowDifference("the batch of \(name) is not the same as bytes")
        }
        guard case .push(var written) = try SyncMessage(bytes: replica.message(sealed)) else { return nil }
        written.changes.sort { $0.object < $1.object }
        var sorted = made
        sorted.changes.sort { $0.object < $1.object }
        if written != sorted { throw ShadowDifference("the batch of \(name) is another one when it is written at once") }
        return received
    }

    @discardableResult
    func apply(_ answer: SyncAnswer) throws -> SyncReport {
        guard let report = try SyncReplica(database).apply(answer, monotonic: answer.sent) else {
            throw ShadowDifference("\(name): the answer was not due")
        }
        losses += report.losses
        return report
    }

    func problems() throws -> [String] { try database.check().problems.map { "\(name): \($0)" } }

    func isSettled() throws -> Bool {
        let counts = try database.snapshot().pendingCounts()
        return counts == PendingCounts()
    }
}

/// Some files, and a server in memory for their classes.
final class Exchange {
    static let now: Int64 = 1_764_000_000_000
    let server: SyncServer
    let files: [SyncedFile]
    private let user = SyncUser(rawValue: 1)
    private var time = Exchange.now

    /// - Parameter prepare: makes the classes of a file, and marks them; the server has those of the first one.
    init(_ count: Int = 2, seed: UInt64 = 1, prepare: (Int, WriteTransaction) throws -> Void) throws {
        var files: [SyncedFile] = []
        for number in 0..<count {
            let file = try SyncedFile(["ann", "ben", "eve", "dan"][number], seed: seed * 10 + UInt64(number))
            try file.write { try prepare(number, $0) }
            files.append(file)
        }
        self.files = files
        let schema = SyncSchema(declared: try files[0].database.snapshot().classes)
        server = SyncServer(schema: schema, store: MemoryStore(schema: schema))
        try server.add(user)
        for file in files { try pull(file) }
    }

    var ann: SyncedFile { files[0] }
    var ben: SyncedFile { files[1] }

    /// Time goes on for all of them.
    func wait(_ milliseconds: Int64 = 1000) {
        time += milliseconds
        for file in files { file.machine.wallClockNanoseconds = time * 1_000_000 }
    }

    /// A program's transaction, later than all before.
    func write(_ file: SyncedFile, _ body: (WriteTransaction) throws -> Void) throws {
        wait()
        try file.write(body)
    }

    func push(_ file: SyncedFile) throws {
        guard let batch = try file.push() else { return }
        guard try server.commit(batch, by: user, in: try server.begin(), now: time) != nil else {
            throw ShadowDifference("a batch of \(file.name) was not taken")
        }
    }

    func answer(_ file: SyncedFile) throws -> SyncAnswer {
        let made = try server.answer(try SyncReplica(file.database).pull(sent: UInt64(time)), for: user, now: time)
        // As if it were a large one, of which the rows stay in the message.
        guard case .answer(let received) = try SyncMessage(bytes: SyncMessage.answer(made).bytes, inMemory: 0), received == made else {
            throw ShadowDifference("the answer to \(file.name) is not the same as bytes")
        }
        return received
    }

    @discardableResult
    func pull(_ file: SyncedFile) throws -> SyncReport { try file.apply(answer(file)) }

    /// Exchanges until nothing is pending: pushes in the order of the files, then pulls.
    func settle() throws {
        for _ in 0..<4 {
            for file in files { try push(file) }
            for file in files { try pull(file) }
            if try files.allSatisfy({ try $0.isSettled() }) { return }
        }
        throw ShadowDifference("something stays pending")
    }

    /// Exchanges; then a file that has been there all the time shows the same as the others.
    ///
    /// - Returns: how the files differ, and what `check` finds.
    func differences() throws -> [String] {
        try settle()
        var found: [String] = []
        for file in files { found += try file.problems() }
        let first = try PlainFile(files[0].database)
        for file in files.dropFirst() { found += try first.differences(from: PlainFile(file.database), file.name) }
        return found
    }

    /// A file that comes now, with the classes of the first one.
    func newcomer(_ prepare: (WriteTransaction) throws -> Void) throws -> SyncedFile {
        let file = try SyncedFile("new", seed: 99)
        file.machine.wallClockNanoseconds = time * 1_000_000
        try file.write(prepare)
        try pull(file)
        return file
    }

    /// A copy of a file, which takes no part in `settle`.
    func copy(of file: SyncedFile) throws -> SyncedFile { try SyncedFile(copyOf: file, "copy") }
}
