import Glibc
import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// Sessions that begin, by whomever and under whatever name: never a second one beside a living one.
@Suite struct BeginningTests {
    let folder: TemporaryFolder
    let system = LinuxSystem.shared
    var path: String { folder.file("x.freehold") }
    var link: String { folder.file("y.freehold") }

    init() throws {
        folder = try TemporaryFolder()
        let session = try ToyStore.open(path)
        try ToyStore.commit(session, .full, mark: 3)
        try session.close()
    }

    private func helper() throws -> SpawnedProcess { try SpawnedProcess("SharingHelper") }

    private func expectRefused(_ verb: String, _ path: String, _ comment: Comment) throws {
        let process = try helper()
        process.send("\(verb) \(path)")
        let answer = try process.readLine()
        #expect(answer?.hasPrefix("error inUse ") == true, "\(comment): \(answer ?? "nothing")")
    }

    private func names() throws -> [String] { try system.listDirectory(folder.path).sorted() }

    @Test func aReaderBeginsNoSessionWhoseLockFileWasDeleted() throws {
        let session = try ToyStore.open(path)
        try system.removeFile(path + ".lock")
        try expectRefused("open-read-only", path, "a reader")
        #expect(try names() == ["x.freehold"], "it made a lock file")
        try expectRefused("open", path, "a writer after it")
        for _ in 0..<20 { try ToyStore.commit(session, .full) }
        try session.close()
        let next = try helper()
        try next.ask("open-read-only \(path)", "open")
        try next.ask("pin", "pinned 22")
    }

    @Test func aReaderBeginsNoSessionUnderAnotherName() throws {
        let session = try ToyStore.open(path)
        #expect(Glibc.link(path, link) == 0)
        try expectRefused("open-read-only", link, "a reader")
        try expectRefused("open", link, "a writer after it")
        #expect(try names() == ["x.freehold", "x.freehold.lock", "y.freehold"])
        try session.close()
        try helper().ask("open-read-only \(link)", "open")
    }

    @Test func aReaderBeginsNoSessionOfAMovedFile() throws {
        let session = try ToyStore.open(path)
        try system.renameFile(path, to: link)
        try expectRefused("open-read-only", link, "a reader")
        try expectRefused("open", link, "a writer after it")
        try ToyStore.commit(session, .full)
        try session.close()
        try helper().ask("open-read-only \(link)", "open")
    }

    @Test func twoReadersBeginNoTwoSessions() throws {
        #expect(Glibc.link(path, link) == 0)
        let reader = try helper()
        try reader.ask("open-read-only \(path)", "open")
        try expectRefused("open-read-only", link, "a reader under another name")
        try expectRefused("open", link, "a writer under another name")
        try system.removeFile(path + ".lock")
        try expectRefused("open-read-only", path, "a reader without the lock file")
        try expectRefused("open", path, "a writer without the lock file")
        try reader.ask("pin", "pinned 2")
        try reader.ask("close", "closed")
        let writer = try helper()
        try writer.ask("open \(link)", "open")
        try writer.ask("commit full", "committed 3 2")
    }

    // The bytes of slots are the data file's, so those of a session under one name once made the dead one's lock file under another look alive.
    @Test(arguments: ["open", "open-read-only"]) func aDeadSessionsLockFileIsNotJoinedBesideALivingOne(_ verb: String) throws {
        #expect(Glibc.link(path, link) == 0)
        let dead = try helper()
        try dead.ask("open \(path)", "open")
        try dead.ask("commit full", "committed 3 2")
        dead.killNow()
        let session = try ToyStore.open(link)
        try ToyStore.commit(session, .full)
        try expectRefused(verb, path, "the lock file of the dead")
        try ToyStore.commit(session, .full)
        #expect(session.held.versions() == [5])
        try session.close()
        try helper().ask("\(verb) \(path)", "open")
    }

