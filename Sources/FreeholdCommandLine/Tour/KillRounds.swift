import FreeholdEngine
import Glibc

/// Kills one writer after another at arbitrary moments and looks at what is there afterwards.
struct KillRounds {
    private let database: Database
    private let path: String
    private let program: String
    private var random = TourRandom(seed: 7)

    /// Writers killed.
    private(set) var kills = 0
    /// Those that had begun a commit and had not been told that it is done.
    private(set) var insideCommit = 0
    /// Of those, the ones whose commit was there, whole.
    private(set) var keptWhole = 0
    /// Commits that had been acknowledged to all of them.
    private(set) var acknowledged = 0
    /// Anything that should not be.
    private(set) var faults: [String] = []
    /// From the kill to the next writer's acknowledged commit.
    private(set) var recoveries = Latencies()

    init(_ database: Database, program: String) {
        self.database = database
        path = database.path
        self.program = program
    }

    /// Starts a writer, kills it, and commits as the next one.
    mutating func round(writer: Int) throws {
        let child = try MemberProcess(program, ["tour-member", "writer", path, "--number", "\(writer)"])
        guard child.nextLine() == "ready" else { return faults.append("writer \(writer) did not start") }
        var (begun, done) = (0, 0)
        let target = 20 + random.next(below: 40)
        while done < target, let line = child.nextLine() { note(line, &begun, &done) }
        spin(nanoseconds: Int64(random.next(below: 3_000_000)))
        child.kill()
        let killed = Latencies.now()
        child.wait()
        try TourWriter.install(try somePackage(), by: writer + 1, 1, in: database)
        recoveries.add(Latencies.now() - killed)
        while let line = child.nextLine() { note(line, &begun, &done) }
        try judge(writer: writer, begun: begun, done: done)
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

    /// How many installs of a writer there are; they have to be numbered without gap.
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

    private func note(_ line: String, _ begun: inout Int, _ done: inout Int) {
        let words = line.split(separator: " ")
        guard words.count == 2, let number = Int(words[1]) else { return }
        if words[0] == "begin" { begun = number } else if words[0] == "done" { done = number }
    }

    /// Lets a little time pass, too little to sleep.
    private func spin(nanoseconds: Int64) {
        let end = Latencies.now() + nanoseconds
        while Latencies.now() < end {}
    }
}
