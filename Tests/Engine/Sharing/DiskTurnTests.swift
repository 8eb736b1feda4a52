import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// Threads of one process bring pages to the disk by one descriptor, which is told once that writing failed.
///
/// ```
/// thread                          another thread
/// its flush fails
///                                 flushes by the same descriptor: the kernel has nothing to tell any more
///                                 must not acknowledge
/// ends the session
/// ```
@Suite struct DiskTurnTests {
    private static let path = "/x.freehold"

    private func makeMachine(_ seed: UInt64, timeJumpOneIn: Int = 0) -> SimulatedSystem {
        var options = SimulatedSystem.Options(seed: seed)
        options.recordsMappedStores = false
        options.switchOneIn = 2
        options.timeJumpOneIn = timeJumpOneIn
        return SimulatedSystem(options)
    }

    /// What threads report; the machine runs one at a time.
    private final class Reports: @unchecked Sendable {
        // Safe: the threads of a simulated machine take turns.
        var acknowledged: [UInt64] = []
        var failures: [FreeholdError] = []
    }

    /// Three threads commit while the disk fails once; returns what they were told, after a look at what a power cut leaves.
    ///
    /// Time jumps: only who has waited for longer than a flush takes does not leave it to the leader, and flushes beside it.
    private func race(_ seed: UInt64) throws -> Reports {
        let machine = makeMachine(seed, timeJumpOneIn: 4)
        let process = machine.makeProcess(), session = try ToyStore.open(Self.path, SimulatedTests.options(), process)
        try ToyStore.commit(session, .full, mark: 1)
        machine.inject(FaultRule(.synchronize, code: ErrorNumber.inputOutput, pathEnding: ".freehold", times: 1))
        let reports = Reports()
        for mark in 2...4 as ClosedRange<UInt64> {
            process.start { _ in
                do throws(FreeholdError) {
                    let content = try ToyStore.commit(session, .full, mark: mark)
                    reports.acknowledged.append(content.counter)
                } catch { reports.failures.append(error) }
            }
        }
        #expect(machine.run() == .finished, "\(machine.unfinished)")
        process.leak(session)
        machine.killAllProcesses()
        let image = machine.image(surviving: .none)
        let reopened = try ToyStore.open(Self.path, SimulatedTests.options(), image.makeProcess())
        let found = try #require(ToyStore.read(try reopened.readers.claim().pin(), reopened))
        #expect(found.counter >= reports.acknowledged.max() ?? 1, "seed \(seed): \(found), \(reports.acknowledged)")
        try reopened.close()
        image.discard()
        machine.discard()
        return reports
    }

    @Test("no thread acknowledges a commit by the descriptor that another one was told of a failure by")
    func commits() throws {
        for seed in TestScale.seeds(300) {
            let reports = try race(seed)
            #expect(reports.acknowledged.isEmpty && reports.failures.count == 3, "seed \(seed): \(reports.acknowledged)")
            #expect(reports.failures.allSatisfy { $0.code == .io }, "seed \(seed): \(reports.failures)")
        }
    }

    @Test("nor does it bring long values to the disk by it", arguments: [SimulatedCall.synchronize, .writeBack])
    func longValues(_ call: SimulatedCall) throws {
        for seed in TestScale.seeds(40) {
            let machine = makeMachine(seed)
            let process = machine.makeProcess(), session = try ToyStore.open(Self.path, SimulatedTests.options(), process)
            machine.inject(FaultRule(call, code: ErrorNumber.inputOutput, pathEnding: ".freehold", times: 1))
            let reports = Reports()
            for _ in 0..<2 {
                process.start { _ in
                    do throws(FreeholdError) {
                        if call == .writeBack { try session.flusher.writeBack(16384..<20480) } else { try session.flusher.synchronizeWritten() }
                    } catch { reports.failures.append(error) }
                }
            }
            #expect(machine.run() == .finished, "\(machine.unfinished)")
            #expect(reports.failures.map(\.code) == [.io, .io], "seed \(seed): \(reports.failures)")
            process.leak(session)
            machine.discard()
        }
    }

    @Test("a thread that waits for another one's flush is woken when that has nothing to flush")
    func sleepersAreWoken() throws {
        for seed in TestScale.seeds(200) {
            let machine = makeMachine(seed)
            let first = machine.makeProcess(), second = machine.makeProcess()
            let sessions = [try ToyStore.open(Self.path, SimulatedTests.options(), first), try ToyStore.open(Self.path, SimulatedTests.options(), second)]
            let start = first.monotonicNanoseconds
            let reports = Reports()
            for (number, process) in [first, first, second, second].enumerated() {
                process.start { _ in
                    do throws(FreeholdError) {
                        for _ in 0..<2 { reports.acknowledged.append(try ToyStore.commit(sessions[number / 2], .full).counter) }
                    } catch { reports.failures.append(error) }
                }
            }
            #expect(machine.run() == .finished, "\(machine.unfinished)")
            #expect(reports.failures.isEmpty && reports.acknowledged.count == 8, "seed \(seed): \(reports.failures)")
            // Where all are awake, time goes on by steps only; who is not woken sleeps a quarter of a second.
            #expect(first.monotonicNanoseconds - start < 250_000_000, "seed \(seed): somebody slept on")
            for session in sessions { try session.close() }
            machine.discard()
        }
    }
}
