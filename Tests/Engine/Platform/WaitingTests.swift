import Glibc
import Platform
import Synchronization
import TestKit
import Testing

@Suite struct WaitingTests {
    let system = LinuxSystem.shared
    let folder: TemporaryFolder
    let mapping: Mapping

    init() throws {
        folder = try TemporaryFolder()
        mapping = try sharedFile(folder)
    }

    @Test func aWaitEndsByChangeOrByItsBound() {
        word(mapping).pointee.store(5, ordering: .releasing)
        #expect(system.wait(on: plain(word(mapping)), whileEqual: 4, timeoutMilliseconds: 60_000) == .changed)
        #expect(system.wait(on: plain(word(mapping)), whileEqual: 5, timeoutMilliseconds: 1) == .timedOut)
    }

    @Test func twoProcessesWakeEachOther() throws {
        let helper = try SpawnedProcess("PlatformHelper", ["answer", folder.file("shared")])
        try helper.expect("ready")
        let question = word(mapping, 0)
        let reply = word(mapping, 64)
        for value in 1...UInt32(2000) {
            question.pointee.store(value, ordering: .releasing)
            system.wake(plain(question), count: 1)
            while reply.pointee.load(ordering: .acquiring) != value {
                let outcome = system.wait(on: plain(reply), whileEqual: value - 1, timeoutMilliseconds: 60_000)
                try #require(outcome != .timedOut)
            }
        }
        question.pointee.store(0, ordering: .releasing)
        system.wake(plain(question), count: 1)
        #expect(helper.wait() == .exited(0))
    }

    @Test func aPipeSaysToldThenFullThenNobody() throws {
        let path = folder.file("pipe")
        #expect(try system.makeNotifyPipe(path, permissions: 0o600))
        #expect(try !system.makeNotifyPipe(path, permissions: 0o600))
        #expect(try system.openNotifyPipeForWriting(path) == nil)
        #expect(try system.openNotifyPipeForWriting(folder.file("none")) == nil)
        let reader = try system.openNotifyPipeForReading(path)
        let opened = try system.openNotifyPipeForWriting(path)
        let writer = try #require(opened)
        #expect(try !reader.drain())
        #expect(try !reader.waitUntilTold(timeoutMilliseconds: 1))
        var told = 0
        while try writer.tell() == .told { told += 1 }
        #expect(told >= 4096)
        #expect(try writer.tell() == .full)
        #expect(try reader.waitUntilTold(timeoutMilliseconds: 60_000))
        #expect(try reader.drain())
        #expect(try !reader.drain())
        #expect(try writer.tell() == .told)
        reader.close()
        // Were SIGPIPE let through, the test's process would end here. A program that another test is just starting has the pipe open, too,
        // until it runs.
        let deadline = system.monotonicNanoseconds + 60_000_000_000
        while try writer.tell() != .nobody, system.monotonicNanoseconds < deadline { sched_yield() }
        #expect(try writer.tell() == .nobody)
    }

    @Test func anAlarmMakesThePipeReadableUntilItIsDrained() throws {
        let path = folder.file("pipe")
        _ = try system.makeNotifyPipe(path, permissions: 0o600)
        let reader = try system.openNotifyPipeForReading(path)
        try reader.setAlarm(everyNanoseconds: 1_000_000)
        for _ in 0..<3 {
            #expect(try reader.waitUntilTold(timeoutMilliseconds: 60_000))
            #expect(try !reader.drain())
        }
        try reader.setAlarm(everyNanoseconds: nil)
        try reader.drain()
        #expect(try !reader.waitUntilTold(timeoutMilliseconds: 3))
        let opened = try system.openNotifyPipeForWriting(path)
        #expect(try opened?.tell() == .told)
        #expect(try reader.waitUntilTold(timeoutMilliseconds: 60_000))
        #expect(try reader.drain())
        reader.close()
        reader.close()
    }

    @Test func aFileThatIsNoPipeIsRefused() throws {
        #expect(
            code { () throws(SystemError) in
                _ = try system.openNotifyPipeForReading(folder.file("shared"))
            } != nil)
    }

    // Listener                        Other process, for each value
    // armed = 1                       word = value
    // word still as seen? wait        armed was 1? then 0, one byte
    // drain, read the word
    @Test func noChangeIsMissedByWhoReadsTheWordAfterEachWake() throws {
        let last: UInt32 = 20_000
        let path = folder.file("pipe")
        _ = try system.makeNotifyPipe(path, permissions: 0o600)
        let reader = try system.openNotifyPipeForReading(path)
        let helper = try SpawnedProcess("PlatformHelper", ["tell", folder.file("shared"), path, "\(last)"])
        let sequence = word(mapping, 0)
        let armed = word(mapping, 64)
        var seen: UInt32 = 0
        while seen != last {
            armed.pointee.store(1, ordering: .sequentiallyConsistent)
            if sequence.pointee.load(ordering: .sequentiallyConsistent) == seen {
                try #require(try reader.waitUntilTold(timeoutMilliseconds: 60_000))
            }
            try reader.drain()
            seen = sequence.pointee.load(ordering: .sequentiallyConsistent)
        }
        try helper.expect("done")
    }
}
