import FreeholdEngine
import FreeholdImport
import FreeholdTools
import Glibc

/// The tour, printed while it runs.
struct Tour {
    let databasePath: String
    private let seconds: Double
    private let kills: Int
    private let cProgram: String?
    private let program: String
    private let output = Output.standard
    /// Errors found, printed at the end.
    private(set) var faults: [String] = []

    init(databasePath: String, seconds: Double, kills: Int, cProgram: String?) throws {
        self.databasePath = databasePath
        self.seconds = seconds
        self.kills = kills
        self.cProgram = cProgram
        program = "/proc/self/exe"
    }

    /// Runs every part.
    mutating func run(data: String?) throws {
        let start = Figures.now()
        try say("Freehold: an object database in one file that many programs share at once.")
        let database = try load(data)
        defer { database.close() }
        try workTogether(database)
        try judge(database)
        try say("\nThe tour took \(Figures.fixed(Figures.now() - start, 1)) s.")
    }

    // MARK: 1

    private func load(_ data: String?) throws -> Database {
        try say("\n1. Real data: the packages of this machine, their sections and dependencies")
        let list = try PackageList(path: data)
        let start = Figures.now()
        let database = try Database.open(databasePath)
        var loader = PackageLoader()
        try loader.load(list, into: database)
        let took = Figures.now() - start
        try say("   \(list.path): \(Figures.bytes(list.byteCount)) of text")
        try say("   \(Figures.count(loader.packageCount, "package")), \(Figures.count(loader.sectionCount, "section")), "
            + "\(Figures.count(loader.dependencyCount, "dependency", plural: "dependencies")), stored as linked objects, durable after \(Figures.duration(took))")
        try showMostNeeded(try database.snapshot())
        return database
    }

    /// Answers a question by following links backwards.
    private func showMostNeeded(_ snapshot: Snapshot) throws {
        let start = Figures.now()
        let packages = try snapshot.table("Package")
        let dependencies = try snapshot.table("Dependency")
        let needs = try dependencies.column("needs")
        var needed: [(key: ObjectKey, count: Int)] = []
        for key in try packages.keys() { needed.append((key, try dependencies.backlinkCount(to: key, from: needs))) }
        needed.sort { $0.count > $1.count }
        let name = try packages.column("name")
        let names = try needed.prefix(4).map { "\(ValueText.format(try packages.value($0.key, name))) (\($0.count))" }
        try say("   Needed by most: \(names.joined(separator: ", ")); found over all packages in \(Figures.duration(Figures.now() - start))")
    }

    // MARK: 2 and 3

    private mutating func workTogether(_ database: Database) throws {
        try say("\n2. Several programs use that file at the same time for \(Figures.fixed(seconds, 0)) s")
        try say("   The writer \"installs\" packages: each commit adds an object, changes two others, and is durable before it is acknowledged.")
        try say("   Readers look up packages and follow links without waiting for the writer. Each also verifies sums that agree only between commits.")
        let readers = try (1...3).map { try member("reader", number: $0) }
        let watcher = try member("watcher", number: 1)
        let writer = try member("writer", number: 1)
        let client = try cProgram.map { try MemberProcess($0, [databasePath]) }
        let deadline = Figures.now() + seconds
        // The writer reports every commit; reading its lines also keeps the loop going until time is up.
        while Figures.now() < deadline, writer.nextLine() != nil {}
        let writing = try end(writer, "writer")
        var rounds = KillRounds(database, program: program)
        try sayKills()
        for round in 0..<kills { try rounds.round(writer: 100 + 2 * round, isFast: round % 2 == 1) }
        let reading = try readers.enumerated().map { try end($1, "reader \($0 + 1)") }
        let watching = try end(watcher, "watcher")
        try show(rounds)
        try show(writing, reading, watching)
        if let client { try show(client) }
    }

    private func sayKills() throws {
        try say("\n3. Meanwhile, \(Figures.count(kills, "more writer")), each killed (kill -9) at a random moment and replaced by the next at once")
        try say("   Every second one commits without waiting for the disk: its commits survive a killed program, but maybe not a power cut.")
        try say("   The readers and the watcher keep running.")
    }

