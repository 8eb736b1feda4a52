import DatabaseKit
@testable import FreeholdEngine
import Platform
import Synchronization
import TestKit
import Testing

/// A commit that is acknowledged as durable outlives a power cut also where nobody has made the file's name durable yet: its maker was killed
/// or stopped between naming the file and flushing the folder.
@Suite struct DurableNameTests {
    private static let path = "/x.freehold", other = "/b.freehold"

    private static var options: OpenOptions {
        var options = OpenOptions.simulated
        options.reserve = 1 << 25
        return options
    }

    private static func makeMachine() -> SimulatedSystem {
        var options = SimulatedSystem.Options(seed: 1)
        options.fileCapacity = 1 << 26
        options.recordsMappedStores = false
        return SimulatedSystem(options)
    }

    private static func insert(_ id: Int64, _ database: Database) throws {
        try database.write { transaction in
            if transaction.schema.classes.isEmpty { try transaction.createClass(ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int)])) }
            try transaction.insert(into: "Note", key: .int(id), [("id", .int(id))])
        }
    }

    private static func make(_ path: String, _ process: SimulatedProcess) throws {
        let database = try Database.open(path, options, on: process)
        try insert(1, database)
        database.close()
    }

    /// Commits in the file at `path`, as a process that knows nothing of its maker; then the power is cut, and nothing is left that was not
    /// flushed. Returns how many notes there are.
    private static func countAfterPowerCut(_ path: String, _ machine: SimulatedSystem, readerFirst: Bool = false) throws -> Int {
        var reading = options
        reading.readOnly = true
        let reader = readerFirst ? try Database.open(path, reading, on: machine.makeProcess()) : nil
        let database = try Database.open(path, options, on: machine.makeProcess())
        try insert(2, database)
        let image = machine.image(surviving: .none)
        defer { image.discard() }
        database.close()
        reader?.close()
        var finding = options
        finding.createIfMissing = false
        let found = try Database.open(path, finding, on: image.makeProcess())
        defer { found.close() }
        return try found.snapshot().table("Note").count
    }

    /// Runs `work` in a process that is struck at the first step of that name.
    private static func strike(_ machine: SimulatedSystem, at name: String, _ verdict: Verdict, _ work: @escaping @Sendable (SimulatedProcess) throws -> Void) {
        let process = machine.makeProcess()
        process.start { process in _ = try? work(process) }
        machine.onStep = { step in step.process === process && process.isAlive && !process.isStopped && step.name == name ? verdict : .proceed }
        let end = machine.run(stepLimit: 400_000)
        #expect(end == (verdict == .kill ? .finished : .idle), "\(name) was not passed")
        machine.onStep = nil
    }

    @Test("a file that was put in the place of another one", arguments: [Verdict.kill, .stop])
    func replaced(verdict: Verdict) throws {
        let machine = Self.makeMachine()
        defer { machine.discard() }
        try Self.make(Self.path, machine.makeProcess())
        Self.strike(machine, at: "replace.renamed", verdict) { _ = try Database.compactFile(at: Self.path, Self.options, on: $0) }
        // A living compactor holds the byte of the old file only.
        #expect(try Self.countAfterPowerCut(Self.path, machine) == 2)
    }

    @Test("a backup and a copy that got a name", arguments: [Verdict.kill, .stop], [false, true])
    func named(verdict: Verdict, isBackup: Bool) throws {
        for readerFirst in [false, true] {
            let machine = Self.makeMachine()
            defer { machine.discard() }
            try Self.make(Self.path, machine.makeProcess())
            Self.strike(machine, at: "make.named", verdict) { process in
                let source = try Database.open(Self.path, Self.options, on: process)
                if isBackup { _ = try source.backup(to: Self.other, on: process) } else {
                    try source.copy(to: Self.other, encryption: .same, Self.options, on: process)
                }
            }
            #expect(try Self.countAfterPowerCut(Self.other, machine, readerFirst: readerFirst) == 2)
        }
    }

    @Test("a database whose creator was killed when it was about to flush the folder")
    func created() throws {
        let machine = Self.makeMachine()
        defer { machine.discard() }
        Self.strike(machine, at: "synchronizeDirectory", .kill) { _ = try Database.open(Self.path, Self.options, on: $0) }
        #expect(try Self.countAfterPowerCut(Self.path, machine) == 1)
    }

    @Test("a copy that another program made, byte for byte")
    func copied() throws {
        let machine = Self.makeMachine(), process = machine.makeProcess()
        defer { machine.discard() }
        try Self.make(Self.path, process)
        let source = try process.openFile(Self.path, .readOnly), copy = try process.openFile(Self.other, .createExclusive(permissions: 0o644))
        var bytes = [UInt8](repeating: 0, count: try source.length())
        _ = try bytes.withUnsafeMutableBytes { try source.read(into: $0, at: 0) }
        try copy.write(bytes, at: 0)
        source.close()
        copy.close()
        #expect(try Self.countAfterPowerCut(Self.other, machine) == 2)
    }

    @Test("in a folder whose names this user may change and not read")
    func unreadableFolder() throws {
        let machine = Self.makeMachine(), administrator = machine.makeProcess(userID: 0)
        defer { machine.discard() }
        _ = try administrator.makeDirectory("/d", permissions: 0o700)
        var status = try #require(try administrator.status(of: "/d"))
        status.permissions = 0o733
        try administrator.setPermissions(of: "/d", like: status)
        try administrator.synchronizeDirectory("/")
        // A disk that fails is no reason to go on.
        machine.inject(FaultRule(.synchronizeDirectory, code: ErrorNumber.inputOutput, pathEnding: ".freehold", times: 1))
        let error = #expect(throws: FreeholdError.self) { try Self.make("/d/x.freehold", machine.makeProcess()) }
        #expect(error?.code == .io)
        #expect(try Self.countAfterPowerCut("/d/x.freehold", machine) == 1)
    }

    @Test("in a folder that the disk fails to flush: an error, and no flush of something else in its place")
    func failingFolder() throws {
        let machine = Self.makeMachine()
        defer { machine.discard() }
        _ = try machine.makeProcess().makeDirectory("/d", permissions: 0o755)
        try machine.makeProcess().synchronizeDirectory("/")
        machine.inject(FaultRule(.synchronizeDirectory, code: ErrorNumber.inputOutput, pathEnding: "/d", times: 1))
        let error = #expect(throws: FreeholdError.self) { try Self.make("/d/x.freehold", machine.makeProcess()) }
        #expect(error?.code == .io)
        #expect(try Self.countAfterPowerCut("/d/x.freehold", machine) == 1)
    }

    @Test("only the first session of a file flushes the folder")
    func cost() throws {
        let machine = Self.makeMachine(), flushes = Synchronization.Mutex(0)
        defer { machine.discard() }
        machine.onStep = { step in
            if step.name == "synchronizeDirectory" { flushes.withLock { $0 += 1 } }
            return .proceed
        }
        for expected in [1, 1, 1] {
            machine.makeProcess().start { process in
                guard let database = try? Database.open(Self.path, Self.options, on: process) else { return }
                try? Self.insert(Int64(process.process.id), database)
                database.close()
            }
            #expect(machine.run(stepLimit: 400_000) == .finished)
            #expect(flushes.withLock { $0 } == expected)
        }
    }
}
