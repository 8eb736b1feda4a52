import FreeholdEngine
import Glibc

/// Kills one writer after another at random moments and checks the database after each.
struct KillRounds {
    /// In nanoseconds: a few commits long, so that all moments within a commit are equally likely.
    private static let latestKill = 5_000_000

    private let database: Database
    private let path: String
    private let program: String
    private var random = TourRandom(seed: 7)

    /// Number of writers killed.
    private(set) var kills = 0
    /// Number of writers killed between the begin of a commit and its acknowledgement.
    private(set) var insideCommit = 0
    /// Of those, the number whose commit was complete.
    private(set) var keptWhole = 0
    /// Number of acknowledged commits of all writers.
    private(set) var acknowledged = 0
    /// Errors found.
    private(set) var faults: [String] = []
    /// Times from the kill to the next writer's acknowledged commit.
    private(set) var recoveries = Latencies()

    init(_ database: Database, program: String) {
        self.database = database
        path = database.path
        self.program = program
    }

    /// Starts a writer, kills it, and commits as the next one.
    /// - Parameter isFast: whether it commits without waiting for the disk, so that the kill hits other parts of a
    ///   commit.
    mutating func round(writer: Int, isFast: Bool) throws {
        let options = ["--number", "\(writer)"] + (isFast ? ["--fast"] : [])
        let child = try MemberProcess(program, ["tour-member", "writer", path] + options)
        guard child.nextLine() == "ready" else { return faults.append("writer \(writer) did not start") }
        var progress = Progress()
        let target = 20 + random.next(below: 40)
        while progress.done < target, let line = child.nextLine() { progress.note(line) }
        let moment = Latencies.now() + Int64(random.next(below: Self.latestKill))
        while child.waitForLine(until: moment), let line = child.nextLine() { progress.note(line) }
        child.kill()
        let killed = Latencies.now()
        child.wait()
        try TourWriter.install(try somePackage(), by: writer + 1, 1, in: database, durability: .full)
        recoveries.add(Latencies.now() - killed)
        while let line = child.nextLine() { progress.note(line) }
        try judge(writer: writer, begun: progress.begun, done: progress.done)
    }

    private mutating func judge(writer: Int, begun: Int, done: Int) throws {
        kills += 1
        acknowledged += done
        if begun > done { insideCommit += 1 }
        let snapshot = try database.snapshot()
        let found = try numbers(of: writer, in: snapshot)
        if found == begun, begun > done { keptWhole += 1 }
        if found < done { faults.append("writer \(writer) had \(done) commits acknowledged; \(found) are there") }
        if found > begun { faults.append("writer \(writer) began \(begun) commits; \(found) are there") }
        if let fault = try TourSums.fault(in: snapshot) { faults.append(fault) }
    }

    /// The number of installs of a writer; they must be numbered without gaps.
    private mutating func numbers(of writer: Int, in snapshot: Snapshot) throws -> Int {
        let table = try snapshot.table("Install")
        let (writerColumn, numberColumn) = (try table.column("writer"), try table.column("number"))
        var found = 0
        try table.forEach { row in
            if try row.int(writerColumn) == Int64(writer) {
                found += 1
                if try row.int(numberColumn) != Int64(found) { faults.append("writer \(writer): install \(found) is missing") }
            }
            return true
        }
        return found
    }

    private mutating func somePackage() throws -> ObjectKey {
        let keys = try database.snapshot().table("Package").keys(limit: 100)
        return keys[random.next(below: keys.count)]
    }
}

/// The commits that a writer has reported.
private struct Progress {
    /// The last commit it began.
    private(set) var begun = 0
    /// The last commit that was acknowledged.
    private(set) var done = 0

    mutating func note(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count == 2, let number = Int(words[1]) else { return }
        if words[0] == "begin" { begun = number } else if words[0] == "done" { done = number }
    }
}