    private mutating func show(_ rounds: KillRounds) throws {
        guard kills > 0 else { return }
        let undone = rounds.insideCommit - rounds.keptWhole
        try say("   \(rounds.kills) killed, \(rounds.insideCommit) of them inside a commit: \(undone) of those commits left no trace, \(rounds.keptWhole) are complete.")
        try say("   \(Figures.count(rounds.acknowledged, "acknowledged commit")) by them, \(rounds.faults.isEmpty ? "all present" : "SOME ARE MISSING").")
        try say("   From the kill to the next writer's commit on disk: p50 \(Figures.duration(rounds.recoveries.percentile(50))), "
            + "worst \(Figures.duration(rounds.recoveries.percentile(100))).")
        faults += rounds.faults
    }

    private func show(_ writing: [String: Double], _ reading: [[String: Double]], _ watching: [String: Double]) throws {
        var table = TextTable([
            .init(heading: "program"), .init(heading: "did"), .init(heading: "a second", isNumeric: true),
            .init(heading: "p50", isNumeric: true), .init(heading: "p99", isNumeric: true),
        ])
        func add(_ name: String, _ did: String, _ count: String, _ figures: [String: Double]) {
            let rate = figures["seconds"].map { Figures.fixed((figures[count] ?? 0) / max($0, 1e-9), 0) } ?? ""
            table.add([name, did, rate, Figures.duration(figures["p50"] ?? 0), Figures.duration(figures["p99"] ?? 0)])
        }
        func number(_ figures: [String: Double], _ name: String) -> String { Figures.grouped(Int(figures[name] ?? 0)) }
        add("writer", "\(number(writing, "commits")) commits, each durable", "commits", writing)
        for (index, figures) in reading.enumerated() {
            add("reader \(index + 1)", "\(number(figures, "visits")) lookups in \(number(figures, "snapshots")) versions, \(number(figures, "sums")) sums", "visits", figures)
        }
        add("watcher", "woken \(number(watching, "wakes")) times for \(number(watching, "versions")) commits", "wakes", watching)
        try say("\n   Results (p50: half took no longer; p99: all but one in a hundred):")
        for line in table.lines() { try say("     " + line) }
        try say("   The watcher's times start with the begin of the commit in the other program and include its flush to disk.")
    }

    /// Prints the output of the C program.
    private mutating func show(_ client: MemberProcess) throws {
        client.letGo()
        try say("\n   The C program, on the same file through libfreehold:")
        while let line = client.nextLine() { try say("     " + DisplayText.visible(line)) }
        let code = client.wait()
        if code != 0 { faults.append("the C program ended with code \(code)") }
    }

    // MARK: 4

    private mutating func judge(_ database: Database) throws {
        try say("\n4. Is the file intact?")
        if let fault = try TourSums.fault(in: try database.snapshot()) { faults.append(fault) }
        let start = Figures.now()
        let report = try database.check()
        faults += report.problems.map(\.description)
        if faults.isEmpty {
            try say("   Checked every block, index, link and free page in \(Figures.duration(Figures.now() - start)): clean.")
            try say("   (\(report.summary)). Every sum agreed in every version read.")
        } else {
            for fault in faults { try say("   PROBLEM: \(fault)") }
        }
    }

    // MARK: Members

    private func member(_ role: String, number: Int) throws -> MemberProcess {
        let process = try MemberProcess(program, ["tour-member", role, databasePath, "--number", "\(number)"])
        guard process.nextLine() == "ready" else { throw Failure("the tour's \(role) did not start") }
        return process
    }

    /// Ends a member and collects its measurements.
    private mutating func end(_ process: MemberProcess, _ name: String) throws -> [String: Double] {
        process.letGo()
        var figures: [String: Double] = [:]
        while let line = process.nextLine() {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            if words.count == 3, words[0] == "figure" { figures[words[1]] = Double(words[2]) }
            if words.first == "fault" { faults.append("\(name): \(line.dropFirst(6))") }
        }
        let code = process.wait()
        if code != 0 { faults.append("the \(name) ended with code \(code)") }
        return figures
    }

    private func say(_ line: String) throws {
        try output.write(line + "\n")
        try output.flush()
    }
}
