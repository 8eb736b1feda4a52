import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// Processes of two pid namespaces, as of two containers, on one file: byte locks rule.
@Suite struct NamespaceTests {
    let folder: TemporaryFolder
    var path: String { folder.file("x.freehold") }

    init() throws { folder = try TemporaryFolder() }

    private func foreigner() throws -> SpawnedProcess? {
        guard let process = try SpawnedProcess.inNewProcessNamespace("SharingHelper", []) else { return nil }
        try process.ask("open \(path)", "open")
        return process
    }

    @Test func commitsOfBothSidesAlternate() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        try ToyStore.commit(session, .processCrash)
        guard let foreigner = try foreigner() else { return }
        #expect(session.memory.usesByteLocks.loadInOrder() == 1)
        foreigner.send("count 200 fast")
        for _ in 0..<200 { try ToyStore.commit(session, .processCrash) }
        #expect(try foreigner.readLine()?.hasPrefix("counted ") == true)
        let content = try ToyStore.commit(session, .full)
        #expect(content.counter == 402)
        try foreigner.ask("commit full", "committed 404 403")
    }

    @Test func anOwnerInsideByTheMutexKeepsTheOtherSideOut() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        let lease = try session.beginWrite(timeoutMilliseconds: 100)
        guard let foreigner = try foreigner() else { return session.abandonWrite(lease) }
        foreigner.send("begin 50")
        #expect(try foreigner.readLine()?.hasPrefix("error busy") == true)
        session.abandonWrite(lease)
        try foreigner.ask("begin 10000", "began \(lease.nextVersion)")
        let error = #expect(throws: FreeholdError.self) { try session.beginWrite(timeoutMilliseconds: 50) }
        #expect(error?.code == .busy)
        try foreigner.ask("abandon", "abandoned")
        try ToyStore.commit(session, .full)
    }

    @Test func aKilledForeignOwnerIsFollowed() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        guard let foreigner = try foreigner() else { return }
        try foreigner.ask("pin", "pinned 1")
        try foreigner.ask("begin 1000", "began 2")
        foreigner.killNow()
        let content = try ToyStore.commit(session, .full)
        #expect(content.version == 2)
        session.reaper.reap()
        #expect(session.held.versions() == [2])
    }

    @Test func threadsOfOneProcessExcludeOneAnotherByBytesToo() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        session.memory.usesByteLocks.storeInOrder(1)
        let system = LinuxSystem.shared
        let done = SharedBell(.allocate(byteCount: 8, alignment: 8), 0)
        done.store(0)
        for _ in 0..<4 {
            try system.startThread("writer") {
                for _ in 0..<50 { _ = try? ToyStore.commit(session, .processCrash) }
                done.advance()
                system.wake(done.word, count: 1)
            }
        }
        while done.load() < 4 { _ = system.wait(on: done.word, whileEqual: done.load(), timeoutMilliseconds: 1000) }
        #expect(try ToyStore.commit(session, .full).counter == 201)
    }
}
