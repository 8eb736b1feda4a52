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
        let found = ToyStore.read(try session.readers.claim().pin(), session)
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

    /// As if the file system were mounted anew under another number, while its pages stay in the cache.
    private func renumberDevice(_ machine: SimulatedSystem) throws {
        let file = try machine.makeProcess().openFile(Self.path, .readWrite)
        func change<Record: HeaderRecord>(_ type: Record.Type, at offset: Int, _ body: (inout Record) -> Void) throws {
            var bytes = [UInt8](repeating: 0, count: Record.byteCount)
            _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
            guard var record = bytes.withUnsafeBytes({ Record.read(at: $0.baseAddress!) }) else { return }
            body(&record)
            try record.withBytes { bytes throws(SystemError) in try file.write(bytes, at: offset) }
        }
        for slot in FileLayout.volatileSlots { try change(VolatileRecord.self, at: slot) { $0.place.device += 1 } }
        try change(InUseRecord.self, at: FileLayout.inUse) { $0.place.device += 1 }
        try change(PoisonRecord.self, at: FileLayout.poison) { $0.place.device += 1 }
        file.close()
    }

    @Test("counts though the device has another number", arguments: [false, true])
    func anotherDevice(isRenumbered: Bool) throws {
        for seed in 0..<20 as Range<UInt64> {
            let machine = SimulatedSystem(seed: seed)
            machine.options.recordsMappedStores = false
            let process = machine.makeProcess(), session = try open(process)
            let durable = try ToyStore.commit(session, .full, mark: 1)
            machine.inject(FaultRule(.synchronize, code: ErrorNumber.inputOutput, pathEnding: ".freehold", times: 1))
            #expect(throws: FreeholdError.self) { try ToyStore.commit(session, .full, mark: 2) }
            process.leak(session)
            machine.killAllProcesses()
            if isRenumbered { try renumberDevice(machine) }
            let next = machine.makeProcess(), reopened = try open(next)
            let found = ToyStore.read(try reopened.readers.claim().pin(), reopened)
            #expect(found?.mark == 1, "seed \(seed): what a failed flush may have lost was believed")
            let last = try ToyStore.commit(reopened, .full, mark: 3)
            next.leak(reopened)
            machine.killAllProcesses()
            let image = machine.image(surviving: .none)
            let after = try open(image.makeProcess())
            #expect(ToyStore.read(try after.readers.claim().pin(), after)?.mark == 3, "seed \(seed)")
            #expect(last.counter == durable.counter + 1)
            try after.close()
            image.discard()
            machine.discard()
        }
    }

    /// A snapshot of a volume has another device number too, and nobody can write there.
    @Test("keeps no reader out of a snapshot that was made in a flush", arguments: ["flush.rootWritten", "flush.synced"])
    func snapshotOfAVolume(point: String) throws {
        let machine = SimulatedSystem(seed: 3)
        machine.options.recordsMappedStores = false
        let process = machine.makeProcess(), session = try open(process)
        try ToyStore.commit(session, .full, mark: 1)
        process.start { _ in _ = try? ToyStore.commit(session, .full, mark: 2) }
        machine.onStep = { $0.name == point ? .kill : .proceed }
        #expect(machine.run() == .finished)
        machine.onStep = nil
        process.leak(session)
        machine.killAllProcesses()
        var options = SimulatedTests.options()
        options.readOnly = true
        // In its own place somebody may come who can write.
        let refusal = #expect(throws: FreeholdError.self) { try ToyStore.open(Self.path, options, machine.makeProcess()) }
        #expect(refusal?.code == .readOnly)
        try renumberDevice(machine)
        let reader = try ToyStore.open(Self.path, options, machine.makeProcess())
        #expect(ToyStore.read(try reader.readers.claim().pin(), reader)?.mark == 1)
        // A writer that joins makes the other commit durable, and visible.
        let writer = try open(machine.makeProcess())
        #expect(try ToyStore.commit(writer, .full, mark: 3).counter == 3)
        try writer.close()
        try reader.close()
        machine.discard()
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
