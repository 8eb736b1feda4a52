import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// A flush whose lock was taken by somebody else meanwhile: possible where byte locks rule and the program has closed the lock file's
/// descriptor, or where others have counted the process as dead.
///
/// ```
/// leader                          somebody else
/// takes the flush lock
///                                 takes it too
/// must not write S, nor
/// `confirmed`, any more
/// ```
@Suite struct LostFlushLockTests {
    private static let path = "/x.freehold"

    /// What a flush writes into the file, but for the blocks.
    private func records(_ session: Session) -> [UInt8] {
        (FileLayout.durableSlots + [FileLayout.confirmed]).flatMap { offset in
            Array(UnsafeRawBufferPointer(start: session.file.base + offset, count: 128))
        }
    }

    /// - Parameter point: where the leader is when the lock is taken.
    @Test(arguments: ["flush.targetPublished", "flush.relocked"])
    func nothingIsWritten(point: String) throws {
        let machine = SimulatedSystem(seed: 7)
        machine.options.recordsMappedStores = false
        let process = machine.makeProcess("leader")
        let session = try ToyStore.open(Self.path, SimulatedTests.options(), process)
        try ToyStore.commit(session, .full, mark: 1)
        let durable = session.memory.durable.version
        nonisolated(unsafe) var before: [UInt8] = [], error: FreeholdError?, met = 0
        machine.onStep = { step in
            guard step.name == point, met == 0 else { return .proceed }
            met += 1
            before = self.records(session)
            // As the next hold of the lock gets its number.
            let holdNumber = SharedWord(session.memory.base + session.flusher.lock.offset, 88)
            holdNumber.storeInOrder((holdNumber.loadInOrder() & ~1) + 2)
            return .proceed
        }
        process.start { _ in
            do throws(FreeholdError) { try ToyStore.commit(session, .full, mark: 2) } catch let thrown { error = thrown }
        }
        #expect(machine.run() == .finished, "\(machine.unfinished)")
        #expect(met == 1 && error?.code == .leaseLost, "\(String(describing: error))")
        let isUntouched = records(session) == before
        #expect(isUntouched)
        #expect(session.memory.durable.version == durable)
        process.leak(session)
        machine.killAllProcesses()
        // Nothing that was acknowledged is lost, and the commit itself may be there: it was visible.
        let next = machine.makeProcess(), reopened = try ToyStore.open(Self.path, SimulatedTests.options(), next)
        let content = ToyStore.read(try reopened.readers.claim().pin(), reopened)
        #expect(content?.mark == 1 || content?.mark == 2)
        try reopened.close()
        machine.discard()
    }
}
