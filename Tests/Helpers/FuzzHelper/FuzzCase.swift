import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit

/// One damaged database, and what everybody makes of it.
///
/// Cases are told by a number, which decides all of it.
final class FuzzCase {
    enum Kind: String {
        /// Damage without regard to checksums: errors or right answers.
        case damage
        /// Forged blocks with right checksums: errors or any answers.
        case forgery
        /// Forged blocks that share their children, so that walking all paths would never end: errors or any answers.
        case sharing
        /// Forged blocks of full-text indexes and indexes of places with right checksums: errors or any answers.
        case index
        /// A damaged lock file, before or after opening.
        case lock
    }

    let kind: Kind
    let number: UInt64
    let base: Base
    var random: SeededRandom
    private(set) var complaints: [String] = []
    private(set) var errors = 0
    private(set) var answers = 0
    private var story = ""

    init(_ kind: Kind, _ number: UInt64, _ base: Base) {
        self.kind = kind
        self.number = number
        self.base = base
        random = SeededRandom(seed: number &* 0x2545_F491_4F6C_DD1D &+ 99)  // Safe: any seed will do.
    }

    func run() {
        do {
            switch kind {
            case .lock: try runLock()
            // Real files fault where mappings end, and a simulated machine's do not.
            case .damage, .forgery, .sharing, .index: try number % 16 == 0 ? runReal() : runSimulated()
            }
        } catch {
            complaints.append("unexpected: \(error)")
        }
    }

    private func damagedBytes() -> [UInt8] {
        if kind == .forgery || kind == .sharing || kind == .index {
            var forgery = Forgery(base, random: random)
            switch kind {
            case .sharing: forgery.shareChildren()
            case .index: forgery.strikeIndexes()
            default: forgery.strike()
            }
            story = forgery.description
            return forgery.bytes
        }
        var damage = Damage(base, random: random)
        damage.strike()
        if number % 3 == 0 { damage.strike() }
        story = damage.description
        return damage.bytes
    }

    private func runSimulated() throws {
        let machine = base.machine.image(boot: number % 2 == 0 ? .same : .next)
        defer { machine.discard() }
        try Base.write(damagedBytes(), to: Base.path, on: machine.makeProcess())
        try runFile(at: Base.path) { machine.makeProcess() }
    }

    private func runReal() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("fuzz.freehold")
        try Base.write(damagedBytes(), to: path, on: LinuxSystem.shared)
        try runFile(at: path) { LinuxSystem.shared }
    }

    private func runFile(at path: String, _ makeProcess: () -> any System) throws {
        let before = try Base.read(path, on: makeProcess())
        open(path, readOnly: true, on: makeProcess()) { look(at: $0) }
        if try Base.read(path, on: makeProcess()) != before { complain("a read-only open wrote") }
        open(path, readOnly: false, on: makeProcess()) { database in
            look(at: database)
            change(database)
        }
        open(path, readOnly: false, on: makeProcess()) { look(at: $0, isChanged: true) }
        if kind == .index { salvage(path, on: makeProcess()) }
    }

    private func salvage(_ path: String, on system: any System) {
        let survey = Survey(expecting: nil)
        survey.attempt("salvage") { _ = try Database.salvage(from: path, to: path + ".new", base.openOptions, on: system) }
        note(survey)
    }

    /// Adds what a survey has found.
    func note(_ survey: Survey) {
        errors += survey.errors
        answers += survey.answers
        for complaint in survey.complaints { complain(complaint) }
    }

    func open(_ path: String, readOnly: Bool, on system: any System, _ body: (Database) -> Void) {
        var options = base.openOptions
        options.readOnly = readOnly
        options.createIfMissing = false
        options.lockTimeoutMilliseconds = 200
        do {
            let database = try Database.open(path, options, on: system)
            body(database)
            database.close()
        } catch {
            errors += 1
        }
    }

    /// The state that a version must show; nil if anything goes.
    private func expected(_ snapshot: Snapshot) -> NaiveDatabase? {
        if kind == .forgery || kind == .sharing || kind == .index { return nil }
        if let state = committed[snapshot.version.rawValue] { return state }
        if let state = base.states[snapshot.version.rawValue] { return state.model }
        complain("version \(snapshot.version) never was")
        return nil
    }

    /// What this case's own commits left.
    private var committed: [UInt64: NaiveDatabase] = [:]

    func look(at database: Database, isChanged: Bool = false) {
        if kind == .index { return search(database, &random) }
        do {
            let snapshot = try database.snapshot()
            let survey = Survey(expecting: expected(snapshot))
            survey.look(at: snapshot)
            survey.attempt("information") { _ = try database.information() }
            survey.attempt("check") { if try !database.check().isClean { errors += 1 } }
            note(survey)
        } catch {
            errors += 1
        }
    }

    func change(_ database: Database) {
        if kind == .index { return rewrite(database, &random) }
        do {
            let version = try database.snapshot().version.rawValue
            guard var history = base.states[version] ?? base.states[base.states.keys.max()!] else { return }
            for _ in 0..<2 {
                try history.transact(on: database, durability: random.oneIn(2) ? .full : .processCrash)
                committed[try database.snapshot().version.rawValue] = history.model
            }
            answers += 1
        } catch is FreeholdError {
            errors += 1
        } catch {
            if kind == .damage { complain("while writing: \(error)") }
        }
    }

    func complain(_ text: String) { complaints.append("\(text) (\(story))") }

    // MARK: The lock file

    /// What it says is rebuilt or refused; while it is open, whatever it turns into must not bring anybody down.
    private func runLock() throws {
        let machine = base.machine.image(boot: .same)
        defer { machine.discard() }
        let lock = Base.path + ".lock"
        if number % 2 == 0 {
            try disturb(lock, on: machine.makeProcess())
            open(Base.path, readOnly: number % 4 == 0, on: machine.makeProcess()) { look(at: $0) }
        }
        open(Base.path, readOnly: false, on: machine.makeProcess()) { database in
            look(at: database)
            do { try disturb(lock, on: machine.makeProcess()) } catch { return complain("\(error)") }
            look(at: database)
            change(database)
            open(Base.path, readOnly: false, on: machine.makeProcess()) { other in
                look(at: other)
                change(other)
            }
        }
    }

    private func disturb(_ path: String, on system: any System) throws {
        guard try system.status(of: path) != nil else { return }
        var bytes = try Base.read(path, on: system)
        guard !bytes.isEmpty else { return }
        for _ in 0..<Int.random(in: 1...40, using: &random) {
            let place = Int.random(in: 0..<(random.oneIn(2) ? min(bytes.count, 1024) : bytes.count), using: &random)
            bytes[place] = random.oneIn(3) ? 0xff : UInt8.random(in: .min ... .max, using: &random)
        }
        try Base.write(bytes, to: path, on: system)
    }
}
