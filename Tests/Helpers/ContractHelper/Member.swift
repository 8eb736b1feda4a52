import ContractKit
import FreeholdEngine
import Glibc
import Platform

/// What a process of a crew does over and over.
enum Role: String {
    /// Appends entries, each durable.
    case fullWriter = "full-writer"
    /// Appends entries that survive killed processes.
    case fastWriter = "fast-writer"
    /// Looks whether what it sees adds up, and never goes backwards.
    case reader
    /// The same, without permission to write.
    case guest
    /// Sleeps until somebody commits.
    case waiter
    /// Hears of commits through a descriptor.
    case listener
}

/// A process of a crew: opens the database, does some rounds of its role, closes it, and so on.
///
/// Input: `mark N` is answered by `M N` once a whole round has been done after it; `holders` by the ids of the
/// processes that hold versions; `stop` ends it. Output: `A writer sequence version` for each acknowledged commit, `E …`
/// for what must not be.
final class Member {
    private let role: Role
    private let path: String
    private let number: Int64
    private let roundsPerLife: Int
    private let witness: Witness
    private var input = LineReader()
    private var sequence: Int64 = 0
    private var version = Version.zero
    private var entries = 0
    private var rounds = 0
    private var marks: [String] = []

    /// Whether it is to be struck while the file grows, which a writer of short notes seldom sees to.
    private let isToGrow = ["FREEHOLD_KILL_AT", "FREEHOLD_STOP_AT"].contains { (name: String) in
        getenv(name).map { String(cString: $0).hasPrefix("grow") } ?? false
    }

    /// A victim whose point never comes gives up after so many rounds (before its words fill the pipe to the test).
    private static let victimPatience = 200

    init(_ role: Role, path: String, number: Int64, roundsPerLife: Int) throws {
        self.role = role
        self.path = path
        self.number = number
        self.roundsPerLife = roundsPerLife
        let witness = try Witness(path + ".witness")
        self.witness = witness
        PointTriggers.shared.setHook { name in
            showPoint(name)
            if name.description == Witness.leavingPoint { witness.leave() }
        }
    }

    func run() throws {
        Console.say("ready")
        while input.next(waitMilliseconds: -1) != "go", !input.isAtEnd {}
        while try live() {}
        Console.say("stopped")
    }

    /// One opening of the database; false if it was the last one.
    private func live() throws -> Bool {
        var options = Ledger.options(for: path)
        options.lockTimeoutMilliseconds = 60_000
        options.readOnly = role == .guest
        let database = try Database.open(path, options)
        defer { database.close() }
        if role != .guest { try Ledger.prepare(database) }
        let listener = role == .listener ? try database.listen() : nil
        for _ in 0..<roundsPerLife {
            try round(database, listener)
            rounds += 1
            for mark in marks { Console.say("M \(mark)") }
            marks = []
            guard try obey(database) else { return false }
            if roundsPerLife < 1000, rounds >= Self.victimPatience { throw Complaint("it is never passed") }
        }
        return true
    }

    private func round(_ database: Database, _ listener: ChangeListener?) throws {
        switch role {
        case .fullWriter: try append(database, .full)
        case .fastWriter: try append(database, .processCrash)
        case .reader, .guest: break
        case .waiter:
            if let seen = try database.waitForChange(after: version, timeoutMilliseconds: 300) { try advance(to: seen) }
        case .listener:
            if let seen = try listener?.wait(timeoutMilliseconds: 300), seen > version { try advance(to: seen) }
        }
        if role == .reader || role == .guest || rounds % 4 == 0 { try look(database) }
    }

    private func append(_ database: Database, _ durability: Durability) throws {
        let made = try Ledger.append(
            to: database, writer: number, sequence: sequence + 1, durability,
            noteLength: isToGrow ? 40_000 : sequence % 4 == 0 ? 6000 : 20, witness: witness)
        sequence += 1
        Console.say("A \(number) \(sequence) \(made)")
        guard witness.overlapCount == 0 else { throw Complaint("two writers were inside") }
        guard try database.snapshot().version >= made || durability == .full else {
            throw Complaint("version \(made) is not seen by the process that made it")
        }
    }

    private func look(_ database: Database) throws {
        let snapshot = try database.snapshot()
        let sight = try Ledger.examine(snapshot)
        guard sight.entries >= entries else { throw Complaint("\(sight.entries) entries after \(entries)") }
        entries = sight.entries
        guard role == .reader || role == .guest else { return }
        try advance(to: sight.version)
    }

    private func advance(to seen: Version) throws {
        guard seen >= version else { throw Complaint("version \(seen) after \(version)") }
        version = seen
    }

    /// Does what was said meanwhile; false to stop.
    private func obey(_ database: Database) throws -> Bool {
        while let line = input.next(waitMilliseconds: 2) {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "mark": marks.append(words[1])
            case "holders":
                let holders = try database.information().holders
                Console.say("H" + holders.map { " \($0.processIdentifier)" }.joined())
            default: return false
            }
        }
        return !input.isAtEnd
    }
}

/// Leaves the point last passed where `/proc` shows it: as the thread's name, by its last fifteen letters.
private func showPoint(_ name: StaticString) {
    _ = String(name.description.suffix(15)).withCString { setThreadName(pthread_self(), $0) }
}

// Glibc shows it to programs in GNU's dialect of C only.
@_silgen_name("pthread_setname_np")
private func setThreadName(_ thread: pthread_t, _ name: UnsafePointer<CChar>) -> Int32
