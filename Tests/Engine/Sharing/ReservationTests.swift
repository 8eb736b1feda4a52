import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// Lines of reserved pages, where a process goes on that others have counted as dead.
@Suite struct ReservationTests {
    @Test func aLateShorteningLeavesTheNextOwnersPages() throws {
        let machine = SimulatedSystem(seed: 1)
        machine.options.recordsMappedStores = false
        let ghost = try ToyStore.open("/x.freehold", SimulatedTests.options(), machine.makeProcess())
        let living = try ToyStore.open("/x.freehold", SimulatedTests.options(), machine.makeProcess())
        // The first run of a value always wants as many pages, the allocator finds the same ones, and the lowest free line is the same.
        let pages = 20..<30
        let entry = try ghost.reservations.add(pages, ghost.member.slot.token)
        living.reservations.releaseAll(of: ghost.member.slot.token)
        let next = try living.reservations.add(pages, living.member.slot.token)
        #expect(next.line == entry.line)
        ghost.reservations.shorten(entry, to: 3)
        #expect(living.reservations.all(within: 4..<100)?.ranges == RangeSet(pages).ranges)
        living.reservations.shorten(next, to: 3)
        #expect(living.reservations.all(within: 4..<100)?.ranges == RangeSet(20..<23).ranges)
        machine.discard()
    }

    @Test func aLineOfListenersIsAnotherOneForItsNextOwner() throws {
        let machine = SimulatedSystem(seed: 1)
        machine.options.recordsMappedStores = false
        let ghost = try ToyStore.open("/x.freehold", SimulatedTests.options(), machine.makeProcess())
        let living = try ToyStore.open("/x.freehold", SimulatedTests.options(), machine.makeProcess())
        let place = try ghost.bell.listeners.claim(ghost.member.slot.token)
        living.bell.listeners.releaseAll(of: ghost.member.slot.token, living.system)
        let next = try living.bell.listeners.claim(living.member.slot.token)
        #expect(next.index == place.index && next.number != place.number)
        #expect(!ghost.bell.listeners.isCurrent(place))
        // Stopped before it took its number, and counted as dead.
        #expect(throws: FreeholdError.self) { try ghost.bell.listeners.renumber(place.index, ghost.member.slot.token) }
        #expect(living.bell.listeners.isCurrent(next))
        machine.discard()
    }

    /// Nobody would look for what it takes.
    @Test func whoIsReapedTakesNoLine() throws {
        let machine = SimulatedSystem(seed: 1)
        machine.options.recordsMappedStores = false
        let ghost = try ToyStore.open("/x.freehold", SimulatedTests.options(), machine.makeProcess())
        let state = SharedWord(ghost.memory.base + LockLayout.processes.offset(ghost.member.slot.index), 0)
        #expect(state.replace(ghost.member.slot.liveState, with: ghost.member.slot.generation << 8 | ProcessSlots.free))
        #expect(throws: FreeholdError.self) { try ghost.reservations.add(20..<30, ghost.member.slot.token) }
        #expect(ghost.reservations.all(within: 4..<100)?.isEmpty == true)
        #expect(throws: FreeholdError.self) { try ghost.bell.listeners.claim(ghost.member.slot.token) }
        for index in 0..<ghost.bell.listeners.count { #expect(ghost.bell.listeners.owner(index).load() == 0) }
        machine.discard()
    }
}
