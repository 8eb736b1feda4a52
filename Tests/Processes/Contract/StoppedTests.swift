import ContractKit
import FreeholdEngine
import Glibc
import TestKit
import Testing

/// What others get while one process is stopped (SIGSTOP) at a named point, and that all go on once it does.
@Suite(.serialized, .timeLimit(.minutes(20))) struct StoppedTests {
    /// The writer lock is held at these.
    static let insideWriterLock = [
        "begin.locked", "begin.ownerSet", "commit.segmentsWritten", "commit.rootHalfWritten", "commit.rootWritten",
        "publish.lastFullSet", "publish.ringWritten", "publish.newestSet", "publish.visibleSet", "commit.ownerCleared",
    ]
    /// The flush lock is held at these.
    static let insideFlushLock = [
        "flush.locked", "flush.targetPublished", "flush.rootWritten", "flush.relocked", "flush.confirmed",
        "flush.durableSet", "flush.visibleSet",
    ]
    /// No lock is held at these.
    static let outside = ["commit.unlocked", "flush.unlocked", "flush.synced", "flush.done", "read.pinned", "wait.armed"]

    let folder: TemporaryFolder
    var path: String { folder.file("x.freehold") }

    init() throws {
        folder = try TemporaryFolder()
        let database = try Database.open(path)
        try Ledger.prepare(database)
        database.close()
    }

    /// A process that stands at the point, in a `.full` commit, with what it was told before.
    private func stopped(_ point: String, _ order: String = "append 9 1 full") throws -> HelperProcess {
        let helper = try HelperProcess(environment: ["FREEHOLD_STOP_AT": "\(point):1"])
        helper.process.send("open \(path)")
        try helper.process.expect("open")
        helper.process.send(order)
        #expect(helper.process.waitUntilStopped(), "\(point) was never passed")
        return helper
    }

    /// Continues it, and looks whether everything adds up.
    private func resume(_ helper: HelperProcess, _ crew: [HelperProcess], entries: Int) throws {
        helper.process.signal(SIGCONT)
        let answer = try #require(try helper.process.readLine())
        #expect(answer.hasPrefix("A 9 1 ") || answer.hasPrefix("changed") || answer == "entries 0", "\(answer)")
        let others = crew + [helper]
        let before = answer.hasPrefix("A ") ? entries + 1 : entries
        for (number, other) in others.enumerated() {
            let line = try other.ask("append \(20 + number) 1 full")
            #expect(line.hasPrefix("A \(20 + number) 1 "), "\(line)")
        }
        try helper.tell("look", "entries \(before + others.count)")
        try helper.tell("check", "clean")
    }

    @Test("a stopped writer makes writers wait and be told of it, nobody else", arguments: insideWriterLock)
    func writer(point: String) throws {
        let other = try HelperProcess.opened(path)
        let writer = try stopped(point)
        let hasMark = point != "begin.locked" && point != "commit.ownerCleared"
        for timeout in [0, 60] {
            try other.refuses("begin \(timeout)", "busy", path, hasMark ? "process \(writer.id) (ContractHelper)" : "write")
        }
        // Readers begin, read, and see whole versions.
        try other.tell("pin", "pinned")
        try other.tell("look", "entries 0")
        let late = try HelperProcess.opened(path)
        try late.tell("look", "entries 0")
        try resume(writer, [other, late], entries: 0)
    }

    @Test("a leader stopped inside the flush lock delays durability only", arguments: insideFlushLock)
    func leaderInside(point: String) throws {
        let other = try HelperProcess()
        try other.tell("flush-patience 150", "set")
        try other.tell("open \(path)", "open")
        let leader = try stopped(point)
        try other.tell("append 1 1 fast", "A 1 1 4")
        try other.tell("look-own", "own 1")
        try other.refuses("append 1 2 full", "notYetDurable", path, "committed", "the next flush covers it")
        try other.tell("begin 0", "begun")
        try other.tell("rollback", "rolled back")
        try resume(leader, [other], entries: 2)
    }

    @Test("a process stopped outside the locks delays nobody", arguments: outside)
    func outsideTheLocks(point: String) throws {
        let other = try HelperProcess.opened(path)
        let order = point.hasPrefix("read") ? "look" : point.hasPrefix("wait") ? "wait 2" : "append 9 1 full"
        let process = try stopped(point, order)
        let made = order.hasPrefix("append")
        try other.tell("append 1 1 full", "A 1 1 \(made ? 4 : 3)")
        try other.tell("append 1 2 fast", "A 1 2 \(made ? 5 : 4)")
        try other.tell("look", "entries \(made ? 3 : 2)")
        try resume(process, [other], entries: 2)
    }

    @Test func theWaiterBehindAStoppedOneGoesFirst() throws {
        let owner = try HelperProcess.opened(path)
        let waiters = try (0..<3).map { _ in try HelperProcess.opened(path) }
        try owner.tell("begin 1000", "begun")
        for (number, waiter) in waiters.enumerated() { waiter.process.send("append \(number + 1) 1 fast") }
        waiters[0].process.signal(SIGSTOP)
        #expect(waiters[0].process.waitUntilStopped())
        try owner.tell("rollback", "rolled back")
        for waiter in waiters[1...] { #expect(try waiter.process.readLine()?.hasPrefix("A ") == true) }
        waiters[0].process.signal(SIGCONT)
        #expect(try waiters[0].process.readLine()?.hasPrefix("A 1 1 ") == true)
        try owner.tell("look", "entries 3")
    }
}
