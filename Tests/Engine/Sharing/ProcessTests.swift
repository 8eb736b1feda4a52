import Glibc
import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// Separate processes on one file.
@Suite struct ProcessTests {
    let folder: TemporaryFolder
    var path: String { folder.file("x.freehold") }

    init() throws { folder = try TemporaryFolder() }

    private func helper(_ environment: [String: String] = [:]) throws -> SpawnedProcess {
        try SpawnedProcess("SharingHelper", environment: environment)
    }

    private func opened(_ environment: [String: String] = [:]) throws -> SpawnedProcess {
        let process = try helper(environment)
        try process.ask("open \(path)", "open")
        return process
    }

    @Test func processesSeeOneAnothersCommits() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        let other = try opened()
        try other.ask("commit full 5", "committed 2 1")
        let cell = try session.readers.claim()
        #expect(ToyStore.read(try cell.pin(), session)?.mark == 5)
        try cell.unpin()
        try ToyStore.commit(session, .processCrash, mark: 6)
        try other.ask("pin", "pinned 3")
        try other.ask("close", "closed")
    }

    @Test func eightProcessesRaceToMakeTheFile() throws {
        let processes = try (0..<8).map { _ in try helper() }
        for process in processes { process.send("open \(path)") }
        for process in processes { try process.expect("open") }
        for process in processes { process.send("count 50 fast") }
        for process in processes { #expect(try process.readLine()?.hasPrefix("counted ") == true) }
        try processes[0].ask("commit full", "committed 402 401")
        for process in processes { process.send("close") }
        for process in processes { try process.expect("closed") }
        #expect(try LinuxSystem.shared.listDirectory(folder.path) == ["x.freehold"])
    }

    @Test func severalProcessesShareTheirFlushes() throws {
        let processes = try (0..<4).map { _ in try opened() }
        for process in processes { process.send("count 25 full") }
        for process in processes { #expect(try process.readLine()?.hasPrefix("counted ") == true) }
        try processes[1].ask("pin", "pinned 101")
        try processes[1].ask("check", "whole")
    }

    @Test func readersSeeWholeVersionsWhileOthersCommit() throws {
        let writers = try (0..<2).map { _ in try opened() }
        let readers = try (0..<3).map { _ in try opened() }
        for reader in readers { reader.send("read 200000") }
        for writer in writers { writer.send("count 3000 fast") }
        for reader in readers { #expect(try reader.readLine()?.hasPrefix("read ") == true) }
        for writer in writers { #expect(try writer.readLine()?.hasPrefix("counted ") == true) }
    }

    @Test func aKilledReadersPinIsReaped() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        let reader = try opened()
        try reader.ask("pin", "pinned 1")
        for _ in 0..<3 { try ToyStore.commit(session, .full) }
        #expect(session.held.versions() == [1, 4])
        #expect(session.held.holders().map(\.process.id) == [reader.id])
        reader.killNow()
        session.reaper.reap()
        #expect(session.held.versions() == [4])
        #expect(session.held.holders().isEmpty)
    }

    @Test func aBusyLockNamesItsHolder() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        let writer = try opened()
        try writer.ask("begin", "began 2")
        for timeout in [0, 50] {
            let error = #expect(throws: FreeholdError.self) { try session.beginWrite(timeoutMilliseconds: timeout) }
            #expect(error?.code == .busy)
            #expect(error?.message.contains("process \(writer.id) (SharingHelper)") == true)
        }
        try writer.ask("abandon", "abandoned")
        try ToyStore.commit(session, .processCrash)
    }

    @Test func aWriterKilledInsideLeavesTheLockToTheNext() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        let writer = try opened()
        try writer.ask("begin", "began 2")
        writer.killNow()
        let content = try ToyStore.commit(session, .full)
        #expect(content.version == 2)
    }

    @Test func aWaiterIsWokenByAnotherProcess() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        let waiter = try opened()
        waiter.send("wait 1 60000")
        try ToyStore.commit(session, .processCrash)
        try waiter.expect("changed 2")
        try waiter.ask("wait 2 1", "unchanged")
        try waiter.ask("listen", "listening")
        try ToyStore.commit(session, .full)
        try waiter.ask("hear", "heard 3")
        try ToyStore.commit(session, .full)
        try waiter.ask("hear", "heard 4")
    }

    @Test func sixtyFourProcessesHearOfOneCommit() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        let listeners = try (0..<64).map { _ in try opened() }
        for listener in listeners { try listener.ask("listen", "listening") }
        for listener in listeners { listener.send("hear") }
        // Some are killed while they listen, some stand still: nobody else is kept from hearing.
        for listener in listeners.prefix(4) { listener.killNow() }
        for listener in listeners[4..<8] { listener.signal(SIGSTOP) }
        for listener in listeners[4..<8] { _ = listener.waitUntilStopped() }
        try ToyStore.commit(session, .full)
        for listener in listeners[8...] { try listener.expect("heard 2") }
        for listener in listeners[4..<8] { listener.signal(SIGCONT) }
        for listener in listeners[4..<8] { try listener.expect("heard 2") }
    }

    @Test func descriptorsClosedBehindItsBackAreNoticed() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        let process = try opened()
        try process.ask("pin", "pinned 1")
        try process.ask("close-descriptors", "closed")
        session.reaper.reap()
        process.send("unpin")
        #expect(try process.readLine()?.hasPrefix("error leaseLost") == true)
    }
}

extension SpawnedProcess {
    func ask(_ command: String, _ answer: String) throws {
        send(command)
        try expect(answer)
    }
}
