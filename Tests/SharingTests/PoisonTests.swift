import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// A flush that fails beside one that went well.
///
/// ```
/// leader                          another leader
/// flush of F went well
///                                 its flush fails; it is stopped at one of its next steps
/// `confirmed` names F, D = F,
/// and F is acknowledged
///                                 goes on: `confirmed` must not name the version before again
/// all are killed, and one opens in the same boot
/// ```
@Suite struct PoisonTests {
    private static let path = "/x.freehold"

    private func open(_ process: SimulatedProcess) throws -> Session {
        var options = SimulatedTests.options()
        options.flushTimeoutMilliseconds = 2000
        return try ToyStore.open(Self.path, options, process)
    }

    /// - Parameter steps: how many steps the failing leader does after its failed flush before the other one goes on.
    /// - Returns: whether the leader's commit was acknowledged.
    private func race(_ steps: Int, seed: UInt64) throws -> Bool {
        let machine = SimulatedSystem(seed: seed)
        machine.options.recordsMappedStores = false
        let leader = machine.makeProcess("leader"), failing = machine.makeProcess("failing")
        let first = try open(leader), second = try open(failing)
        try ToyStore.commit(first, .full, mark: 1)
        let reports = Reports()
        leader.start { _ in reports.commit(first, "leader", mark: 2) }
        machine.onStep = { $0.process === leader && $0.name == "flush.synced" ? .stop : .proceed }
        #expect(machine.run() == .idle)
        // Waits for the leader for a while, and then makes the flush itself.
        failing.start { _ in reports.commit(second, "failing", mark: 3) }
        machine.inject(FaultRule(.synchronize, code: ErrorNumber.inputOutput, pathEnding: ".freehold", times: 1))
        var stepsSinceFailure = -1
        machine.onStep = { step in
            guard step.process === failing else { return .proceed }
            if step.name == "flush.synced" { stepsSinceFailure = 0 } else if stepsSinceFailure >= 0 { stepsSinceFailure += 1 }
            return stepsSinceFailure == steps ? .stop : .proceed
        }
        _ = machine.run()
        machine.onStep = nil
        leader.resume()
        _ = machine.run()
        failing.resume()
        #expect(machine.run() == .finished, "\(machine.unfinished)")
        leader.leak(first)
        failing.leak(second)
        machine.killAllProcesses()
        let session = try open(machine.makeProcess())
        let found = ToyStore.read(try session.claimCell().pin(), session)
        let isAcknowledged = reports.acknowledged.contains("leader")
        #expect(found?.mark == (isAcknowledged ? 2 : 1) || found?.mark == 2, "\(steps) steps: \(String(describing: found)), \(reports.lines)")
        #expect(reports.failures["failing"] == .io, "\(steps) steps: \(reports.lines)")
        try session.close()
        machine.discard()
        return isAcknowledged
    }

    @Test("takes back nothing that another process's flush has made durable")
    func takesNothingBack() throws {
        var acknowledged = 0
        for steps in 0..<24 where try race(steps, seed: UInt64(steps)) { acknowledged += 1 }
        #expect(acknowledged > 0, "the leader never came first")
    }

    /// What the two processes report; the machine runs one thread at a time.
    private final class Reports: @unchecked Sendable {
        // Safe: the threads of a simulated machine take turns.
        var acknowledged: Set<String> = []
        var failures: [String: FreeholdError.Code] = [:]
        var lines: [String] = []

        func commit(_ session: Session, _ name: String, mark: UInt64) {
            do {
                try ToyStore.commit(session, .full, mark: mark)
                acknowledged.insert(name)
            } catch {
                failures[name] = error.code
                lines.append("\(name): \(error)")
            }
        }
    }
}