    @Test func readersUnderTwoNamesAtOnceAreInOneSession() throws {
        #expect(Glibc.link(path, link) == 0)
        for _ in 0..<3 {
            let readers = try (0..<6).map { _ in try helper() }
            for (index, reader) in readers.enumerated() { reader.send("open-read-only \(index % 2 == 0 ? path : link)") }
            let answers = try readers.map { try $0.readLine() ?? "nothing" }
            let opened = Set(answers.indices.filter { answers[$0] == "open" }.map { $0 % 2 })
            #expect(opened.count == 1, "\(answers)")
            #expect(answers.allSatisfy { $0 == "open" || $0.hasPrefix("error inUse") })
            for reader in readers { reader.killNow() }
        }
    }

    // Whoever reads without a lock file, for want of permission, keeps no pins that others see.
    @Test func readersWithoutALockFileKeepSessionsFromBeginning() throws {
        let machine = SimulatedSystem(seed: 4)
        let first = try ToyStore.open("/x.freehold", SimulatedTests.options(), machine.makeProcess())
        try ToyStore.commit(first, .full, mark: 7)
        try first.close()
        var options = SimulatedTests.options()
        options.readOnly = true
        machine.inject(FaultRule(.open, code: ErrorNumber.accessDenied, pathEnding: ".lock", times: 2))
        let lonely = try (0..<2).map { _ in try ToyStore.open("/x.freehold", options, machine.makeProcess()) }
        machine.clearFaults()
        let third = try ToyStore.open("/x.freehold", options, machine.makeProcess())
        #expect(try machine.makeProcess().listDirectory("/") == ["x.freehold"])
        #expect(#expect(throws: FreeholdError.self) {
            try ToyStore.open("/x.freehold", SimulatedTests.options(), machine.makeProcess())
        }?.code == .inUse)
        for reader in lonely + [third] {
            #expect(ToyStore.read(try reader.readers.claim().pin(), reader)?.mark == 7)
            try reader.close()
        }
        try ToyStore.open("/x.freehold", SimulatedTests.options(), machine.makeProcess()).close()
        machine.discard()
    }

    @Test func anOverlayIsCopiedUpBeforeItIsMapped() throws {
        let machine = SimulatedSystem(seed: 5)
        try ToyStore.open("/x.freehold", SimulatedTests.options(), machine.makeProcess()).close()
        machine.options.fileSystem = FileSystemStatus(kind: .overlay, isReadOnly: false)
        var options = SimulatedTests.options()
        options.readOnly = true
        var modes: [OpenMode] = []
        let watching = machine.makeProcess()
        watching.onOpen = { if $0 == "/x.freehold" { modes.append($1) } }
        let reader = try ToyStore.open("/x.freehold", options, watching)
        #expect(modes == [.readOnly, .readWrite, .readOnly], "looked at, copied up and mapped, locked")
        let writer = try ToyStore.open("/x.freehold", SimulatedTests.options(), machine.makeProcess())
        try ToyStore.commit(writer, .full, mark: 9)
        #expect(ToyStore.read(try reader.readers.claim().pin(), reader)?.mark == 9)
        #expect(#expect(throws: FreeholdError.self) { try ToyStore.commit(reader, .full) }?.code == .readOnly)
        try writer.close()
        try reader.close()

        // Who may not write it does not join writers, and keeps them out.
        let guests = (0..<2).map { _ in machine.makeProcess(userID: 2000, groupID: 2000) }
        let alone = try guests.map { try ToyStore.open("/x.freehold", options, $0) }
        #expect(#expect(throws: FreeholdError.self) {
            try ToyStore.open("/x.freehold", SimulatedTests.options(), machine.makeProcess())
        }?.code == .inUse)
        for reader in alone { try reader.close() }
        let next = try ToyStore.open("/x.freehold", SimulatedTests.options(), machine.makeProcess())
        let error = #expect(throws: FreeholdError.self) { try ToyStore.open("/x.freehold", options, machine.makeProcess(userID: 2000, groupID: 2000)) }
        #expect(error?.code == .permissionDenied && error?.message.contains("overlay") == true)
        try next.close()
        machine.discard()
    }
}
