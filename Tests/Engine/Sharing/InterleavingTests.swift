import Platform
import Synchronization
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// Simulated processes on one file, switched at every call and named point, killed and stopped at any of them.
@Suite struct InterleavingTests {
    /// What the processes of a run report.
    private final class Reports: Sendable {
        struct State {
            var acknowledged: UInt64 = 0
            var acknowledgedFull: UInt64 = 0
            var commits = 0
            var complaints: [String] = []
        }
        let state = Synchronization.Mutex(State())

        func acknowledge(_ counter: UInt64, isFull: Bool) {
            state.withLock {
                $0.acknowledged = max($0.acknowledged, counter)
                if isFull { $0.acknowledgedFull = max($0.acknowledgedFull, counter) }
                $0.commits += 1
            }
        }

        func complain(_ text: String) { state.withLock { $0.complaints.append(text) } }
    }

    private static func options() -> SessionOptions {
        var options = ToyStore.testOptions()
        options.reserve = 16 << 20
        options.leastReserve = 1 << 20
        return options
    }

    /// Opens, reads, commits and closes; tells what must not be.
    private static func live(_ process: SimulatedProcess, _ reports: Reports, seed: UInt64) {
        var random = SeededRandom(seed: seed)
        do {
            let session = try ToyStore.open("/x.freehold", options(), process)
            let cell = try session.readers.claim()
            var root = Root.none, moment = VisibleRoot.Moment.never, own: UInt64 = 0
            for _ in 0..<Int.random(in: 3...12, using: &random) {
                if !cell.pinAgain(root.version, at: moment) { root = try cell.pin(noting: &moment) }
                for _ in 0..<3 {
                    process.point("read.walking")
                    guard let content = ToyStore.read(root, session), content.version == root.version else {
                        reports.complain("version \(root.version) was overwritten under a reader")
                        continue
                    }
                    if content.counter < own { reports.complain("commit \(own) is not seen by its own process, but \(content.counter)") }
                }
                try cell.unpin()
                let isFull = Bool.random(using: &random)
                let content = try ToyStore.commit(session, isFull ? .full : .processCrash)
                reports.acknowledge(content.counter, isFull: isFull)
                own = content.counter
                if random.oneIn(4) { session.reaper.reap() }
            }
            session.readers.release(cell)
            try session.close()
        } catch {
            // A stopped process makes others run out of time; nothing else may happen.
            if ![.busy, .notYetDurable].contains(error.code) { reports.complain("\(error)") }
            reports.state.withLock { $0.commits += error.code == .notYetDurable ? 1 : 0 }
        }
    }

    /// - Returns: how many commits were acknowledged.
    private func run(_ seed: UInt64, ends: Bool, processCount: Int = 3, killing deadly: String? = nil) throws -> Int {
        var options = SimulatedSystem.Options(seed: seed)
        options.fileCapacity = 64 << 20
        options.recordsMappedStores = false
        let machine = SimulatedSystem(options)
        let reports = Reports()
        let processes = (0..<processCount).map { _ in machine.makeProcess() }
        for process in processes {
            process.start { Self.live($0, reports, seed: seed &* 31 &+ UInt64($0.number)) }
        }
        var random = SeededRandom(seed: seed ^ 0x5EED)
        machine.onStep = { step in
            if let deadly { return step.name == deadly && random.oneIn(2) ? .kill : .proceed }
            guard step.number > 100, random.oneIn(500) else { return .proceed }
            return ends && random.oneIn(20) ? .powerCut : .kill
        }
        let end = machine.run(stepLimit: 200_000)
        #expect(end == .finished || (ends && end == .powerCut), "seed \(seed): \(end)")
        let state = reports.state.withLock { $0 }
        #expect(state.complaints.isEmpty, "seed \(seed): \(state.complaints)")
        machine.killAllProcesses()
        let next = end == .powerCut ? machine.image(at: nil, surviving: .sectors(seed: seed)) : machine
        let session = try ToyStore.open("/x.freehold", Self.options(), next.makeProcess())
        let found = ToyStore.read(try session.readers.claim().pin(), session)
        let promised = end == .powerCut ? state.acknowledgedFull : state.acknowledged
        #expect(found.map { $0.counter >= promised } == true, "seed \(seed): \(String(describing: found)) < \(promised)")
        try session.close()
        if next !== machine { next.discard() }
        machine.discard()
        return state.commits
    }

    @Test func killedAtAnyMomentTheyHarmNobody() throws {
        var commits = 0
        for seed in 1...300 as ClosedRange<UInt64> { commits += try run(seed, ends: false) }
        #expect(commits > 1500)
    }

    /// Whoever returned from a full commit once went on reading a commit of its own from before that, which nobody held any more: the leader
    /// had made the full one durable, and died before it was visible.
    @Test(arguments: ["flush.confirmed", "flush.durableSet"]) func leadersThatDieBeforeWhatIsDurableIsVisibleHarmNobody(_ point: String) throws {
        var commits = 0
        for seed in 1...150 as ClosedRange<UInt64> { commits += try run(seed, ends: false, processCount: 5, killing: point) }
        #expect(commits > 1000)
    }

    @Test func aPowerCutAtAnyMomentKeepsWhatWasPromised() throws {
        var commits = 0
        for seed in 1001...1200 as ClosedRange<UInt64> { commits += try run(seed, ends: true) }
        #expect(commits > 1000)
    }
}
