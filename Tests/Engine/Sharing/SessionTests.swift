import Platform
import TestKit
@testable import SharingKit
import Testing

@testable import FreeholdEngine

@Suite struct SessionTests {
    @Test func aNewDatabaseIsCreatedAndFoundAgain() throws {
        let folder = try TemporaryFolder()
        let session = try ToyStore.open(folder.file("x.freehold"))
        let cell = try session.readers.claim()
        let first = try cell.pin()
        #expect(first.version == 1)
        #expect(ToyStore.read(first, session) == .init(version: 1, counter: 0, mark: 0))
        try cell.unpin()
        try ToyStore.commit(session, .full, mark: 7)
        try ToyStore.commit(session, .processCrash, mark: 8)
        try session.close()
        #expect(try LinuxSystem.shared.listDirectory(folder.path) == ["x.freehold"])

        let again = try ToyStore.open(folder.file("x.freehold"))
        let root = try again.readers.claim().pin()
        #expect(ToyStore.read(root, again) == .init(version: 3, counter: 2, mark: 8))
        try again.close()
    }

    @Test func aSecondOpenInTheProcessSharesTheSession() throws {
        let folder = try TemporaryFolder()
        let first = try ToyStore.open(folder.file("x.freehold"))
        let second = try ToyStore.open(folder.file("x.freehold"))
        #expect(first === second)
        try first.close()
        try ToyStore.commit(second, .full)
        try second.close()
        #expect(throws: FreeholdError.self) { try second.readers.claim() }
    }

    @Test func aVersionIsPinnedAgainOnlyWhileItIsWhatAPinWouldChoose() throws {
        let folder = try TemporaryFolder()
        let session = try ToyStore.open(folder.file("x.freehold"))
        let cell = try session.readers.claim()
        var moment = VisibleRoot.Moment.never
        #expect(!cell.pinAgain(1, at: moment) && cell.pinned == 0)
        #expect(try cell.pin(noting: &moment).version == 1)
        for _ in 0..<3 {
            try cell.unpin()
            #expect(session.held.holders().isEmpty)
            #expect(cell.pinAgain(1, at: moment))
            #expect(session.held.holders().map(\.version) == [1])
        }
        try ToyStore.commit(session, .full)
        try cell.unpin()
        #expect(!cell.pinAgain(1, at: moment))
        #expect(try cell.pin(noting: &moment).version == 2)
        try cell.unpin()
        // A commit of our own that nobody sees yet.
        session.readers.ownCommit.store(3)
        #expect(!cell.pinAgain(2, at: moment))
        session.readers.ownCommit.store(0)
        #expect(cell.pinAgain(2, at: moment))
        try cell.unpin()
        try session.close()
        #expect(!cell.pinAgain(2, at: moment) && !cell.unpinIfValid())
    }

    @Test func aPinHoldsItsVersionUntilItEnds() throws {
        let folder = try TemporaryFolder()
        let session = try ToyStore.open(folder.file("x.freehold"))
        defer { try? session.close() }
        let cell = try session.readers.claim()
        let old = try cell.pin()
        for _ in 0..<200 { try ToyStore.commit(session, .processCrash) }
        #expect(ToyStore.read(old, session)?.version == old.version)
        #expect(session.held.versions() == [1, 201])
        #expect(session.held.holders().map(\.version) == [1])
        try cell.unpin()
        #expect(session.held.versions() == [1, 201], "version 1 is still the durable one")
        try ToyStore.commit(session, .full)
        #expect(session.held.versions() == [202])
    }

    /// The lock file's words are input: a cell that was written over ends no process.
    @Test func aWrittenOverCellIsAnErrorToShareAndToEnd() throws {
        let machine = SimulatedSystem(seed: 1)
        let session = try ToyStore.open("/x.freehold", SimulatedTests.options(), machine.makeProcess())
        let cell = try session.readers.claim(), other = try session.readers.claim(), root = try cell.pin()
        cell.word.store(.max)
        let shared = #expect(throws: FreeholdError.self) { try other.pin(root, sharing: cell) }
        #expect(shared?.code == .corrupt)
        #expect(throws: FreeholdError.self) { try cell.unpin() }
        // Whoever has the cell's word now keeps it.
        #expect(cell.word.load() == .max)
        try session.close()
        machine.discard()
    }
}
