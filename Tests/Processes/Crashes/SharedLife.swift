import DatabaseKit
@testable import FreeholdEngine
import Platform
import Synchronization
import TestKit

/// One file in the hands of several simulated processes with several threads each, switched at every call and named point: small and large
/// commits until the file is cut and has holes, compaction among the others, values written piece by piece beside them, parked versions,
/// readers that begin sessions, opens under a second name and renames, processes killed anywhere. A `Ledger` records what every version
/// held; `SharedLifeTests` judges the images of crashes.
final class SharedLife {
    let machine: SimulatedSystem
    let ledger = Ledger()
    let options: OpenOptions
    /// From this place of the machine's log on there is a database.
    private(set) var firstPlace = 0
    private(set) var end = RunEnd.finished
    private(set) var deaths = 0
    private let seed: UInt64
    private let size: Size
    private var random: SeededRandom
    private var started = 0

    /// How large the content becomes. Images of large files take longer, so there are fewer of them.
    enum Size: UInt8 {
        case small = 1
        /// The file is cut again and again.
        case large
        /// Holes are made, which takes 4 MiB that are free again.
        case deep
    }

    /// The names that the file may have: its own, the one it is moved to and back from, and a hard link.
    static let paths = ["/shared.freehold", "/moved.freehold", "/linked.freehold"]
    static let schema = ClassSchema("Entry", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("bytes", .data)])
    private static let mostStarted = 6

    init(seed: UInt64, _ size: Size) throws {
        self.seed = seed
        self.size = size
        random = SeededRandom(seed: seed ^ 0x54A6)
        var options = SimulatedSystem.Options(seed: seed)
        options.fileCapacity = 1 << 26
        options.recordsMappedStores = false
        options.switchOneIn = [3, 8, 24].randomElement(using: &random)!
        // Where the file has two names, those who wait for the end of a session under the other one are refused sooner.
        if seed % 2 == 0 { options.timeJumpOneIn = 4 }
        machine = SimulatedSystem(options)
        var open = OpenOptions.simulated(seed: seed)
        open.lockTimeoutMilliseconds = 2000
        if seed % 2 == 1 { open.parkedVersionsLimit = 3 }
        self.options = open
        let process = machine.makeProcess()
        let database = try Database.open(Self.paths[0], open, on: process)
        try database.write { try $0.createClass(Self.schema) }
        let version = try database.snapshot().version.rawValue
        firstPlace = machine.operationCount
        ledger.intends(version, [:], at: firstPlace)
        ledger.acknowledged(version, isDurable: true, at: firstPlace)
        database.close()
        if seed % 2 == 0 { try process.link(Self.paths[0], as: Self.paths[2]) }
    }

    func run() {
        for _ in 0..<3 { start() }
        machine.onStep = { [unowned self] in verdict(on: $0) }
        end = machine.run(stepLimit: 2_000_000)
        machine.onStep = nil
        if end != .finished { ledger.complain("the run ended as \(end): \(machine.unfinished.joined(separator: "; "))") }
        machine.killAllProcesses()
    }

    /// A process with one or two threads. Every third process only reads; where the file has a second name, one in three uses that.
    private func start() {
        started += 1
        let isReader = started % 3 == 0
        let process = machine.makeProcess(isReader ? "reader" : "writer")
        let usesLink = seed % 2 == 0 && started % 3 == (seed % 4 == 0 ? 2 : 0)
        let home = Home(
            ledger: ledger, options: options, path: Self.paths[usesLink ? 2 : 0], isReader: isReader, size: size,
            moves: seed % 5 == 0 && started % 3 == 1)
        // What an encrypted file's threads share locks of the program, which a simulated thread must not wait for.
        let threads = options.encryptionKey == nil ? 2 : 1
        for thread in 0..<threads {
            let seed = seed &* 61 &+ UInt64(started * 8 + thread)
            process.start { Hand(home: home, seed: seed).live($0) }
        }
    }

    private func verdict(on step: Step) -> Verdict {
        if step.name == "open.recovered" { ledger.note("\(step.process.name) begins") }
        guard step.number > 300, started < Self.mostStarted, random.oneIn(size == .small ? 800 : 3000) else { return .proceed }
        deaths += 1
        start()
        return .kill
    }

    /// The bytes of an entry: two bits of the mark tell how many they are.
    static func bytes(_ id: Int64, _ mark: UInt8) -> [UInt8] {
        let count = [40, 3000, 20_000 + Int(id % 5) * 1000, 2 << 20][Int(mark & 3)]
        return [UInt8](repeating: mark, count: count)
    }

    /// How what a version shows differs from everything it may hold; nil if it does not.
    static func difference(_ snapshot: Snapshot, _ meant: [Ledger.Model]) throws -> String? {
        let entries = try snapshot.table("Entry"), column = try entries.column("bytes")
        let keys = try entries.keys().map(\.rawValue)
        for model in meant where model.count == keys.count {
            let isSame = try keys.allSatisfy { id in
                guard let mark = model[id] else { return false }
                return try entries.value(ObjectKey(id), column) == .data(bytes(id, mark))
            }
            if isSame { return nil }
        }
        return "version \(snapshot.version) has \(keys.count) entries; its writers meant \(meant.map(\.count)), or others"
    }
}

