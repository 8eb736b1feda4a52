import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// Pins, where a process goes on that others have counted as dead, and where they move from cell to cell under a scan. The interleavings are in
/// `docs/models/pinning_model.py`; these are the ones that a shortcut falls to.
@Suite struct PinTests {
    private static let path = "/x.freehold"
    let machine: SimulatedSystem
    let ghostly: SimulatedProcess
    let ghost: Session
    let living: Session

    init() throws {
        machine = SimulatedSystem(seed: 1)
        machine.options.recordsMappedStores = false
        ghostly = machine.makeProcess("ghost")
        ghost = try ToyStore.open(Self.path, SimulatedTests.options(), ghostly)
        living = try ToyStore.open(Self.path, SimulatedTests.options(), machine.makeProcess("living"))
    }

    /// What whoever reaps does for a process that is only stopped; then the living one claims its last cell, and pins.
    private func takeOver(_ cell: ReaderCell) throws -> (ReaderCell, Root) {
        living.readers.cells.releaseAll(of: ghost.member.slot.token)
        var claimed = try living.readers.claim()
        while claimed.address != cell.address { claimed = try living.readers.claim() }
        return (claimed, try claimed.pin())
    }

    private func expectHeld(_ root: Root, _ cell: ReaderCell, _ comment: Comment) throws {
        for _ in 0..<200 { try ToyStore.commit(living, .full) }
        #expect(living.held.versions().contains(root.version), comment)
        #expect(ToyStore.read(root, living)?.version == root.version, comment)
        try cell.unpin()
        #expect(!living.held.versions().contains(root.version), comment)
        machine.discard()
    }

    @Test func aLateUnpinLeavesTheNextReadersPin() throws {
        let cell = try ghost.readers.claim(), stale = try cell.pin()
        let (next, root) = try takeOver(cell)
        // The ghost has looked before it was stopped, and goes on with its one store.
        cell.idle.store(cell.mark | stale.version)
        try expectHeld(root, next, "after a late unpin")
    }

    @Test func aLateClearedIdleLeavesTheNextReadersPin() throws {
        let cell = try ghost.readers.claim()
        _ = try cell.pin()
        try cell.unpin()
        let (next, root) = try takeOver(cell)
        _ = cell.idle.exchange(0)
        try expectHeld(root, next, "after a late pin")
    }

    @Test func anEndedPinThatALateStoreCoversIsHeldUntilTheNextOne() throws {
        let cell = try ghost.readers.claim(), stale = try cell.pin()
        let (next, root) = try takeOver(cell)
        try next.unpin()
        cell.idle.store(cell.mark | stale.version)
        for _ in 0..<3 { try ToyStore.commit(living, .full) }
        #expect(living.held.versions().contains(root.version))
        _ = try next.pin()
        try next.unpin()
        #expect(!living.held.versions().contains(root.version))
        machine.discard()
    }

    @Test func aLateKindIsNotTheNextReaders() throws {
        let cell = try ghost.readers.claim()
        let (next, root) = try takeOver(cell)
        // The ghost was stopped between its claim of the cell, for its own commits, and the store of what it is.
        cell.kind.store(cell.mark | ReaderCellKind.ownCommit.rawValue)
        try expectHeld(root, next, "after a late kind")
    }

    @Test func aLateClaimTakesNobodysPin() throws {
        nonisolated(unsafe) var taken: (ReaderCell, Root)?, met = 0
        machine.onStep = { step in
            guard step.name == "open.cellClaimed" else { return .proceed }
            met += 1
            if met > 1 { return .proceed }
            taken = try? takeOver(ghost.readers.cells.cell(Int(living.memory.cellsUsed.load()) - 1))
            return .proceed
        }
        let claimer = ghost
        nonisolated(unsafe) var error: FreeholdError?
        ghostly.start { _ in
            do throws(FreeholdError) { _ = try claimer.readers.cells.claim(claimer.member.slot.token, kind: .reader) } catch let thrown { error = thrown }
        }
        #expect(machine.run() == .finished)
        #expect(error?.code == .leaseLost)
        machine.onStep = nil
        let (next, root) = try #require(taken)
        try expectHeld(root, next, "after a late claim")
    }

    /// Nobody would look for what it pins in it.
    @Test func aCellClaimedAfterTheReapingIsGivenBack() throws {
        let state = SharedWord(living.memory.base + LockLayout.processes.offset(ghost.member.slot.index), 0)
        #expect(state.replace(ghost.member.slot.liveState, with: ghost.member.slot.generation << 8 | ProcessSlots.reaping))
        living.readers.cells.releaseAll(of: ghost.member.slot.token)
        let error = #expect(throws: FreeholdError.self) { try ghost.readers.cells.claim(ghost.member.slot.token, kind: .reader) }
        #expect(error?.code == .leaseLost)
        for index in 0..<living.readers.cells.count { #expect(living.readers.cells.cell(index).owner.load() != ghost.member.slot.token) }
        machine.discard()
    }

    /// A cell whose word was written over ends no process, and keeps none busy.
    @Test func aWrittenOverCellIsAnErrorWhereTheOwnCommitIsNotVisibleYet() throws {
        let cell = try living.readers.claim()
        living.readers.ownRoot.write(living.memory.newest.read().root)
        living.readers.ownCommit.store(living.memory.visible.version + 1)
        cell.word.store(.max)
        #expect(throws: FreeholdError.self) { try cell.pin() }
        machine.discard()
    }

    @Test func aPinThatMovesUnderAScanIsSeen() throws {
        let target = try living.readers.claim(), parked = try living.readers.claim(), source = try living.readers.claim()
        let root = try source.pin()
        _ = try parked.pin()
        #expect(parked.park(root.version))
        try ToyStore.commit(living, .full)
        // The scan passes the first cell, asks about the parked one, and meanwhile the pin moves from the third to the first.
        var moved = 0
        let held = living.held.versions { _ in
            if moved == 0 {
                try? target.pin(root, sharing: source)
                try? source.unpin()
            }
            moved += 1
            return false
        }
        #expect(moved > 1, "the scan did not begin again")
        #expect(held.contains(root.version))
        try target.unpin()
        machine.discard()
    }

    @Test func aScanEndsThoughPinsMoveAtEveryPass() throws {
        let cells = [try living.readers.claim(), try living.readers.claim()], parked = try living.readers.claim()
        let root = try cells[0].pin()
        _ = try parked.pin()
        #expect(parked.park(root.version))
        try ToyStore.commit(living, .full)
        var passes = 0
        let held = living.held.versions { _ in
            passes += 1
            // Whoever moves a pin looks first whether a scan asks to go first, and sleeps then.
            if living.memory.scanWaits.load() == 0 {
                try? cells[passes % 2].pin(root, sharing: cells[1 - passes % 2])
                try? cells[1 - passes % 2].unpin()
            }
            return false
        }
        #expect(passes > 8 && held.contains(root.version))
        #expect(living.memory.scanWaits.load() == 0)
        machine.discard()
    }
}
