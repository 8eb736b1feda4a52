import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit

/// Simulated processes at work on one file, with a fate that a seed decides; see `InterleavingTests`.
final class Crowd {
    let chronicle = Chronicle()
    private(set) var deathsAtPoint = 0
    private(set) var trace: UInt64 = 0
    private(set) var end = RunEnd.finished
    private let seed: UInt64
    private let point: String?
    private let machine: SimulatedSystem
    private var random: SeededRandom
    /// Stopped processes, and the step at which each goes on.
    private var stopped: [(process: SimulatedProcess, until: Int)] = []
    /// How often the point is still passed unharmed.
    private var passings = 0
    private var started = 0
    private var deaths = 0

    private static let path = "/crowd.freehold"
    private static let most = 8

    /// - Parameter point: where processes are to be killed; without it they are killed and stopped anywhere.
    init(seed: UInt64, point: String? = nil) {
        self.seed = seed
        self.point = point
        var options = SimulatedSystem.Options(seed: seed)
        options.fileCapacity = 1 << 26
        options.recordsMappedStores = false
        random = SeededRandom(seed: seed ^ 0xC0FFEE)
        options.switchOneIn = [2, 4, 16].randomElement(using: &random)!
        machine = SimulatedSystem(options)
    }

    var complaints: [String] { chronicle.complaints }

    func run() throws {
        defer { machine.discard() }
        for _ in 0..<4 { start() }
        // Three of four end in the middle: those who close make everything durable.
        let lastStep = random.oneIn(4) ? Int.max : Int.random(in: 100..<1500, using: &random)
        machine.onStep = { [unowned self] in $0.number >= lastStep ? .powerCut : verdict(on: $0) }
        end = runToItsEnd()
        machine.onStep = nil
        trace = machine.trace
        if end == .finished && deaths == 0 { chronicle.everybodyClosed() }
        guard end == .finished || end == .powerCut else {
            return chronicle.complain("the run ended as \(end): \(machine.unfinished.joined(separator: "; "))")
        }
        try judge(isCutOff: end == .powerCut)
    }

    /// Stopped processes go on when nobody else can.
    private func runToItsEnd() -> RunEnd {
        while true {
            let end = machine.run(stepLimit: 400_000)
            if end != .idle || stopped.isEmpty { return end }
            for (process, _) in stopped { process.resume() }
            stopped = []
        }
    }

    private func start() {
        started += 1
        // A process in another namespace makes all take byte locks.
        let namespace: UInt64 = seed % 4 == 0 && started % 3 == 0 ? 2 : 1
        let isMereReader = started % 4 == 3
        let life = Life(
            chronicle: chronicle, seed: seed &* 31 &+ UInt64(started), isMereReader: isMereReader, options: .simulated(seed: seed))
        machine.makeProcess(isMereReader ? "reader" : "worker", namespace: namespace).start { life.live($0, at: Self.path) }
    }

    private func verdict(on step: Step) -> Verdict {
        stopped.removeAll { entry in
            guard entry.until < step.number else { return false }
            entry.process.resume()
            return true
        }
        if let point {
            guard started < Self.most else { return .proceed }
            // Somebody must have died before there is anything to reap.
            if deaths == 0, point.hasPrefix("reap"), step.number > 200, random.oneIn(100) { return kill() }
            guard step.isPoint, step.name == point else { return .proceed }
            passings -= 1
            guard passings < 0 else { return .proceed }
            deathsAtPoint += 1
            passings = Int.random(in: 0...3, using: &random)
            return kill()
        }
        guard step.number > 50 else { return .proceed }
        if random.oneIn(700), started < Self.most { return kill() }
        if random.oneIn(500), stopped.isEmpty {
            stopped.append((step.process, step.number + Int.random(in: 20...2000, using: &random)))
            return .stop
        }
        return .proceed
    }

    /// Somebody comes for each who dies.
    private func kill() -> Verdict {
        deaths += 1
        start()
        return .kill
    }

    /// Looks at what is left, and whether it can be gone on with.
    private func judge(isCutOff: Bool) throws {
        machine.killAllProcesses()
        let isSameBoot = !isCutOff && random.oneIn(3)
        let surviving: [SurvivingWrites] = [.none, .sectors(seed: seed), .torn(seed: seed)]
        let next = isSameBoot ? machine : machine.image(surviving: surviving.randomElement(using: &random)!)
        defer { if next !== machine { next.discard() } }
        do {
            let process = next.makeProcess()
            let database = try Database.open(Self.path, .simulated(seed: seed), on: process)
            defer { database.close() }
            let snapshot = try database.snapshot()
            chronicle.judge(snapshot.version.rawValue, try Shelf.read(snapshot), afterPowerCut: !isSameBoot)
            snapshot.end()
            let handle = ChronicledHandle(database, chronicle) { _ in }
            if isSameBoot { try handle.write(.full, &random, isToBeRolledBack: false) }
            let report = try database.check()
            if !report.isClean { chronicle.complain("the checker finds \(report.problems.prefix(3))") }
            let holders = try database.information().holders.filter { $0.processIdentifier != process.process.id }
            if !holders.isEmpty { chronicle.complain("still held: \(holders)") }
        } catch {
            chronicle.complain("afterwards: \(error)")
        }
    }
}

/// What one process does between opening and closing.
private struct Life {
    let chronicle: Chronicle
    let seed: UInt64
    let isMereReader: Bool
    let options: OpenOptions

    func live(_ process: SimulatedProcess, at path: String) {
        do {
            let database = try Database.open(path, options, on: process)
            let handle = ChronicledHandle(database, chronicle) { process.point($0) }
            try work(database, handle)
            database.close()
        } catch let error as FreeholdError where error.code == .busy || error.code == .notYetDurable {
            // A stopped process makes others run out of time.
        } catch {
            chronicle.complain("\(error)")
        }
    }

    private func work(_ database: Database, _ handle: ChronicledHandle) throws {
        var random = SeededRandom(seed: seed)
        var listener: ChangeListener?
        let lasting = try database.snapshot()
        handle.take(lasting)
        for _ in 0..<Int.random(in: 4...14, using: &random) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<4 where !isMereReader:
                let durability: Durability = random.oneIn(2) ? .full : .processCrash
                try handle.write(durability, &random, isToBeRolledBack: random.oneIn(10))
            case 4:
                if listener == nil { listener = try database.listen() }
                handle.hear(try listener?.wait(timeoutMilliseconds: 50))
            case 5:
                handle.hear(try database.waitForChange(after: lasting.version, timeoutMilliseconds: 50))
            case 6:
                try handle.read(lasting, times: 1)
                try lasting.refresh()
                handle.take(lasting)
            default:
                let snapshot = try database.snapshot()
                handle.take(snapshot)
                try handle.read(snapshot, times: 2)
            }
        }
        withExtendedLifetime((lasting, listener)) {}
    }
}