/// What the threads of one process share.
private final class Home: Sendable {
    let ledger: Ledger
    let options: OpenOptions
    let path: String
    let isReader: Bool
    let size: SharedLife.Size
    let moves: Bool
    /// The database that one thread opened and another may use.
    let database = Mutex<Database?>(nil)

    init(ledger: Ledger, options: OpenOptions, path: String, isReader: Bool, size: SharedLife.Size, moves: Bool) {
        self.ledger = ledger
        var options = options
        options.createIfMissing = false
        options.readOnly = isReader
        self.options = options
        self.path = path
        self.isReader = isReader
        self.size = size
        self.moves = moves
    }
}

/// One thread of a process.
private struct Hand {
    let home: Home
    var random: SeededRandom

    init(home: Home, seed: UInt64) {
        self.home = home
        random = SeededRandom(seed: seed)
    }

    private var ledger: Ledger { home.ledger }

    /// Comes and goes a few times. Others may be too slow, be in the file under another name, or have moved it; a reader cannot begin a session
    /// while the last writers' flush is not finished.
    func live(_ process: SimulatedProcess) {
        var hand = self
        for _ in 0..<3 {
            do { try hand.visit(process) } catch let error as FreeholdError
                where [.busy, .notYetDurable, .inUse, .fileReplaced, .notFound].contains(error.code) || home.isReader && error.code == .readOnly {
                if error.code == .notFound { try? process.renameFile(SharedLife.paths[1], toNew: SharedLife.paths[0]) }
                hand.ledger.note("refused with \(error.code.rawValue)")
                process.sleep(milliseconds: 3)
            } catch {
                ledger.complain("\(error)")
            }
        }
    }

    private mutating func visit(_ process: SimulatedProcess) throws {
        let database: Database
        if random.oneIn(2), let shared = home.database.withLock({ $0 }) {
            database = shared
        } else {
            database = try Database.open(home.path, home.options, on: process)
            home.database.withLock { $0 = random.oneIn(2) ? database : $0 }
        }
        ledger.note(home.isReader ? "reader" : "writer")
        defer { home.database.withLock { if $0 === database { $0 = nil } } }
        let lasting = try database.snapshot()
        if home.size != .small, !home.isReader, random.oneIn(2) {
            try fill(database, process, home.size == .large ? 12 : 3, home.size.rawValue)
            try ebb(database, process)
        }
        for _ in 0..<Int.random(in: 3...8, using: &random) {
            if home.isReader || random.oneIn(6) {
                try resume(lasting)
                try read(lasting, process)
                if random.oneIn(2) { try lasting.refresh() }
                if random.oneIn(3) { try lasting.park() }
            } else {
                try change(database, process)
            }
        }
        try resume(lasting)
        try read(lasting, process)
    }

    /// Holds a parked version for certain again. If commits have taken it away, the newest one takes its place.
    private func resume(_ snapshot: Snapshot) throws {
        guard snapshot.isParked else { return }
        do throws(FreeholdError) { try snapshot.resume() } catch {
            guard error.code == .revoked else { throw error }
            ledger.note("revoked")
            return try snapshot.begin()
        }
        ledger.note("resumed")
    }

    private mutating func change(_ database: Database, _ process: SimulatedProcess) throws {
        switch Int.random(in: 0..<18, using: &random) {
        case 0..<6:
            try fill(database, process, Int.random(in: 1...4, using: &random), 0)
        case 6..<8:
            try fill(database, process, Int.random(in: 5...15, using: &random), 1)
        case 8..<10:
            try fill(database, process, home.size == .large ? 12 : 3, home.size.rawValue)
            if home.size != .small { try ebb(database, process) }
        case 10..<12:
            try keep(database, process, Int.random(in: 0...6, using: &random))
        case 12, 13:
            for _ in 0..<8 { try fill(database, process, 1, 0) }
        case 14:
            // The newest entries stand at the end of the file: what is left has somewhere to go.
            try fill(database, process, 60, 1)
            try keep(database, process, 3)
            for _ in 0..<2 { try fill(database, process, 1, 0) }
            if try database.compact().movedBlocks > 0 { ledger.note("compaction") }
        case 15, 16:
            try stream(database, process)
        default:
            if home.moves { try move(process) } else { try keep(database, process, 1) }
        }
    }

    /// Inserts entries of one size.
    private mutating func fill(_ database: Database, _ process: SimulatedProcess, _ count: Int, _ size: UInt8) throws {
        let mark = UInt8.random(in: 1...63, using: &random) << 2 | size
        try commit(database, process) { transaction, draft in
            let entries = try transaction.table("Entry"), first = (draft.keys.max() ?? 0) + 1
            for id in first..<first + Int64(count) {
                _ = try transaction.insert(into: entries, values: [.int(id), .data(SharedLife.bytes(id, mark))])
                draft[id] = mark
            }
        }
    }

    /// Inserts an entry whose bytes were written outside the writer lock. One in six is cancelled, or forgotten by a death.
    private mutating func stream(_ database: Database, _ process: SimulatedProcess) throws {
        let mark = UInt8.random(in: 1...63, using: &random) << 2 | (home.size == .deep ? 3 : 2), part = Int64.random(in: 0..<5, using: &random)
        var rest = SharedLife.bytes(part, mark)[...]
        // Where nobody knows how much will come, 4 MiB are reserved.
        let isExpected = home.size == .small || random.oneIn(2)
        let value = try database.beginLargeValue(expectedByteCount: isExpected ? rest.count : nil)
        while !rest.isEmpty {
            let count = Int.random(in: 1...max(rest.count, 2) / 2 + 1, using: &random)
            try value.write(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
            process.point("test.streaming")
        }
        if random.oneIn(6) {
            ledger.note("stream cancelled")
            return value.cancel()
        }
        try value.finish()
        try commit(database, process) { transaction, draft in
            let entries = try transaction.table("Entry")
            // The bytes depend on the id's part.
            var id = (draft.keys.max() ?? 0) + 1
            while id % 5 != part { id += 1 }
            let key = try transaction.insert(into: entries, values: [.int(id), .data([])])
            try transaction.set(key, in: entries, entries.column("bytes"), to: value)
            draft[id] = mark
        }
        ledger.note("stream attached")
    }

    /// Deletes most and commits little so often that the file is cut, or gets holes before what is left.
    private mutating func ebb(_ database: Database, _ process: SimulatedProcess) throws {
        if home.size == .deep { try fill(database, process, 2, 1) }
        try keep(database, process, home.size == .deep ? 2 : 0)
        for _ in 0..<(home.size == .deep ? 70 : 18) { try fill(database, process, 1, 0) }
    }

    /// Deletes all entries but the newest few.
    private mutating func keep(_ database: Database, _ process: SimulatedProcess, _ count: Int) throws {
        try commit(database, process) { transaction, draft in
            let entries = try transaction.table("Entry")
            for id in draft.keys.sorted().dropLast(count) {
                try transaction.delete(ObjectKey(id), from: entries)
                draft[id] = nil
            }
        }
    }

    private mutating func commit(
        _ database: Database, _ process: SimulatedProcess, _ body: (WriteTransaction, inout Ledger.Model) throws -> Void
    ) throws {
        let durability: Durability = random.oneIn(3) ? .full : .processCrash
        let isRolledBack = random.oneIn(24)
        let transaction = try database.beginWrite()
        let found = ledger.began(transaction.lease.newest.version, at: process.machine.operationCount)
        let version = transaction.version.rawValue
        do {
            let keys = try Set(transaction.table("Entry").keys().map(\.rawValue))
            guard var draft = found.first(where: { Set($0.keys) == keys }) else {
                ledger.complain("a writer begins with \(keys.count) entries in version \(transaction.lease.newest.version), not \(found.map(\.count))")
                return transaction.rollback()
            }
            let before = draft
            try body(transaction, &draft)
            // A commit that changes nothing makes no version.
            if isRolledBack || draft == before { return transaction.rollback() }
            ledger.intends(version, draft, at: process.machine.operationCount)
            try transaction.commit(durability)
        } catch let error as FreeholdError where error.code == .notYetDurable {
            ledger.acknowledged(version, isDurable: false, at: process.machine.operationCount)
            throw error
        } catch {
            if !transaction.isFinished { transaction.rollback() }
            throw error
        }
        ledger.acknowledged(version, isDurable: durability == .full, at: process.machine.operationCount)
    }

    private func read(_ snapshot: Snapshot, _ process: SimulatedProcess) throws {
        let meant = ledger.contents(of: snapshot.version.rawValue, at: process.machine.operationCount)
        process.point("test.reading")
        if let difference = try SharedLife.difference(snapshot, meant) { ledger.complain("a reader: \(difference)") }
    }

    /// The file is moved, and soon back. Nobody else makes one in its place.
    private func move(_ process: SimulatedProcess) throws {
        let paths = SharedLife.paths
        guard (try? process.renameFile(paths[0], toNew: paths[1])) != nil else { return }
        ledger.note("move")
        process.sleep(milliseconds: 2)
        try? process.renameFile(paths[1], toNew: paths[0])
    }
}
